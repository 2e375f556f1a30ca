"""Search the store: rank rows by meaning and words, then read the best rows whole.

A row has 26 columns besides its vector, each read from a separate place, so reading 60 rows to keep 20 costs more than
finding them. The library answers each question on one thread, so two are asked at once: the two rankings, then the two
halves of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kb.publishers.credibility import PublisherOf
from kb.record import EvidenceRecord
from kb.store.fusion import Boost, Found, Hit, Keep, Ranked, best_allowed, best_kept, fuse
from kb.store.left_out import searched
from kb.store.sql import any_of
from kb.store.table import translated

if TYPE_CHECKING:
    from lancedb.table import Table

Vector = NDArray[np.float32]
_T = TypeVar("_T")

_CELLS = 20
"""Cells of the vector index read per query, about a thousand vectors each: see docs/store.md."""


class TableReader:
    """Reads a table's evidence: as it is now, or at the version checked out."""

    def __init__(self, table: Table, uri: str, publisher_of: PublisherOf) -> None:
        """`uri` names the store in errors; `publisher_of` says which publishers are blocked."""
        self._table, self.uri, self._publisher_of = table, uri, publisher_of

    def count(self) -> int:
        """Count the records."""
        with translated("read", self.uri):
            return int(self._table.count_rows())

    @property
    def version(self) -> int:
        """The version number, which rises with every write of any process."""
        with translated("read", self.uri):
            return int(self._table.version)

    def get(self, ids: Sequence[str]) -> list[EvidenceRecord]:
        """Return the records with these ids, in no particular order; unknown ids are left out."""
        if not ids:
            return []
        with translated("read", self.uri):
            rows = self._table.search().where(any_of("id", ids)).limit(len(ids)).to_list()
        return [EvidenceRecord.from_row(row) for row in rows]

    def search(
        self,
        text: str,
        vector: Vector,
        limit: int,
        boost: Boost | None = None,
        keep: Keep | None = None,
    ) -> list[Hit]:
        """Find the `limit` nearest records to a query: cosine and BM25, fused by reciprocal rank.

        Popularity reorders the cosine list only, and by no more than `boost.ceiling`, so it never outranks relevance. A
        record whose publishers are all blocked is not found; one that others report too is found in their name. Records
        of a pack that the user leaves out are not found either.

        Args:
            text: the query's words.
            vector: its unit vector, shape (384,).
            limit: how many records are wanted.
            boost: the weight of popularity.
            keep: whether a record may be found, by its key; others take the places of those that may not.

        Raises:
            StoreError: the store cannot be read.
        """

        def ask(most: int) -> list[Hit]:
            return hybrid(self._table, text, vector, most, boost or Boost(), keep)

        with translated("search", self.uri):
            return best_allowed(ask, limit, self._publisher_of)


def hybrid(
    table: Table,
    text: str,
    vector: Vector,
    limit: int,
    boost: Boost,
    keep: Keep | None = None,
) -> list[Hit]:
    """Return the `limit` best rows by cosine and BM25, fused; arguments as in `TableReader.search`."""
    where = searched(table)

    def ranked(most: int) -> list[Ranked]:
        by_meaning, by_words = _both(
            lambda: nearest(table, vector, 2 * most, where), lambda: _matching(table, text, vector, most, where)
        )
        return fuse(by_meaning, by_words, most, boost)

    return _whole(table, best_kept(ranked, limit, keep))


def _both(one: Callable[[], _T], other: Callable[[], _T]) -> tuple[_T, _T]:
    """Return the results of both functions, called at the same time."""
    with ThreadPoolExecutor(1, thread_name_prefix="store") as pool:
        second = pool.submit(other)
        return one(), second.result()


def nearest(table: Table, vector: Vector, limit: int, where: str = "") -> list[Found]:
    """Find the rows nearest to a unit vector, among those that the filter keeps.

    More cells are read if the first hold too few rows.
    """
    query = table.search(vector).distance_type("cosine").limit(limit).with_row_id(True)
    query = query.where(where) if where else query
    query = query.minimum_nprobes(_CELLS).maximum_nprobes(0)
    rows = query.select(["id", "access_count", "_distance"]).to_arrow()
    return _found(rows, 1 - rows["_distance"].to_numpy())


def _matching(table: Table, text: str, vector: Vector, limit: int, where: str) -> list[Found]:
    """Find the rows whose words match best, among those that the filter keeps."""
    from lancedb.query import MatchQuery

    query = table.search(MatchQuery(text, "text"), query_type="fts").limit(limit).with_row_id(True)
    query = query.where(where) if where else query
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
    """Read the records of a ranking.

    A row rewritten meanwhile has moved, and is read by its key.
    """
    if not ranked:
        return []
    columns = table.schema.names

    def taken(some: Sequence[str]) -> dict[str, dict[str, Any]]:
        query = table.take_row_ids([place.found.row for place in ranked])
        return {row["id"]: row for row in query.select(list({"id", *some})).to_list()}

    first, second = _both(lambda: taken(columns[::2]), lambda: taken(columns[1::2]))
    rows = {key: first[key] | second[key] for key in first.keys() & second.keys()}
    moved = [place.found.id for place in ranked if place.found.id not in rows]
    if moved:
        again = table.search().where(any_of("id", moved)).select(columns).limit(len(moved)).to_list()
        rows |= {row["id"]: row for row in again}
    return [
        Hit(
            EvidenceRecord.from_row(row),
            place.found.similarity,
            place.boosted,
            place.fused,
            np.array(row["vector"], np.float32),
        )
        for place in ranked
        if (row := rows.get(place.found.id))
    ]
