"""Fuse two rankings, by meaning and by words, with a small boost for past usefulness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.publishers.credibility import PublisherOf
from kb.record import EvidenceRecord

_WIDER = 4
"""By this factor more records are searched if some are blocked."""
_MANY = 10
"""By this factor more are ranked if some keys are not kept: ranking reads little of a row."""
_SEEN = 100
"""How many records are ranked for a person."""
Keep = Callable[[str], bool]
"""A record's key -> whether it may be found."""
RRF_K = 60
"""Reciprocal rank fusion: a rank r counts 1 / (60 + r) (Cormack, Clarke and Buettcher, SIGIR 2009)."""


@dataclass(frozen=True, slots=True)
class Boost:
    """Popularity in ranking: each earlier use adds `per_access` to similarity, at most `ceiling` in all."""

    per_access: float = 0.02
    ceiling: float = 0.1

    def __call__(self, access_count: int) -> float:
        """Return what is added for a record used `access_count` times."""
        return min(self.per_access * access_count, self.ceiling)


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found for a query.

    `similarity` is the cosine (-1 to 1), `boosted` adds popularity, `fused` decides the order; `vector` is the record's unit vector,
    shape (384,).
    """

    record: EvidenceRecord
    similarity: float
    boosted: float
    fused: float
    vector: NDArray[np.float32] = field(compare=False, repr=False)


def hit_to_dict(hit: Hit) -> dict[str, Any]:
    """Return a hit as plain values, for JSON; times are ISO 8601."""
    return {"score": round(hit.boosted, 4), "similarity": round(hit.similarity, 4)} | record_to_dict(hit.record)


def record_to_dict(record: EvidenceRecord) -> dict[str, Any]:
    """Return a record as plain values, for JSON; times are ISO 8601."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in record.to_row().items()}


@dataclass(frozen=True, slots=True)
class Found:
    """A found row: key, place in the table, and ranking figures (cosine -1 to 1)."""

    id: str
    row: int
    similarity: float
    access_count: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """A found row in the fused ranking; the figures are those of `Hit`."""

    found: Found
    boosted: float
    fused: float


def fuse(by_meaning: Sequence[Found], by_words: Sequence[Found], limit: int, boost: Boost) -> list[Ranked]:
    """Fuse two rankings of the same store into the best `limit` rows, best first.

    Popularity reorders the ranking by meaning only, and by no more than `boost.ceiling`, so it never outranks
    relevance.

    Args:
        by_meaning: rows by cosine, nearest first; more than `limit`, so that popularity can lift some into it.
        by_words: rows by BM25, best first.
        limit: how many are wanted.
        boost: the weight of popularity.
    """
    rows = {found.id: found for found in (*by_words, *by_meaning)}
    boosted = {key: found.similarity + boost(found.access_count) for key, found in rows.items()}
    nearest = sorted((found.id for found in by_meaning), key=lambda key: -boosted[key])[:limit]
    fused = reciprocal_ranks(nearest, [found.id for found in by_words])
    best = sorted(fused, key=lambda key: (-fused[key], -boosted[key]))[:limit]
    return [Ranked(rows[key], boosted[key], fused[key]) for key in best]


def best_kept(ask: Callable[[int], list[Ranked]], limit: int, keep: Keep | None) -> list[Ranked]:
    """Return the `limit` best whose keys are kept.

    `ask` ranks that many, and is called again if some are dropped.
    """
    ranked = ask(limit)
    if keep is None:
        return ranked
    kept = [place for place in ranked if keep(place.found.id)]
    if len(kept) < len(ranked):  # dropped ones took the places of others
        kept = [place for place in ask(_MANY * limit) if keep(place.found.id)]
    return kept[:limit]


def best_allowed(ask: Callable[[int], list[Hit]], limit: int, publisher_of: PublisherOf) -> list[Hit]:
    """Return the `limit` best hits whose publishers are not blocked.

    `ask` finds that many, and is called again if some are blocked.
    """
    found = ask(limit)
    kept = allowed(found, publisher_of)
    if len(kept) < len(found):  # dropped ones took the places of others
        kept = allowed(ask(_WIDER * limit), publisher_of)
    return kept[:limit]


def most_similar(ask: Callable[[int], list[Hit]], limit: int) -> list[Hit]:
    """Order hits by the similarity that readers see; a shorter list begins a longer one.

    A ranking depends on its length, so more records are ranked than people ask for.
    """
    depth = _SEEN
    while depth < limit:
        depth *= _WIDER
    return sorted(ask(depth), key=lambda hit: -hit.similarity)[:limit]


def allowed(hits: Sequence[Hit], publisher_of: PublisherOf) -> list[Hit]:
    """Drop the records of blocked publishers; those that others report too stay, in their name."""
    kept = []
    for hit in hits:
        record = hit.record
        urls = [url for url in (record.source, *record.source_urls) if not publisher_of(url).denied]
        if urls and urls[0] == record.source:
            kept.append(hit)
        elif urls:  # title and rating belong to the blocked publisher
            other = publisher_of(urls[0])
            known = replace(record, source=urls[0], domain=other.domain, publisher=other.name, title="", rating="")
            kept.append(replace(hit, record=known))
    return kept


def reciprocal_ranks(*rankings: Sequence[str]) -> dict[str, float]:
    """Return key -> sum of 1 / (60 + rank) over the rankings that hold it."""
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + 1 / (RRF_K + rank)
    return fused
