"""Replace a store's vectors after its embedder was replaced, while others go on using it.

New vectors are collected in a second table, so an interrupted run resumes where it stopped. What is added, changed and
deleted meanwhile is repeated there, pass after pass, until nothing is left. Then one commit puts the new rows in place
of the old. What others wrote at the moment of that commit is still in the version before it, and is applied to the new
rows afterwards. A tag on the last version seen says, even to a later process, where to resume. Until the commit, and if
anything fails, the store is as it was.

No pass holds more than some hundred rows: two states of the store are compared by a fingerprint of 16 bytes a row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from errors import StoreError
from kb.record import arrow_schema
from kb.store.evidence_store import TABLE, Embed
from kb.store.left_out import with_left_out
from kb.store.place import connect, is_folder, reason
from kb.store.sql import any_of
from kb.store.table import embedder_of, index_words

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.table import Table

_BATCH = 500
_MOST_PASSES = 10
"""Most passes over a store that is written all the time; what the last one misses is done after the commit."""
_TAG = "reembed-"

Progress = Callable[[int, int], None]
Keys = NDArray[np.uint64]


def reembed(uri: str, embed: Embed, embedder: str, progress: Progress) -> int:
    """Replace all vectors of the store at `uri`; `progress` receives (done, total).

    Others may write meanwhile: nothing of that is lost. A process that still uses the old embedder is refused after the
    commit, and must be restarted.

    Returns:
        The number of records.

    Raises:
        StoreError: there is no store, it cannot be read or written, or another process is doing it.
    """
    try:
        db = connect(uri)
        if TABLE not in db.list_tables().tables:
            raise StoreError(f"there is no evidence store at {uri}")
        with _alone(uri):
            return _Reembedding(db, embed, embedder, progress).run()
    except (OSError, RuntimeError, ValueError) as exc:
        raise StoreError(
            f"cannot re-embed the store at {uri}: {reason(exc)}; no record is lost, run the command again to go on"
        ) from exc


@contextmanager
def _alone(uri: str) -> Iterator[None]:
    if not is_folder(uri):
        yield
        return
    try:
        with FileLock(Path(uri) / ".reembed.lock", timeout=0):
            yield
    except Timeout as exc:
        raise StoreError(f"another process is re-embedding the store at {uri}; wait until it is done") from exc


@dataclass(frozen=True, slots=True)
class _Marks:
    """One state of a table.

    `keys` has a key for each row, made of its id, in order; `prints` a fingerprint of all its columns except the
    vector.
    """

    keys: Keys
    prints: Keys


@dataclass(frozen=True, slots=True)
class _Difference:
    """Keys of the rows to write (new or changed), and of those to remove."""

    write: Keys
    remove: Keys


class _Reembedding:
    """One run over the tables of a store."""

    def __init__(self, db: DBConnection, embed: Embed, embedder: str, progress: Progress) -> None:
        self._db, self._embed, self._embedder, self._progress = db, embed, embedder, progress
        self._schema, self._tag = arrow_schema(embedder), f"{_TAG}{embedder[:16]}"
        self._beside = f"{TABLE}-{embedder[:16]}"
        self._table = db.open_table(TABLE)

    def run(self) -> int:
        """Run it; see `reembed`."""
        if embedder_of(self._table) != self._embedder:
            self._swap(self._caught_up())
        if self._tag in self._table.tags.list():
            self._finish(int(self._table.tags.list()[self._tag]["version"]))
        return int(self._table.count_rows())

    def _caught_up(self) -> Table:
        """Update the second table, with new vectors for all that the store holds.

        The last version seen is tagged.
        """
        known = self._beside in self._db.list_tables().tables
        fresh = self._db.open_table(self._beside) if known else self._db.create_table(self._beside, schema=self._schema)
        for _ in range(_MOST_PASSES):
            seen = int(self._table.version)
            self._bring(_at(self._db, seen), fresh, _difference(_marks(_at(self._db, seen)), _marks(fresh)))
            if self._tag in self._table.tags.list():
                self._table.tags.update(self._tag, seen)
            else:
                self._table.tags.create(self._tag, seen)
            if int(self._table.version) == seen:
                break
        return fresh

    def _swap(self, fresh: Table) -> None:
        """Put the new rows in place of the old, in one commit."""
        schema = with_left_out(self._schema, self._table)
        rows = pa.RecordBatchReader.from_batches(schema, _batches(fresh, schema))
        self._db.create_table(TABLE, data=rows, schema=schema, mode="overwrite")
        self._table.checkout_latest()

    def _finish(self, seen: int) -> None:
        """Apply to the new rows what was written after version `seen` and before the commit."""
        last = seen
        while embedder_of(_at(self._db, last + 1)) != self._embedder:
            last += 1
        if last > seen:
            before, after = _at(self._db, seen), _at(self._db, last)
            self._bring(after, self._table, _difference(_marks(after), _marks(before)))
        index_words(self._table)
        self._db.drop_table(self._beside, ignore_missing=True)
        self._table.tags.delete(self._tag)

    def _bring(self, source: Table, target: Table, found: _Difference) -> None:
        """Write rows of `source` into `target`, with new vectors, and remove others from it."""
        if found.remove.size:
            for rows in _rows(target, found.remove):
                target.delete(any_of("id", rows["id"].to_pylist()))
        done, width = 0, self._schema.field("vector").type.list_size
        for rows in _rows(source, found.write):
            made = np.asarray(self._embed(rows["text"].to_pylist()), dtype=np.float32)
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(made.ravel()), width)
            part = rows.set_column(rows.schema.get_field_index("vector"), self._schema.field("vector"), vectors)
            merge = target.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.use_index(False).execute(part.select(self._schema.names).cast(self._schema))
            done += rows.num_rows
            self._progress(done, int(found.write.size))


def _at(db: DBConnection, version: int) -> Table:
    table = db.open_table(TABLE)
    table.checkout(version)
    return table


def _batches(table: Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in table.search().limit(None).to_batches(_BATCH):
        yield from pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_batches()


def _rows(table: Table, wanted: Keys) -> Iterator[pa.Table]:
    """Yield the rows with these keys, some hundred at a time.

    A table written in small pieces is read in small pieces.
    """
    if not wanted.size:
        return
    held: list[pa.Table] = []
    for batch in table.search().limit(None).to_batches(_BATCH):
        chosen = np.isin(_keys(batch["id"].to_pylist()), wanted)
        held.append(pa.Table.from_batches([batch]).filter(pa.array(chosen)))
        while sum(map(len, held)) >= _BATCH:
            rows = pa.concat_tables(held)
            yield rows.slice(0, _BATCH).combine_chunks()
            held = [rows.slice(_BATCH)]
    rows = pa.concat_tables(held)
    if rows.num_rows:
        yield rows.combine_chunks()


def _marks(table: Table) -> _Marks:
    """Return the fingerprints of a table as it is."""
    keys, prints = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    columns = sorted(set(table.schema.names) - {"vector"})
    for batch in table.search().select(columns).limit(None).to_batches(_BATCH):
        keys.append(_keys(batch["id"].to_pylist()))
        prints.append(_keys([repr(sorted(row.items())) for row in batch.to_pylist()]))
    joined, order = np.concatenate(keys), np.argsort(np.concatenate(keys))
    return _Marks(joined[order], np.concatenate(prints)[order])


def _difference(wanted: _Marks, found: _Marks) -> _Difference:
    """Return what makes the rows of `found` those of `wanted`."""
    at = np.searchsorted(found.keys, wanted.keys)
    known = np.zeros(len(wanted.keys), bool)
    inside = at < len(found.keys)
    known[inside] = found.keys[at[inside]] == wanted.keys[inside]
    same = known.copy()
    same[known] = found.prints[at[known]] == wanted.prints[known]
    return _Difference(wanted.keys[~same], found.keys[~np.isin(found.keys, wanted.keys)])


def _keys(texts: list[str]) -> Keys:
    digests = (hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), np.uint64)
