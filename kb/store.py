"""The evidence store: a LanceDB table that several processes may read and write at once.

How the library really behaves decides three things here. The primary key is declared when the table is created and
upserts never use a scalar index, because any other combination lets two processes insert the same new row twice. A
key is the hash of the text, so adding is idempotent. A table that is listed but cannot be opened is damaged, and is
never created anew.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kb.adding import add_urls, draft, insert, outlast, present, prolong, twins
from kb.counts import counts
from kb.credibility import PublisherOf, publisher_of
from kb.find import hybrid, nearest
from kb.fusion import Boost, Hit, Keep, best_heard, most_similar
from kb.place import reason
from kb.record import ID_LENGTH, EvidenceRecord, NewEvidence, content_hash
from kb.sql import Filter, any_of
from kb.staging import Home, Staging, pages_known
from kb.table import TABLE, check_embedder, open_or_create, translated
from kb.tags import ReadVersions
from kb.upkeep import Upkeep, UpkeepPolicy
from kb.usage import Usage, UsageBuffer
from kb.versions import StoreAsOf, StoreVersion, list_versions, resolve

__all__ = ["TABLE", "AddReport", "Embed", "EvidenceStore"]

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> unit vectors of shape (texts, 384)."""

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
_INDEXES = "_indices"
"""The folder of a table in which its indexes lie: the library names the file that it cannot read."""
_LAST_UPKEEP = 10.0
"""Seconds that `close` waits for the indexes."""


@dataclass(frozen=True, slots=True)
class AddReport:
    """What became of the texts given to `add`: new records, and texts that the store already had in other words or places.

    `ids` are the records of the texts, in order; "" for the `denied` ones, whose publisher the user will not hear. `new` are those
    that were not there before.
    """

    added: int
    merged: int
    ids: tuple[str, ...]
    denied: int = 0
    new: tuple[str, ...] = ()


