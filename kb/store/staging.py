"""Stage a refresh in a separate table, then add it to the store in one commit.

One upsert inserts what is new and removes what has expired. So a reader sees the store as it was or as it is after the
refresh, and never anything in between. Nothing changes before that commit, whatever happens. What the store has
already, in the same words or nearly the same, is not inserted: its record gains the new addresses, and lives longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import RefreshError
from kb.publishers.credibility import PublisherOf
from kb.record import VECTOR_WIDTH, EvidenceRecord, NewEvidence, arrow_schema
from kb.store.near_duplicates import find_near_duplicates
from kb.store.place import connect
from kb.store.sql import any_of, expired
from kb.store.table import check_embedder, translated
from kb.store.write import Drafts, add_urls, draft, insert, present, take_over

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

STAGING = "evidence-refresh"
MAX_CHARACTERS = 2_000
"""Characters of a staged text. Passages are shorter; what an engine or a feed says about a page may be longer."""
_NORM_ERROR = 0.01
_BATCH = 4_096
_EXAMPLES = 3

Vectors = NDArray[np.float32]
MakeVectors = Callable[[Sequence[EvidenceRecord]], Vectors]


@dataclass(frozen=True, slots=True)
class Home:
    """The store behind a staging table: its table, and what it makes records with."""

    table: Table
    uri: str
    embedder: str
    vectors: MakeVectors
    publisher_of: PublisherOf
    keep: timedelta | None
    indexed: Callable[[], bool]
    wrote: Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Swapped:
    """What the commit did: records added, and expired records removed."""

    added: int
    expired: int


class Staging:
    """An empty staging table; what an earlier process left in it is deleted.

    Only one process at a time may have one.
    """

    def __init__(self, home: Home) -> None:
        """Make the table.

        Raises:
            StoreError: the place cannot be written.
        """
        self._home = home
        self._known: list[tuple[Drafts, dict[str, str]]] = []
        self.denied = 0
        with translated("write to", home.uri):
            self._db = connect(home.uri)
            self._db.drop_table(STAGING, ignore_missing=True)
            self._table = self._db.create_table(STAGING, schema=arrow_schema(home.embedder))

    def put(self, items: Sequence[NewEvidence]) -> None:
        """Stage texts; those already in the store or the staging table are noted as known.

        Raises:
            ModelError: a text could not be embedded.
            RefreshError: a vector is invalid.
            StoreError: the write failed.
        """
        home = self._home
        drafts = draft(items, None, home.publisher_of, home.keep)
        self.denied += drafts.blocked
        with translated("read", home.uri):
            stored_as = {key: key for key in present(home.table, list(drafts.records))}
            staged = present(self._table, [key for key in drafts.records if key not in stored_as])
        fresh = [record for key, record in drafts.records.items() if key not in stored_as and key not in staged]
        vectors = home.vectors(fresh)
        for problem in _bad_vectors([record.text for record in fresh], vectors):
            raise RefreshError(f"the texts cannot be staged: {problem}; the store is as it was")
        with translated("write to", home.uri):
            stored_as |= find_near_duplicates(home.table, fresh, vectors, home.indexed())
            left = [i for i, record in enumerate(fresh) if record.id not in stored_as]
            again = find_near_duplicates(self._table, [fresh[i] for i in left], vectors[left], False) | {
                key: key for key in staged
            }
            kept = [i for i in left if fresh[i].id not in again]
            insert(self._table, home.embedder, [fresh[i] for i in kept], vectors[kept])
            add_urls(self._table, drafts.urls(again))
        self._known.append((drafts, stored_as))

    @property
    def known(self) -> frozenset[str]:
        """Ids of the store's own records that new texts repeat."""
        return frozenset(key for _, stored_as in self._known for key in stored_as.values())

    def count(self) -> int:
        """Count the staged records."""
        with translated("read", self._home.uri):
            return int(self._table.count_rows())

    def problems(self) -> list[str]:
        """Return what is wrong with the staged rows, read back from disk; empty if nothing."""
        home, found = self._home, []
        with translated("read", home.uri):
            wanted = arrow_schema(home.embedder)
            if self._table.schema != wanted:
                found.append("the columns are not those of the store")
            ids: list[str] = []
            columns = ["id", "text", "vector", "collection"]
            for batch in self._table.search().select(columns).limit(None).to_batches(_BATCH):
                ids += batch["id"].to_pylist()
                found += _bad_rows(batch)
        if len(set(ids)) < len(ids):
            found.append(f"{len(ids) - len(set(ids))} rows have the id of another")
        return found[: 2 * _EXAMPLES]

    def swap(self, spared: Sequence[str], now: datetime) -> Swapped:
        """Put the staged rows into the store and remove what has expired, in one commit.

        Args:
            spared: ids of expired records that stay, because new texts say the same.
            now: the time by which a record has expired or not.

        Raises:
            StoreError: the commit failed; the store is as it was.
        """
        home = self._home
        going = expired(now)
        stay = sorted({*spared, *self.known})
        if stay:
            going += f" AND NOT ({any_of('id', stay)})"
        with translated("write to", home.uri):
            check_embedder(home.table, home.embedder)
            rows = self._table.to_arrow()
            merge = home.table.merge_insert("id").when_not_matched_insert_all().when_not_matched_by_source_delete(going)
            done = merge.use_index(False).execute(rows)
            swapped = Swapped(int(done.num_inserted_rows), int(done.num_deleted_rows))
            for drafts, stored_as in self._known:
                add_urls(home.table, drafts.urls(stored_as))
                take_over(home.table, stored_as, drafts.records)
            home.wrote(swapped.added)
        return swapped

    def due(self, spared: Sequence[str], now: datetime) -> int:
        """Count the records that a swap would remove."""
        stay = {*spared, *self.known}
        with translated("read", self._home.uri):
            rows = self._home.table.search().where(expired(now)).select(["id"]).limit(None).to_arrow()
        return sum(key not in stay for key in rows["id"].to_pylist())

    def drop(self) -> None:
        """Delete the staging table.

        Raises:
            StoreError: it cannot be deleted.
        """
        with translated("write to", self._home.uri):
            self._db.drop_table(STAGING, ignore_missing=True)


def _bad_vectors(texts: Sequence[str], vectors: Vectors) -> Iterator[str]:
    norms = np.linalg.norm(vectors, axis=1)
    wrong = ~(np.abs(norms - 1) <= _NORM_ERROR)  # a NaN norm counts as wrong
    if wrong.any():
        yield f"{int(wrong.sum())} vectors have a length other than 1, such as that of {texts[int(np.argmax(wrong))]!r:.80}"


def _bad_rows(batch: pa.RecordBatch) -> Iterator[str]:
    """Yield what is wrong with a batch's rows, the first few of each kind."""
    vectors = batch["vector"].flatten().to_numpy(zero_copy_only=False).reshape(-1, VECTOR_WIDTH)
    texts = batch["text"].to_pylist()
    empty = [i for i, text in enumerate(texts) if not text or not any(character.isalpha() for character in text)]
    long = [text for text in texts if text and len(text) > MAX_CHARACTERS]
    yield from _bad_vectors(texts, vectors)
    if empty:
        yield f"{len(empty)} texts are empty or have no letters"
    if long:
        yield f"{len(long)} texts have more than {MAX_CHARACTERS:,} characters, such as {long[0]!r:.80}"
