"""J3: from the stances of the evidence to one verdict and how sure it is.

Every piece that takes a side is a vote of weight

    P(its stance) x sigmoid(relevance) x credibility,

and an organisation has one vote a side, its strongest. The votes of a side are summed. A side wins when it has enough
weight, three fifths of all weight, and either two independent organisations or one of high credibility; votes that
are split closer than that are a conflict. Confidence is 1 minus the product of (1 - vote) over the winning side's
votes, times its share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kb.credibility import SourceType
from kb.record import Origin
from verifier.schema import Evidence, Judgement, StanceLabel, Tier, Verdict

MIN_WEIGHT, WINNING_SHARE = 0.35, 0.6
"""Chosen on half of tests/data/claims.jsonl; lower values decide more claims, and more of them wrongly."""
AUTHORITY = 0.9
"""One source of this credibility may decide alone."""
MAX_CONFIDENCE = 0.99
HIGH_TIER, MEDIUM_TIER = 0.8, 0.55
_GIVEN_CREDIBILITY = 0.9
"""Text that the user hands over to be judged by counts as vouched for."""


@dataclass(frozen=True, slots=True)
class Side:
    """All votes for one stance: voice -> weight, and the pieces behind them, weightiest first."""

    votes: dict[str, float]
    pieces: tuple[Evidence, ...]

    @property
    def weight(self) -> float:
        """The sum of the votes."""
        return sum(self.votes.values())

    @property
    def certainty(self) -> float:
        """1 minus the chance that every vote is wrong, were they independent."""
        return 1 - math.prod(1 - vote for vote in self.votes.values())

    @property
    def may_decide(self) -> bool:
        """Two independent organisations, one of high credibility, or text that the user gave."""
        given = any(piece.origin is Origin.USER and not piece.record_id for piece in self.pieces)
        return given or len(self.votes) >= 2 or any(piece.credibility >= AUTHORITY for piece in self.pieces)


def vote_of(piece: Evidence) -> float:
    """The weight of a piece's vote, 0 to 1; 0 for a neutral one."""
    if piece.stance is None or piece.stance.label is StanceLabel.NEUTRAL:
        return 0.0
    sure = piece.stance.supports if piece.stance.label is StanceLabel.SUPPORTS else piece.stance.refutes
    given = piece.origin is Origin.USER and not piece.record_id
    return sure * max(piece.credibility, _GIVEN_CREDIBILITY if given else 0.0) / (1 + math.exp(-piece.relevance))


def side(evidence: Sequence[Evidence], label: StanceLabel) -> Side:
    """The votes for one stance."""
    pieces = sorted((p for p in evidence if p.stance and p.stance.label is label), key=lambda piece: -vote_of(piece))
    votes: dict[str, float] = {}
    for number, piece in enumerate(pieces):
        votes.setdefault(piece.voice or f"text {number}", vote_of(piece))
    return Side(votes, tuple(pieces))


def judge(evidence: Sequence[Evidence]) -> Judgement:
    """The verdict that the evidence allows.

    Args:
        evidence: pieces with relevance, credibility and stance.
    """
    supports, refutes = side(evidence, StanceLabel.SUPPORTS), side(evidence, StanceLabel.REFUTES)
    winner, loser = (supports, refutes) if supports.weight >= refutes.weight else (refutes, supports)
    total = winner.weight + loser.weight
    if winner.weight < MIN_WEIGHT:
        return _undecided(winner, ())
    if winner.weight / total < WINNING_SHARE:
        return _conflict(supports, refutes)
    if not winner.may_decide:
        only = next(iter(winner.votes))
        note = f"only {only} takes a side; a verdict needs two independent sources, or one of credibility {AUTHORITY} or more"
        return _undecided(winner, (note,))
    verdict = Verdict.TRUE if winner is supports else Verdict.FALSE
    confidence = _bounded(winner.certainty * winner.weight / total)
    return Judgement(verdict, confidence, *_tier(confidence, winner, loser))


def _undecided(winner: Side, notes: tuple[str, ...]) -> Judgement:
    """No verdict either way; never more than half sure, since a source not found yet could settle it."""
    return Judgement(Verdict.NOT_ENOUGH_EVIDENCE, _bounded((1 - winner.certainty) / 2), Tier.LOW, notes)


def _conflict(supports: Side, refutes: Side) -> Judgement:
    """Weighty evidence on both sides. A fact-checker against the claim, and none for it, makes it misleading."""
    checked = [
        any(piece.source_type is SourceType.FACT_CHECKER for piece in each.pieces) for each in (supports, refutes)
    ]
    verdict = Verdict.MISLEADING if checked == [False, True] else Verdict.PARTIALLY_TRUE
    return Judgement(
        verdict, _bounded(min(supports.certainty, refutes.certainty)), Tier.LOW, ("the sources contradict each other",)
    )


def _tier(confidence: float, winner: Side, loser: Side) -> tuple[Tier, tuple[str, ...]]:
    """Confidence in a word, with the reason wherever a rule lowers it."""
    if loser.votes:
        return Tier.LOW, ("at least one source says the opposite",)
    tier = Tier.HIGH if confidence >= HIGH_TIER else Tier.MEDIUM if confidence >= MEDIUM_TIER else Tier.LOW
    if all(piece.source_type is SourceType.SOCIAL for piece in winner.pieces):
        return Tier.LOW, ("only social media take a side",)
    if len(winner.votes) < 2 and tier is Tier.HIGH:
        return Tier.MEDIUM, ("one source decides alone",)
    return tier, ()


def _bounded(confidence: float) -> float:
    return round(max(0.0, min(MAX_CONFIDENCE, confidence)), 4)
