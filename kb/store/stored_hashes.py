"""Keep hashes of all stored vectors in memory, to add texts without rereading the store.

A row takes 264 bytes: 24 keys and one of its id in sorted runs (200), its signs (48), its id and its place (16). The
table's version shows what other processes write and what compaction moves. New pieces of the table are then read, and
their vectors only where the ids are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from kb.record import VECTOR_WIDTH
from kb.store.hashing import KEYS, Hasher, KeyRuns, Rows, Vectors, Words

if TYPE_CHECKING:
    from lancedb.table import Table

MOST_ROWS = 2_000_000
"""No hashes are kept of larger stores; at this size they take half a gigabyte."""
_ROWS_AT_ONCE = 16_384
_TAKEN_AT_ONCE = 4_096
_MOST_DIFFERENT = 96
"""Of 384 signs. At a cosine of 0.98 about 25 differ, and no pair came near this; it spares reading other vectors."""
_PIECE = 32
"""Bits of a row's place that count within its piece of the table."""
_NOWHERE = np.uint64(2**64 - 1)
_FORGOTTEN = 10_000
"""All is read again once more rows than the store has, plus this many, may have been deleted."""


class StoredHashes:
    """Hashes of one table's vectors, updated before each use. Not safe to share between threads."""

    def __init__(self, table: Table) -> None:
        """Nothing is read before the first use."""
        self._table = table
        self._forget()

    def _forget(self) -> None:
        self._version, self._next_piece, self._count, self._looked_up = -1, 0, 0, 0
        self._hasher: Hasher | None = None
        self._runs = [KeyRuns() for _ in range(KEYS)]
        self._id_runs = KeyRuns()
        self._signs = _Column(np.zeros((0, VECTOR_WIDTH // 64), np.uint64))
        self._ids = _Column(np.zeros(0, np.uint64))
        self._places = _Column(np.zeros(0, np.uint64))

    @property
    def loaded(self) -> bool:
        """Whether hashes are held, and cheap to update."""
        return self._hasher is not None

    def refresh(self) -> bool:
        """Read what the table has gained since the last time.

        Returns False, and holds nothing, if the table is too large.

        Raises:
            OSError, RuntimeError, ValueError: the library's own.
        """
        version = int(self._table.version)
        if version == self._version:
            return self.loaded
        rows = int(self._table.count_rows())
        if version < self._version or self._count > 2 * rows + _FORGOTTEN:
            self._forget()
        if rows > MOST_ROWS:
            self._forget()
            return False
        self._read_new()
        self._version, self._looked_up = version, 0
        return True

    def _read_new(self) -> None:
        """Find each row's place in the new pieces; hash the rows whose id is unknown."""
        next_piece, low, high = self._next_piece, 2**63 - 1, -1
        query = self._table.search().where(f"_rowid >= {next_piece << _PIECE}").select(["id"])
        for batch in query.with_row_id(True).limit(None).to_batches(_ROWS_AT_ONCE):
            if not batch.num_rows:
                continue
            places = batch["_rowid"].to_numpy().astype(np.uint64)
            unknown = places[self._place(_id_hashes(batch["id"].to_pylist()), places) < 0]
            next_piece = max(next_piece, (int(places.max()) >> _PIECE) + 1)
            if len(unknown):
                low, high = min(low, int(unknown.min())), max(high, int(unknown.max()))
        if high >= 0:
            self._read_vectors(low, high)
        self._next_piece = next_piece

    def _read_vectors(self, low: int, high: int) -> None:
        """Hash the rows in this range of places whose ids are unknown."""
        query = self._table.search().where(f"_rowid >= {low} AND _rowid <= {high}").select(["id", "vector"])
        for batch in query.with_row_id(True).limit(None).to_batches(_ROWS_AT_ONCE):
            ids, places = _id_hashes(batch["id"].to_pylist()), batch["_rowid"].to_numpy().astype(np.uint64)
            unknown = self._place(ids, places) < 0
            self._append(ids[unknown], _vectors(batch["vector"])[unknown], places[unknown])

    def worth(self, count: int, rows_per_lookup: int, indexed: bool) -> bool:
        """Return whether to look up `count` new vectors here.

        That may mean reading all stored ones first.

        Args:
            count: how many are looked up now.
            rows_per_lookup: stored vectors read in the time of one look-up in the table's own index.
            indexed: whether there is such an index; then all are read once look-ups have taken as long.
        """
        if self.loaded or not indexed:
            return True
        self._looked_up += count
        return self._looked_up * rows_per_lookup >= int(self._table.count_rows())

    def note(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Hold what was just stored, so its vectors need not be read back.

        Its place is found later.
        """
        if self.loaded and len(ids):
            self._append(_id_hashes(ids), vectors, np.full(len(ids), _NOWHERE))

    def _append(self, ids: Words, vectors: Vectors, places: Words) -> None:
        if not len(ids):
            return
        if self._hasher is None:
            self._hasher = Hasher(vectors.mean(axis=0))
        keys, signs = self._hasher.keys(vectors), self._hasher.signs(vectors)
        for key, run in enumerate(self._runs):
            run.add(keys[:, key], self._count)
        self._id_runs.add(_short(ids), self._count)
        for column, values in ((self._signs, signs), (self._ids, ids), (self._places, places)):
            column.extend(values)
        self._count += len(ids)

    def _rows_of(self, ids: Words) -> Rows:
        """Return the row held for each id: the last of several, -1 if none."""
        found = np.full(len(ids), -1, dtype=np.int64)
        for wanted, held in self._id_runs.matches(_short(ids)):
            same = self._ids.values[held] == ids[wanted]
            np.maximum.at(found, wanted[same], held[same])
        return found

    def _place(self, ids: Words, places: Words) -> Rows:
        """Note where rows are now; return the rows held for these ids, -1 if unknown."""
        found = self._rows_of(ids)
        known = found >= 0
        self._places.values[found[known]] = places[known]
        return found

    def present(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that the table holds; call `refresh` first."""
        rows = self._rows_of(_id_hashes(ids))
        found = self._taken(np.unique(rows[rows >= 0]), ["id"])
        return {key for part in found for key in part["id"].to_pylist()} & set(ids)

    def close_to(self, vectors: Vectors, threshold: float) -> dict[int, list[tuple[str, str, float]]]:
        """Map rows of `vectors` to id, text and cosine of stored records that close.

        Call `refresh` first.
        """
        wanted, held = self._alike(vectors)
        found: dict[int, list[tuple[str, str, float]]] = {}
        for part in self._taken(np.unique(held), ["id", "text", "vector"]):
            ids, texts = part["id"].to_pylist(), part["text"].to_pylist()
            stored, rows = _vectors(part["vector"].combine_chunks()), self._rows_of(_id_hashes(ids))
            for i, j in zip(*_places_of(held, rows), strict=True):
                cosine = float(vectors[wanted[i]] @ stored[j])
                if cosine >= threshold:
                    found.setdefault(int(wanted[i]), []).append((ids[j], texts[j], cosine))
        return found

    def _alike(self, vectors: Vectors) -> tuple[Rows, Rows]:
        """Return pairs of a row of `vectors` and a held row, each once.

        They share a key and most signs.
        """
        if self._hasher is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        keys, signs = self._hasher.keys(vectors), self._hasher.signs(vectors)
        found = [np.zeros(0, np.int64)]
        for key, run in enumerate(self._runs):
            for wanted, held in run.matches(keys[:, key]):
                differ = np.bitwise_count(signs[wanted] ^ self._signs.values[held]).sum(axis=1)
                near = differ <= _MOST_DIFFERENT
                found.append(wanted[near] * self._count + held[near])
        pairs = np.unique(np.concatenate(found))
        return pairs // max(1, self._count), pairs % max(1, self._count)

    def _taken(self, rows: Rows, columns: list[str]) -> Iterator[pa.Table]:
        """Yield the stored rows held under these numbers; deleted ones are left out."""
        for start in range(0, len(rows), _TAKEN_AT_ONCE):
            part = rows[start : start + _TAKEN_AT_ONCE]
            found = self._take(part, columns)
            if len(found) < len(part) and self._moved():
                found = self._take(part, columns)
            if len(found):
                yield found

    def _take(self, rows: Rows, columns: list[str]) -> pa.Table:
        places = self._places.values[rows]
        found: Any = self._table.take_row_ids(places[places != _NOWHERE].tolist()).select(columns).to_arrow()
        return found

    def _moved(self) -> bool:
        """Return whether rows were written since the last look; if so, their places are updated."""
        version = int(self._table.version)
        if version <= self._version:
            return False
        self._read_new()
        self._version = version
        return True


class _Column:
    """An array that grows at its end, in steps of half its size."""

    def __init__(self, start: Words) -> None:
        self._all, self._used = start, len(start)

    @property
    def values(self) -> Words:
        """The values held; may be written to."""
        return self._all[: self._used]

    def extend(self, values: Words) -> None:
        """Append further rows."""
        end = self._used + len(values)
        if end > len(self._all):
            room = np.empty((max(end, len(self._all) * 3 // 2), *self._all.shape[1:]), self._all.dtype)
            room[: self._used] = self.values
            self._all = room
        self._all[self._used : end] = values
        self._used = end


def _id_hashes(ids: Sequence[str]) -> Words:
    """Return 64 bits of each id, valid in this process only."""
    return np.fromiter(map(hash, ids), np.int64, len(ids)).view(np.uint64)


def _short(ids: Words) -> Rows:
    """Return 32 of the 64 bits."""
    return (ids >> np.uint64(32)).astype(np.int64)


def _vectors(column: pa.FixedSizeListArray) -> Vectors:
    found: Vectors = column.flatten().to_numpy().reshape(-1, VECTOR_WIDTH)
    return found


def _places_of(held: Rows, rows: Rows) -> tuple[list[int], list[int]]:
    """Return positions in `held` of rows that are among `rows`, and their positions there."""
    order = np.argsort(rows)
    at = np.minimum(np.searchsorted(rows[order], held), len(rows) - 1)
    here = np.flatnonzero(rows[order][at] == held)
    return here.tolist(), order[at[here]].tolist()
