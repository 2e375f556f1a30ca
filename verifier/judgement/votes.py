"""From pieces of evidence to votes: one per independent source, weighed by how far it can be relied on.

A vote for a side is P(that side) x sigmoid(relevance) x credibility ** 0.5, less for old evidence of a claim that is bound
to its time. A source has one vote, its strongest on each side; texts that copy each other are one source, whoever
publishes them, and so are texts that unknown publishers repeat in like words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from kb.credibility import SourceType
from kb.record import Origin
from verifier.evidence.repetition import repeats
from verifier.schema import Evidence

GIVEN_CREDIBILITY = 0.9
"""Text that the user hands over to be judged by counts as vouched for."""
OLD = timedelta(days=365)
OLD_WEIGHT = 0.6
"""What evidence older than a year counts for a claim bound to its time."""
_CREDIBILITY_POWER = 0.5
_COPIED = 0.5
"""Share of word triples in common from which the shorter of two texts counts as a copy of the longer."""


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
    credibility = max(piece.credibility, GIVEN_CREDIBILITY if is_given(piece) else 0.0)
    old = time_bound and piece.published_at is not None and now - piece.published_at > OLD
    return math.pow(credibility, _CREDIBILITY_POWER) * chance_relevant(piece) * (OLD_WEIGHT if old else 1.0)


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
    groups: list[list[tuple[str, Evidence]]] = []
    for number, piece in enumerate(evidence):
        if piece.stance is None:
            continue
        source = piece.voice or f"text {number + 1}"
        same = [
            group
            for group in groups
            if any(source == name or is_copy(piece.text, p.text) or repeats(piece, p) for name, p in group)
        ]
        if not same:
            groups.append([])
            same = groups[-1:]
        for other in same[1:]:  # a publisher with a text of its own that also copies another
            same[0].extend(other)
            groups.remove(other)
        same[0].append((source, piece))
    return [_vote(group[0][0], [piece for _, piece in group], time_bound, now) for group in groups]


def _vote(source: str, pieces: Sequence[Evidence], time_bound: bool, now: datetime) -> Vote:
    weights = [(weight_of(piece, time_bound, now), piece.stance) for piece in pieces]
    return Vote(
        source,
        max(weight * stance.supports for weight, stance in weights if stance),
        max(weight * stance.refutes for weight, stance in weights if stance),
        tuple(pieces),
    )


def is_copy(a: str, b: str) -> bool:
    """Whether half of the word triples of the shorter text stand in the longer; never for texts of under eight words."""
    first, second = sorted((_triples(a), _triples(b)), key=len)
    return len(first) >= 6 and len(first & second) / len(first) >= _COPIED


def _triples(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return set(zip(words, words[1:], words[2:], strict=False))
