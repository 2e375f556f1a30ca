"""From pieces of evidence to votes: one per independent source, weighed by how far it can be relied on.

A vote for a side is P(that side) x sigmoid(relevance) x credibility ** 0.5, less for old evidence of a claim that is bound
to its time. A source has one vote, its strongest on each side; texts that copy each other are one source
under any publisher, and so are texts that unknown publishers repeat in like words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from kb.publishers.credibility import SourceType
from kb.record import Origin
from verifier.evidence.independence import independent
from verifier.schema import Evidence, Judgement, StanceLabel, Verdict

GIVEN_CREDIBILITY, GIVEN_POST_CREDIBILITY = 0.9, 0.5
"""Text that the user hands over to be judged by counts as vouched for; a post on social media as one of an unknown site."""
OLD = timedelta(days=365)
OLD_WEIGHT = 0.6
"""What evidence older than a year counts for a claim bound to its time."""
_CREDIBILITY_POWER = 0.5
_DECIDES = {Verdict.TRUE: StanceLabel.SUPPORTS, Verdict.FALSE: StanceLabel.REFUTES}


@dataclass(frozen=True, slots=True)
class Vote:
    """What one independent source says: the weight of its strongest piece on each side, 0 to 1, and those pieces."""

    source: str
    supports: float
    refutes: float
    pieces: tuple[Evidence, ...]

    @property
    def social(self) -> bool:
        """Whether all of them stand on social media, and the user did not hand them over."""
        return all(piece.source_type is SourceType.SOCIAL and not is_given(piece) for piece in self.pieces)

    @property
    def newest(self) -> datetime | None:
        """When the newest of its pieces was published, where that is known."""
        return max((piece.published_at for piece in self.pieces if piece.published_at), default=None)


def is_given(piece: Evidence) -> bool:
    """Whether the user handed the text over for this check."""
    return piece.origin is Origin.USER and not piece.record_id


def weight_of(piece: Evidence, time_bound: bool, now: datetime) -> float:
    """How much a piece counts, 0 to 1, whatever it says."""
    vouched = GIVEN_POST_CREDIBILITY if piece.source_type is SourceType.SOCIAL else GIVEN_CREDIBILITY
    credibility = max(piece.credibility, vouched if is_given(piece) else 0.0)
    old = time_bound and piece.published_at is not None and now - piece.published_at > OLD
    return math.pow(credibility, _CREDIBILITY_POWER) * chance_relevant(piece) * (OLD_WEIGHT if old else 1.0)


def strength(piece: Evidence, label: StanceLabel) -> float:
    """How much a piece says for a side, whatever its age: what its source's vote is made of."""
    if piece.stance is None:
        return 0.0
    says = piece.stance.supports if label is StanceLabel.SUPPORTS else piece.stance.refutes
    return says * weight_of(piece, False, datetime.max.replace(tzinfo=UTC))


def decisive_first(evidence: Sequence[Evidence], judgement: Judgement) -> tuple[list[Evidence], Judgement]:
    """The evidence with the piece that decides before all others, and the judgement of it in this order."""
    position = judgement.rated_by
    label = _DECIDES.get(judgement.verdict)
    if position is None and label and evidence:
        position = max(range(len(evidence)), key=lambda i: strength(evidence[i], label))
    if not position:
        return list(evidence), judgement
    ordered = [evidence[position], *evidence[:position], *evidence[position + 1 :]]
    return ordered, judgement if judgement.rated_by is None else replace(judgement, rated_by=0)


def chance_relevant(piece: Evidence) -> float:
    """Probability that a piece bears on the claim: its relevance is on the scale of log-odds."""
    return 1 / (1 + math.exp(-piece.relevance))


def votes_of(evidence: Sequence[Evidence], time_bound: bool, now: datetime) -> list[Vote]:
    """The votes of independent sources, in the order of their first piece.

    Args:
        evidence: pieces with relevance, credibility and stance.
        time_bound: whether old evidence counts less.
        now: what age is measured from.
    """
    judged = [piece for piece in evidence if piece.stance is not None]
    return [_vote(source, pieces, time_bound, now) for source, pieces in independent(judged)]


def _vote(source: str, pieces: Sequence[Evidence], time_bound: bool, now: datetime) -> Vote:
    weights = [(weight_of(piece, time_bound, now), piece.stance) for piece in pieces]
    return Vote(
        source,
        max(weight * stance.supports for weight, stance in weights if stance),
        max(weight * stance.refutes for weight, stance in weights if stance),
        tuple(pieces),
    )
