"""Turn pieces of evidence into weighted votes, one per independent source.

A vote for a side is P(that side) x sigmoid(relevance) x credibility ** 0.5. Old evidence for a time-bound claim counts
less. So does a text far less relevant than the most relevant one: a text about something close is often misread as
contradiction. A source has one vote, its strongest on each side. Texts that copy each other are one source under any
publisher, and so are texts that unknown publishers repeat in similar words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from kb.publishers.credibility import SourceType
from kb.record import Origin
from verifier.evidence.independence import independent
from verifier.evidence.sufficiency import AUTHORITY
from verifier.judgement.signals import denies
from verifier.schema import SIDE_OF, Basis, Evidence, Judgement, StanceLabel

GIVEN_CREDIBILITY, GIVEN_POST_CREDIBILITY = 0.9, 0.5
"""Text that the user gives as evidence counts as vouched for; a social media post as from an unknown site."""
OLD = timedelta(days=365)
OLD_WEIGHT = 0.6
"""Weight of evidence older than a year for a time-bound claim."""
BESIDE = 3.0
"""A piece this far below the most relevant one, in log-odds, counts half. Of 612 development claims 83.3% came out
right without this and 86.3% with it, and no more of them the very opposite (docs/models.md has other values)."""
YIELDING = 0.3
"""Weight of a piece whose stance is not in plain words, when a source says the opposite outright."""
SURE = 0.75
"""Probability of a side from which a sentence with all of the claim's words counts as nearly outright."""
SHOWN_LATER = 0.8
"""Weight, when choosing the piece to quote first, of one whose stance only the model sees."""
LESSER = 0.2
"""A source less credible by more than this is no measure for a piece's relevance."""
_CREDIBILITY_POWER = 0.5


@dataclass(frozen=True, slots=True)
class Outright:
    """The side that sources take outright, the highest credibility among them, and the basis.

    `basis`: in plain words, or in all of the claim's words.
    """

    side: StanceLabel
    credibility: float
    basis: Basis


@dataclass(frozen=True, slots=True)
class Vote:
    """One independent source: its strongest weight on each side, 0 to 1, and its pieces."""

    source: str
    supports: float
    refutes: float
    pieces: tuple[Evidence, ...]

    @property
    def social(self) -> bool:
        """Whether all its pieces are on social media, and none was given by the user."""
        return all(piece.source_type is SourceType.SOCIAL and not is_given(piece) for piece in self.pieces)

    @property
    def newest(self) -> datetime | None:
        """When the newest of its pieces was published, if known."""
        return max((piece.published_at for piece in self.pieces if piece.published_at), default=None)


def is_given(piece: Evidence) -> bool:
    """Return whether the user gave the text for this check."""
    return piece.origin is Origin.USER and not piece.record_id


def weight_of(piece: Evidence, time_bound: bool, now: datetime) -> float:
    """Compute a piece's weight, 0 to 1, regardless of what it says."""
    vouched = GIVEN_POST_CREDIBILITY if piece.source_type is SourceType.SOCIAL else GIVEN_CREDIBILITY
    credibility = max(piece.credibility, vouched if is_given(piece) else 0.0)
    old = time_bound and piece.published_at is not None and now - piece.published_at > OLD
    return math.pow(credibility, _CREDIBILITY_POWER) * chance_relevant(piece) * (OLD_WEIGHT if old else 1.0)


def weights_of(evidence: Sequence[Evidence], time_bound: bool, now: datetime) -> list[float]:
    """Compute each piece's weight among the others, 0 to 1.

    The most relevant piece weighs as if alone. A text takes no weight from one of a clearly better source: otherwise
    strangers would outweigh a paper by copying the claim's words.
    """
    shares = []
    for piece in evidence:
        best = max(other.relevance for other in evidence if other.credibility >= piece.credibility - LESSER)
        shares.append(_share(best - piece.relevance))
    return [weight_of(piece, time_bound, now) * share for piece, share in zip(evidence, shares, strict=True)]


def _share(gap: float) -> float:
    """Return the share of its weight that a less relevant piece keeps."""
    return _sigmoid(BESIDE - gap) / _sigmoid(BESIDE)


def strength(piece: Evidence, label: StanceLabel) -> float:
    """Compute how strongly a piece takes a side at any age; votes build on it."""
    if piece.stance is None:
        return 0.0
    says = piece.stance.supports if label is StanceLabel.SUPPORTS else piece.stance.refutes
    return says * weight_of(piece, False, datetime.max.replace(tzinfo=UTC))


