"""The store's queries: first what ranks the rows, by meaning and by words, then whole rows for the few that won.

A row has 25 columns, each of which is read from a place of its own, so reading 60 rows to keep 20 costs more than
finding them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kb.fusion import Boost, Found, Hit, Keep, Ranked, best_kept, fuse
from kb.record import EvidenceRecord
from kb.sql import Filter, any_of, condition

if TYPE_CHECKING:
    from lancedb.table import Table

Vector = NDArray[np.float32]

_CELLS = 20
"""How many cells of the vectors' index are read for a query, about a thousand vectors each: see docs/store.md."""


def hybrid(
    table: Table,
    text: str,
    vector: Vector,
    limit: int,
    boost: Boost,
    where: Filter | None = None,
    exact: bool = False,
    keep: Keep | None = None,
) -> list[Hit]:
    """The `limit` best rows by cosine and BM25, fused; the arguments are those of `EvidenceStore.search`."""

    def ranked(most: int) -> list[Ranked]:
        by_meaning = nearest(table, vector, 2 * most, where, exact)
        return fuse(by_meaning, _matching(table, text, vector, most, where), most, boost)

    return _whole(table, best_kept(ranked, limit, keep))


def nearest(table: Table, vector: Vector, limit: int, where: Filter | None, exact: bool) -> list[Found]:
    """The rows nearest to a unit vector. More cells are read where a filter leaves too few rows in the first."""
    query = table.search(vector).distance_type("cosine").limit(limit).with_row_id(True)
    query = query.bypass_vector_index() if exact else query.minimum_nprobes(_CELLS).maximum_nprobes(0)
    if bound := condition(where):
        query = query.where(bound, prefilter=True)
    rows = query.select(["id", "access_count", "_distance"]).to_arrow()
    return _found(rows, 1 - rows["_distance"].to_numpy())


def _matching(table: Table, text: str, vector: Vector, limit: int, where: Filter | None) -> list[Found]:
    """The rows whose words match best."""
    from lancedb.query import MatchQuery

    query = table.search(MatchQuery(text, "text"), query_type="fts").limit(limit).with_row_id(True)
    if bound := condition(where):
        query = query.where(bound, prefilter=True)
    rows = query.select(["id", "access_count", "vector", "_score"]).to_arrow()
    vectors = rows["vector"].combine_chunks().flatten().to_numpy().reshape(-1, len(vector))
    return _found(rows, vectors @ vector)


def _found(rows: pa.Table, similarities: NDArray[Any]) -> list[Found]:
    columns = (
        rows["id"].to_pylist(),
        rows["_rowid"].to_pylist(),
        similarities.tolist(),
        rows["access_count"].to_pylist(),
    )
    return [Found(*values) for values in zip(*columns, strict=True)]


def _whole(table: Table, ranked: Sequence[Ranked]) -> list[Hit]:
    """The records behind a ranking. A row that was rewritten meanwhile has moved, and is asked for by its key."""
    if not ranked:
        return []
    columns = [name for name in table.schema.names if name != "vector"]
    taken = table.take_row_ids([place.found.row for place in ranked]).select(columns).to_list()
    rows = {row["id"]: row for row in taken}
    moved = [place.found.id for place in ranked if place.found.id not in rows]
    if moved:
        again = table.search().where(any_of("id", moved)).select(columns).limit(len(moved)).to_list()
        rows |= {row["id"]: row for row in again}
    return [
        Hit(EvidenceRecord.from_row(rows[place.found.id]), place.found.similarity, place.boosted, place.fused)
        for place in ranked
        if place.found.id in rows
    ]
