"""The cascade: where the small models are unsure, an instruct model reads the evidence too.

Its answer does not replace theirs. It is one more witness of a known reliability, and is fused with what the stance model says of
each piece: P(stance | both) is proportional to P(stance | stance model) x P(answer | stance), as if both erred independently
(naive Bayes). Votes, rules and citations then go their usual way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier.schema import Advice, Evidence, Judgement, Stance, Verdict

NOTE = "the language model read it too"
_OPEN = {Verdict.NOT_ENOUGH_EVIDENCE, Verdict.PARTIALLY_TRUE}


def unsure(judgement: Judgement, threshold: float) -> bool:
    """Whether a second reading may be worth its time: below the threshold, or nothing decided although there is evidence.

    A fact-checker's rating stands by itself. A threshold of 0 is never.
    """
    if judgement.rated_by is not None or threshold <= 0:
        return False
    return judgement.verdict in _OPEN or judgement.confidence < threshold


def fused(evidence: Sequence[Evidence], advice: Advice, trust: float) -> list[Evidence]:
    """The evidence with the stances of the decisive pieces, or of all where it is left open, fused with the advice.

    Args:
        evidence: pieces with stances, in the order that the advice was given on.
        advice: what the instruct model says.
        trust: the share of its answers that are right, above 1/3; the rest is spread over the other two.
    """
    open_ = advice.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    other = (1 - trust) / 2
    factors = (
        trust if advice.verdict is Verdict.TRUE else other,
        trust if advice.verdict is Verdict.FALSE else other,
        trust if open_ else other,
    )
    return [
        _with(piece, factors) if piece.stance and (open_ or position in advice.decisive) else piece
        for position, piece in enumerate(evidence)
    ]


def _with(piece: Evidence, factors: tuple[float, float, float]) -> Evidence:
    assert piece.stance is not None
    supports, refutes, neutral = (
        chance * factor
        for chance, factor in zip(
            (piece.stance.supports, piece.stance.refutes, piece.stance.neutral), factors, strict=True
        )
    )
    whole = supports + refutes + neutral
    note = f"{piece.note}; {NOTE}" if piece.note else NOTE
    both = Stance(supports / whole, refutes / whole, neutral / whole)
    return replace(piece, stance=both, readings=None, note=note)
