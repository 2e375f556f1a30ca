"""E1: one ranking out of two, by meaning and by words, with a little weight for what has proved useful before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kb.credibility import PublisherOf
from kb.record import EvidenceRecord

RRF_K = 60
"""Reciprocal rank fusion: a rank r counts 1 / (60 + r) (Cormack, Clarke and Buettcher, SIGIR 2009)."""


@dataclass(frozen=True, slots=True)
class Boost:
    """Popularity in ranking: `per_access` is added to the similarity per earlier use, at most `ceiling` in all."""

    per_access: float = 0.02
    ceiling: float = 0.1

    def __call__(self, access_count: int) -> float:
        """The addition for a record used `access_count` times."""
        return min(self.per_access * access_count, self.ceiling)


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found for a query.

    `similarity` is the cosine (-1 to 1), `boosted` adds popularity, `fused` decides the order.
    """

    record: EvidenceRecord
    similarity: float
    boosted: float
    fused: float


def fuse(by_meaning: pa.Table, by_words: pa.Table, vector: NDArray[np.float32], limit: int, boost: Boost) -> list[Hit]:
    """The best `limit` rows of two rankings of the same store, best first.

    Popularity reorders the ranking by meaning only, and by no more than `boost.ceiling`, so it never outranks
    relevance.

    Args:
        by_meaning: rows by cosine, nearest first; more than `limit`, so that popularity can lift some into it.
        by_words: rows by BM25, best first.
        vector: the query's unit vector, shape (384,).
        limit: how many are wanted.
        boost: the weight of popularity.
    """
    rows = _with_similarity(by_words, vector) | _with_similarity(by_meaning, vector)
    boosted = {key: row["similarity"] + boost(row["access_count"]) for key, row in rows.items()}
    nearest = sorted(by_meaning["id"].to_pylist(), key=lambda key: -boosted[key])[:limit]
    fused = reciprocal_ranks(nearest, by_words["id"].to_pylist())
    best = sorted(fused, key=lambda key: (-fused[key], -boosted[key]))[:limit]
    return [Hit(EvidenceRecord.from_row(rows[key]), rows[key]["similarity"], boosted[key], fused[key]) for key in best]


def heard(hits: Sequence[Hit], publisher_of: PublisherOf) -> list[Hit]:
    """The hits without the records of denied publishers; one that others report too stays, in their name."""
    kept = []
    for hit in hits:
        record = hit.record
        allowed = [url for url in (record.source, *record.source_urls) if not publisher_of(url).denied]
        if allowed and allowed[0] == record.source:
            kept.append(hit)
        elif allowed:  # its title and its rating are those of the publisher that is denied
            other = publisher_of(allowed[0])
            known = replace(record, source=allowed[0], domain=other.domain, publisher=other.name, title="", rating="")
            kept.append(replace(hit, record=known))
    return kept


def reciprocal_ranks(*rankings: Sequence[str]) -> dict[str, float]:
    """Key -> sum of 1 / (60 + its rank) over the rankings that hold it."""
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + 1 / (RRF_K + rank)
    return fused


def _with_similarity(found: pa.Table, vector: NDArray[np.float32]) -> dict[str, dict[str, Any]]:
    """Id -> row, with the cosine to `vector` in place of the row's own vector."""
    if not found.num_rows:
        return {}
    vectors = found["vector"].combine_chunks().flatten().to_numpy().reshape(found.num_rows, -1)
    rows = found.drop_columns(["vector"]).to_pylist()
    return {row["id"]: row | {"similarity": float(cosine)} for row, cosine in zip(rows, vectors @ vector, strict=True)}