def shown_strengths(evidence: Sequence[Evidence], label: StanceLabel) -> list[float]:
    """Compute strengths for choosing the pieces to show and quote first.

    Each is how much the piece says for a side among the others, less where only the model sees the stance.
    """
    best = max((piece.relevance for piece in evidence), default=0.0)
    return [
        strength(piece, label) * _share(best - piece.relevance) * (SHOWN_LATER if piece.basis is Basis.READING else 1.0)
        for piece in evidence
    ]


def decisive_first(evidence: Sequence[Evidence], judgement: Judgement) -> tuple[list[Evidence], Judgement]:
    """Move the deciding piece to the front; return the evidence and the adjusted judgement."""
    position = judgement.rated_by
    label = SIDE_OF.get(judgement.verdict)
    if position is None and label and evidence:
        strengths = shown_strengths(evidence, label)
        position = max(range(len(evidence)), key=lambda i: strengths[i])
    if not position:
        return list(evidence), judgement
    ordered = [evidence[position], *evidence[:position], *evidence[position + 1 :]]
    return ordered, judgement if judgement.rated_by is None else replace(judgement, rated_by=0)


def chance_relevant(piece: Evidence) -> float:
    """Compute the probability that a piece is relevant: its relevance is in log-odds."""
    return _sigmoid(piece.relevance)


def _sigmoid(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def votes_of(evidence: Sequence[Evidence], time_bound: bool, now: datetime) -> list[Vote]:
    """Compute the votes of independent sources, in the order of their first piece.

    Args:
        evidence: pieces with relevance, credibility and stance.
        time_bound: whether old evidence counts less.
        now: the time from which age is measured.
    """
    judged = [piece for piece in evidence if piece.stance is not None]
    weights = {
        id(piece): weight * (YIELDING if yields else 1.0)
        for piece, weight, yields in zip(judged, weights_of(judged, time_bound, now), yielding(judged), strict=True)
    }
    return [_vote(source, [(piece, weights[id(piece)]) for piece in pieces]) for source, pieces in independent(judged)]


def yielding(evidence: Sequence[Evidence]) -> list[bool]:
    """Return, per piece, whether a source says the opposite outright.

    Only for pieces whose side is not in plain words.
    """
    outright = _said_outright(evidence)
    return [outright is not None and _yields(piece, outright) for piece in evidence]


def _said_outright(evidence: Sequence[Evidence]) -> Outright | None:
    """Find the one side that sources take in plain words.

    If none does, use sentences that the model is sure of and that hold all of the claim's words.
    """
    for basis in (Basis.WORDS, Basis.ALL_WORDS):
        plain = [
            (piece.stance, piece.credibility)
            for piece in evidence
            if piece.basis is basis and piece.stance and not piece.retracted
        ]
        sure = [
            (stance, how)
            for stance, how in plain
            if basis is Basis.WORDS or max(stance.supports, stance.refutes) >= SURE
        ]
        sides = {stance.label for stance, _ in sure}
        if len(sides) == 1 and StanceLabel.NEUTRAL not in sides:
            return Outright(sides.pop(), max(how for _, how in sure), basis)
        if sides:
            return None
    return None


def _yields(piece: Evidence, outright: Outright) -> bool:
    """Return whether a stance not in plain words or a denial is opposed outright.

    The opposing source must be at least as credible, or able to decide alone.
    """
    if piece.basis is Basis.WORDS or piece.stance is None or outright.credibility < min(piece.credibility, AUTHORITY):
        return False
    if outright.basis is Basis.ALL_WORDS and piece.basis is not Basis.READING:
        return False
    if piece.basis is Basis.SIGN and denies(piece.closest or piece.text):  # "did not sink" is plain too
        return False
    return piece.stance.label not in {outright.side, StanceLabel.NEUTRAL}


def _vote(source: str, weighed: Sequence[tuple[Evidence, float]]) -> Vote:
    """Build one source's vote from its weighted pieces."""
    stances = [(weight, piece.stance) for piece, weight in weighed if piece.stance]
    return Vote(
        source,
        max(weight * stance.supports for weight, stance in stances),
        max(weight * stance.refutes for weight, stance in stances),
        tuple(piece for piece, _ in weighed),
    )
