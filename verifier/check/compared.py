"""Settle a claim that compares two things, in code.

Find a figure for each thing and compare them. If the figures leave it open, the claim is read like any other, and a
step says which figure was missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from verifier.check.trace import Steps, Trace
from verifier.claim.comparison import Comparison
from verifier.claim.parsed import ParsedClaim
from verifier.evidence.rerank import score
from verifier.evidence.sufficiency import AUTHORITY
from verifier.interfaces import Reranker
from verifier.judgement.comparison import settle
from verifier.judgement.explain import Finding
from verifier.judgement.votes import is_given
from verifier.schema import Evidence, Judgement, Stage, Stance, Tier, Verdict

CONFIDENCE = 0.95
"""Below 1, since a name may mean two things.

None of 200 written comparisons was settled wrongly (tests/data/comparison_claims.jsonl).
"""
Find = Callable[[str], Sequence[Evidence]]
"""Takes a question and returns the pieces of evidence that may hold the figure."""


def compared(
    claim: ParsedClaim, asked: Comparison, find: Find, reranker: Reranker, trace: Trace
) -> Steps[Finding | str]:
    """Find the two figures and compare them.

    If they do not settle the claim, name what would. Only figures from sources that may decide alone count: those of
    credibility 0.9 or more, and the user's own texts.

    Args:
        claim: the claim to check.
        asked: the comparison that its statement makes.
        find: looks for evidence with figures.
        reranker: scores how far the two pieces bear on the claim.
        trace: records the steps of the check.

    Raises:
        ModelError: a model failed.
        StoreError: the store failed.
    """
    sought: list[str] = []
    for quantity in asked.quantities:
        found = [piece for question in asked.questions(quantity) for piece in find(question)]
        trace.tool_calls += 2
        standing = [piece for piece in found if not piece.retracted]
        trusted = [piece for piece in standing if piece.credibility >= AUTHORITY or is_given(piece)]
        pieces = list({piece.text: piece for piece in trusted}.values())
        outcome = settle(asked, quantity, [piece.text for piece in pieces])
        if outcome.holds is None:
            missing = outcome.missing or f"their figures for the {quantity} lie too close together"
            sought.append(outcome.sought or f"more exact figures for their {quantity}")
            yield trace.step(Stage.RETRIEVE, f"Compared {asked.left} with {asked.right}: {missing}")
            continue
        assert outcome.left and outcome.right
        told = f"the {quantity} of {asked.left} is {outcome.left.shown}, that of {asked.right} {outcome.right.shown}"
        yield trace.step(Stage.VERDICT, f"Compared two figures: {told}")
        used = [pieces[i] for i in dict.fromkeys((outcome.left.position, outcome.right.position))]
        return _finding(claim, outcome.holds is not claim.denied, told, score(claim.statement, used, reranker))
    return f"{' or '.join(sought)}, from a source of credibility {AUTHORITY} or more"


def _finding(claim: ParsedClaim, true: bool, told: str, pieces: Sequence[Evidence]) -> Finding:
    """Make the finding of a comparison that the figures of these pieces settle."""
    rest = (1 - CONFIDENCE) / 2
    stance = Stance(CONFIDENCE, rest, rest) if true else Stance(rest, CONFIDENCE, rest)
    verdict = Verdict.TRUE if true else Verdict.FALSE
    judgement = Judgement(verdict, CONFIDENCE, Tier.HIGH, told=told, compared=True)
    evidence = [replace(piece, stance=stance) for piece in pieces]
    return Finding(claim, judgement, evidence, range(1, len(evidence) + 1))
