"""Let an instruct model read the evidence too where the small models are unsure.

This is the cascade. Its answer does not replace theirs. For each piece it reads, its calibrated stance is pooled with
the stance model's: P(stance | both) is proportional to P(stance | stance model) x P(stance | instruct model) ^ weight
(logarithmic opinion pool; Genest and Zidek, 1986). Votes, rules and citations then work as usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verifier.claim.parsed import ParsedClaim
from verifier.judgement.closest import closest_sentence, sentence_spans
from verifier.judgement.stance import denied
from verifier.schema import Advice, Evidence, Judgement, Stance, Verdict
from verifier.text.sanitise import readable

NOTE = "the language model read it too"
MAX_WORDS = 45
"""Words of a piece that the instruct model reads; reading time grows with them."""
_OPEN = {Verdict.NOT_ENOUGH_EVIDENCE, Verdict.PARTIALLY_TRUE}
_LONGEST = 2 * MAX_WORDS
"""Maximum words read of a single sentence."""
_FLOOR = 1e-6


def unsure(judgement: Judgement, threshold: float) -> bool:
    """Return whether a second reading may be worth its time.

    It may be if the confidence is below the threshold, or if evidence decided nothing. A fact-checker's rating needs
    none. A threshold of 0 means never.
    """
    if judgement.rated_by is not None or threshold <= 0:
        return False
    return judgement.verdict in _OPEN or judgement.confidence < threshold


def excerpts(claim: ParsedClaim, evidence: Sequence[Evidence]) -> list[str]:
    """Cut out what the instruct model reads: the closest sentence and surrounding ones that fit."""
    return [_excerpt(claim, readable(piece.text)) for piece in evidence]


def _excerpt(claim: ParsedClaim, text: str) -> str:
    start, end = closest_sentence(claim.statement, text)
    spans = sentence_spans(text)
    before = [span for span in spans if span[1] <= start]
    after = [span for span in spans if span[0] >= end]
    while before or after:
        wider = (before.pop()[0], end) if before else (start, after.pop(0)[1])
        if len(text[slice(*wider)].split()) > MAX_WORDS:
            break
        start, end = wider
    return " ".join(text[start:end].split()[:_LONGEST])


def of_claim(claim: ParsedClaim, advice: Advice) -> Advice:
    """Turn advice on the statement into advice on the claim, which may deny the statement."""
    if not claim.denied:
        return advice
    return replace(advice, stances=tuple(map(denied, advice.stances)))


def fused(evidence: Sequence[Evidence], advice: Advice, weight: float) -> list[Evidence]:
    """Pool the stances of the pieces that were read with the advice; keep the others.

    Args:
        evidence: pieces with stances, in the order that the advice was given in.
        advice: what the instruct model says about the claim.
        weight: how much its reading counts compared with the stance model's; 0 means nothing, 1 as much.
    """
    read = [_pooled(piece, stance, weight) for piece, stance in zip(evidence, advice.stances, strict=False)]
    return [*read, *evidence[len(read) :]]


def _pooled(piece: Evidence, reading: Stance, weight: float) -> Evidence:
    if piece.stance is None:
        return piece
    ours = (piece.stance.supports, piece.stance.refutes, piece.stance.neutral)
    theirs = (reading.supports, reading.refutes, reading.neutral)
    odds = [chance * max(other, _FLOOR) ** weight for chance, other in zip(ours, theirs, strict=True)]
    note = f"{piece.note}; {NOTE}" if piece.note else NOTE
    both = Stance(*(value / sum(odds) for value in odds))
    return replace(piece, stance=both, readings=None, note=note)