class EvidenceStore:
    """An open store, safe to share between threads. Call `close` at the end, or up to 5 s of usage counts are lost."""

    def __init__(
        self,
        uri: str,
        embed: Embed,
        embedder: str,
        publisher_of: PublisherOf = publisher_of,
        policy: UpkeepPolicy | None = None,
        keep: timedelta | None = None,
    ) -> None:
        """Open the store at `uri`, or create it there.

        Args:
            uri: a folder, or any address that LanceDB opens.
            embed: makes the vectors of new records.
            embedder: checksum of the model behind `embed`; vectors of two models never mix.
            publisher_of: who stands behind an address; what a denied publisher says is neither stored nor found.
            policy: when indexes are made and refreshed.
            keep: how long news from the web lives; without it, for ever.

        Raises:
            StoreError: the place cannot be written, the store is damaged, or another embedder filled it.
        """
        self.uri, self.embedder = uri, embedder
        self._embed, self._publisher_of, self._keep = embed, publisher_of, keep
        self._adding = threading.Lock()
        self._table = open_or_create(uri, embedder)
        policy = policy or UpkeepPolicy()
        self._upkeep = Upkeep(self._table, uri, policy)
        self._read = ReadVersions(self._table, policy.keep_read_days or 0)
        self._usage = UsageBuffer(lambda where, values: self._table.update(where=where, values_sql=dict(values)))

    def _translated(self, doing: str) -> AbstractContextManager[None]:
        return translated(doing, self.uri)

    def count(self) -> int:
        """Number of records."""
        with self._translated("read"):
            return int(self._table.count_rows())

    @property
    def version(self) -> int:
        """The store's version: it rises with every write of any process."""
        with self._translated("read"):
            return int(self._table.version)

    def versions(self) -> list[StoreVersion]:
        """The versions that can still be read, oldest first; a thousand take about a second to list."""
        with self._translated("read"):
            return list_versions(self._table)

    def as_of(self, asked: str) -> StoreAsOf:
        """The store as it was: `asked` is a version's number, or a date or time in ISO form, UTC; see `versions.resolve`.

        Raises:
            InputError: there is no such version, or it is no longer kept.
            StoreError: the store cannot be read.
        """
        return StoreAsOf(self.uri, resolve(asked, self.versions()), self.embedder, self._publisher_of)

    def protect(self, version: int) -> None:
        """Note that a check has read this version, so that it is kept for a while; written together with the usage."""
        self._read.note(version)

    def get(self, ids: Sequence[str]) -> list[EvidenceRecord]:
        """The records with these ids, in no particular order; unknown ids are passed over."""
        if not ids:
            return []
        with self._translated("read"):
            rows = self._table.search().where(any_of("id", ids)).limit(len(ids)).to_list()
        return [EvidenceRecord.from_row(row) for row in rows]

    def missing(self, items: Sequence[NewEvidence]) -> list[NewEvidence]:
        """Those of the texts that the store does not hold in the same words."""
        keys = [content_hash(item.text)[:ID_LENGTH] for item in items]
        with self._translated("read"):
            known = present(self._table, keys)
        return [item for item, key in zip(items, keys, strict=True) if key not in known]

    def add(self, items: Sequence[NewEvidence], vectors: NDArray[np.float32] | None = None) -> AddReport:
        """Store texts with everything known about their sources; `vectors`, where they are known already, spares embedding.

        A text that is here already, in the same words or in nearly the same (cosine >= 0.98 with the same names,
        numbers and negations), is not stored again: its record gains the new address. Safe while other processes add
        the same. A text whose publisher is denied is left out.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        drafts = draft(items, vectors, self._publisher_of, self._keep)
        with self._adding:
            with self._translated("read"):
                same = present(self._table, list(drafts.records))
            fresh = [record for key, record in drafts.records.items() if key not in same]
            stacked = self._vectors(fresh, drafts.vectors)
            with self._translated("write to"):
                near = twins(self._table, fresh, stacked, bool(self._upkeep.vector_indexes()))
                kept = [i for i, record in enumerate(fresh) if record.id not in near]
                insert(self._table, self.embedder, [fresh[i] for i in kept], stacked[kept])
                stored_as = near | {key: key for key in same}
                urls: dict[str, tuple[str, ...]] = {}
                for key, twin in stored_as.items():
                    urls[twin] = (*urls.get(twin, ()), *drafts.records[key].source_urls)
                add_urls(self._table, urls)
                outlast(self._table, stored_as, drafts.records)
                self._upkeep.wrote(len(kept))
        denied = drafts.ids.count("")
        ids = tuple(stored_as.get(key, key) for key in drafts.ids)
        new = tuple(fresh[i].id for i in kept)
        return AddReport(len(kept), len(items) - len(kept) - denied, ids, denied, new)

    def add_distinct(self, items: Sequence[NewEvidence], vectors: NDArray[np.float32] | None = None) -> int:
        """Store many texts of which it is known that no two say the same: no near duplicates are looked for.

        Returns how many were given, without those of denied publishers.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        drafts = draft(items, vectors, self._publisher_of)
        records = list(drafts.records.values())
        with self._adding, self._translated("write to"):
            insert(self._table, self.embedder, records, self._vectors(records, drafts.vectors))
            self._upkeep.wrote(len(records))
        return len(records)

    def _vectors(
        self, records: Sequence[EvidenceRecord], known: Mapping[str, NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """The records' vectors, shape (records, 384): those that are known, and the others made now."""
        unknown = [record for record in records if record.id not in known]
        made = dict(zip((record.id for record in unknown), self._embed([r.text for r in unknown]), strict=True))
        width = self._table.schema.field("vector").type.list_size
        rows = [known[record.id] if record.id in known else made[record.id] for record in records]
        return np.array(rows, dtype=np.float32).reshape(len(records), width)

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        boost: Boost | None = None,
        where: Filter | None = None,
        exact: bool = False,
        keep: Keep | None = None,
    ) -> list[Hit]:
        """The `limit` records nearest to a query: cosine and BM25 lists, fused by reciprocal rank.

        Popularity reorders the cosine list only, and by no more than `boost.ceiling`, so it never outranks relevance.
        A record all of whose publishers are denied is not among them; one that others report too is, in their name.

        Args:
            text: the query's words.
            vector: its unit vector, shape (384,).
            limit: how many records are wanted.
            boost: the weight of popularity.
            where: which records may be found at all; both lists keep to it.
            exact: compare with every vector, whether there is an index or not.
            keep: whether a record may be found, by its key; others take the places of those that may not.

        Raises:
            StoreError: the store cannot be read.
        """

        def ask(most: int) -> list[Hit]:
            return hybrid(self._table, text, vector, most, boost or Boost(), where, exact, keep)

        with self._translated("search"):
            check_embedder(self._table, self.embedder)
            return self._with_indexes(lambda: best_heard(ask, limit, self._publisher_of))

    def look_up(self, text: str, vector: NDArray[np.float32], limit: int) -> list[Hit]:
        """What `search` finds, for a person: most similar first, and a shorter list begins a longer one.

        Raises:
            StoreError: the store cannot be read.
        """
        return most_similar(lambda most: self.search(text, vector, most), limit)

    def nearest(
        self, vector: NDArray[np.float32], limit: int, where: Filter | None = None, exact: bool = False
    ) -> list[tuple[str, float]]:
        """Id and cosine of the `limit` records nearest to a unit vector, by meaning alone; `exact` as in `search`.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._translated("search"):
            check_embedder(self._table, self.embedder)
            found = self._with_indexes(lambda: nearest(self._table, vector, limit, where, exact))
            return [(hit.id, hit.similarity) for hit in found]

    def _with_indexes(self, ask: Callable[[], list[T]]) -> list[T]:
        """What `ask` finds; where a file of an index is missing or damaged, all indexes are made again first.

        An index holds nothing that the rows do not, so that it is no reason to call a store damaged.
        """
        try:
            return ask()
        except (OSError, RuntimeError, ValueError) as exc:
            if _INDEXES not in str(exc):
                raise
            _LOG.warning("an index of the evidence store is damaged and is made again: %s", reason(exc))
            if not self._upkeep.rebuild():
                raise
        return ask()

    def record_usage(self, usages: Sequence[Usage]) -> None:
        """Note that records were used; the counts are written every few seconds, and by `close`.

        Raises:
            StoreError: it was time to write, and the write failed.
        """
        if self._usage.note(usages):
            self._write_usage()

    def _write_usage(self) -> None:
        with self._translated("write to"):
            self._read.write()
            if self._usage.flush():
                self._upkeep.wrote(0)

    def close(self) -> None:
        """Write what is noted, and let the indexes catch up for a few seconds. The store can be used on.

        Raises:
            StoreError: the write failed.
        """
        self._write_usage()
        self._upkeep.finish(_LAST_UPKEEP)

    def optimize(self) -> None:
        """Make and refresh the indexes and compact, now, and return when it is done.

        Raises:
            StoreError: it could not be done; what is stored is as it was.
        """
        with self._translated("write to"):
            self._upkeep.run()

    def restore(self, records: Sequence[EvidenceRecord], vectors: NDArray[np.float32] | None = None) -> int:
        """Put records back as a backup holds them; one that is here already becomes what the backup says.

        Args:
            records: whole records, of which none shares its id with another.
            vectors: their unit vectors, shape (records, 384), where they are known.

        Returns:
            How many records are new.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        if not records:
            return 0
        made = self._embed([record.text for record in records]) if vectors is None else vectors
        rows = [record.to_row() | {"vector": vector} for record, vector in zip(records, made, strict=True)]
        with self._translated("write to"):
            check_embedder(self._table, self.embedder)
            table = pa.Table.from_pylist(rows, schema=self._table.schema)
            known = self._table.count_rows(any_of("id", [record.id for record in records]))
            merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.use_index(False).execute(table)
            self._upkeep.wrote(len(records))
        return len(records) - int(known)

    def staging(self) -> Staging:
        """An empty place beside the store, from which many texts go into it with one commit.

        Raises:
            StoreError: it cannot be made.
        """
        return Staging(
            Home(
                table=self._table,
                uri=self.uri,
                embedder=self.embedder,
                vectors=lambda records: self._vectors(records, {}),
                publisher_of=self._publisher_of,
                keep=self._keep,
                indexed=lambda: bool(self._upkeep.vector_indexes()),
                wrote=self._upkeep.wrote,
            )
        )

    def prolong(self, ids: Sequence[str]) -> None:
        """Let news records live as long again as if they were new: the page that they are from is still in the news.

        Raises:
            StoreError: the write failed.
        """
        if self._keep:
            with self._translated("write to"):
                prolong(self._table, ids, datetime.now(UTC) + self._keep)

    def pages_known(self) -> dict[str, list[str]]:
        """Canonical address of a page that was read for news -> ids of the records that it gave.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._translated("read"):
            return pages_known(self._table)

    def stats(self) -> Mapping[str, Any]:
        """Counts for people: records, by origin, type, collection; domains; version; size in bytes; the embedder."""
        with self._translated("read"):
            counted = counts(self._table)
        return {"uri": self.uri, **counted, "embedder": self.embedder}
