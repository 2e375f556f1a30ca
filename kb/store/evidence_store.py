"""The evidence store: a LanceDB table that several processes may read and write at once.

The library's real behaviour decides three things here. The primary key is declared when the table is created and
upserts never use a scalar index, because any other combination lets two processes insert the same new row twice. A key
is the hash of the text, so adding is idempotent. A table that is listed but cannot be opened is damaged, and is never
created again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errors import StoreError
from kb.publishers.credibility import PublisherOf, publisher_of
from kb.record import ID_LENGTH, EvidenceRecord, NewEvidence, content_hash
from kb.store.find import TableReader, Vector
from kb.store.fusion import Boost, Hit, Keep, most_similar
from kb.store.indexes import Need, Upkeep
from kb.store.near_duplicates import find_near_duplicates
from kb.store.pages import Pages
from kb.store.place import is_server
from kb.store.policy import UpkeepPolicy
from kb.store.staging import Home, Staging
from kb.store.statistics import counts
from kb.store.stored_hashes import StoredHashes
from kb.store.table import TABLE, check_embedder, open_or_create, translated
from kb.store.tags import ReadVersions
from kb.store.usage import Usage, UsageBuffer
from kb.store.versions import StoreAsOf, StoreVersion, list_versions, resolve
from kb.store.write import AddReport, add_urls, draft, extend_to, insert, overwrite, present, take_over

__all__ = ["TABLE", "AddReport", "Embed", "EvidenceStore"]

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> unit vectors of shape (texts, 384)."""

_LOG = logging.getLogger(__name__)
_INDEXES = "_indices"
"""The folder of a table's indexes: the library's errors name the file that it cannot read."""
_LAST_UPKEEP, _UPKEEP_WAIT = 10.0, 600.0
"""Seconds that `close` waits for the indexes, and `optimize` for another thread or process working on them."""


class EvidenceStore(TableReader):
    """An open store, thread-safe. Without `close`, up to 5 s of usage counts are lost."""

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
            publisher_of: the publisher behind an address; texts of blocked publishers are neither stored nor found.
            policy: when indexes are made and refreshed.
            keep: time to live of news from the web; without it, for ever.

        Raises:
            StoreError: the place cannot be written, the store is damaged, or another embedder filled it.
        """
        super().__init__(open_or_create(uri, embedder), uri, publisher_of)
        self.embedder, self._embed, self._keep = embedder, embed, keep
        self._adding = threading.Lock()
        self._hashes = None if is_server(uri) else StoredHashes(self._table)
        policy = policy or UpkeepPolicy()
        self._upkeep = Upkeep(self._table, uri, policy)
        self._read = ReadVersions(self._table, policy.keep_read_days or 0)
        self._usage = UsageBuffer(lambda where, values: self._table.update(where=where, values_sql=dict(values)))

    def versions(self) -> list[StoreVersion]:
        """Return the readable versions, oldest first; listing a thousand takes about a second."""
        with translated("read", self.uri):
            return list_versions(self._table)

    def as_of(self, asked: str) -> StoreAsOf:
        """Return the store as of a version number, ISO date or UTC time; see `versions.resolve`.

        Raises:
            InputError: there is no such version, or it is no longer kept.
            StoreError: the store cannot be read.
        """
        return StoreAsOf(self.uri, resolve(asked, self.versions()), self.embedder, self._publisher_of)

    def protect(self, version: int) -> None:
        """Keep this version for a while, since a check read it; written with the usage."""
        self._read.note(version)

    def missing(self, items: Sequence[NewEvidence]) -> list[NewEvidence]:
        """Return the texts that the store does not hold in the same words."""
        keys = [content_hash(item.text)[:ID_LENGTH] for item in items]
        with translated("read", self.uri):
            known = present(self._table, keys)
        return [item for item, key in zip(items, keys, strict=True) if key not in known]

    def add(self, items: Sequence[NewEvidence], vectors: NDArray[np.float32] | None = None) -> AddReport:
        """Store texts with everything known about their sources; known `vectors` save the embedding.

        A text that is here already, in the same words or in nearly the same (cosine >= 0.98 with the same names,
        numbers and negations), is not stored again: its record gains the new address. Safe while other processes add
        the same. A text whose publisher is blocked is left out.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        drafts = draft(items, vectors, self._publisher_of, self._keep)
        with self._adding:
            with translated("read", self.uri):
                same = present(self._table, list(drafts.records), self._hashes)
            fresh = [record for key, record in drafts.records.items() if key not in same]
            stacked = self._vectors(fresh, drafts.vectors)
            with translated("write to", self.uri):
                indexed = bool(self._upkeep.vector_indexes())
                near = find_near_duplicates(self._table, fresh, stacked, indexed, self._hashes)
                kept = [i for i, record in enumerate(fresh) if record.id not in near]
                insert(self._table, self.embedder, [fresh[i] for i in kept], stacked[kept], self._hashes)
                stored_as = near | {key: key for key in same}
                add_urls(self._table, drafts.urls(stored_as))
                take_over(self._table, stored_as, drafts.records)
                self._upkeep.wrote(len(kept))
        return AddReport(
            added=len(kept),
            merged=len(items) - len(kept) - drafts.blocked,
            ids=tuple(stored_as.get(made.id, made.id) if made else "" for made in drafts.made),
            denied=drafts.blocked,
            new=tuple(fresh[i].id for i in kept),
            records=drafts.made,
        )

    def add_distinct(self, items: Sequence[NewEvidence], vectors: NDArray[np.float32] | None = None) -> int:
        """Store many texts known to be distinct, without a near-duplicate search.

        Returns how many were given, without those of blocked publishers.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        drafts = draft(items, vectors, self._publisher_of)
        records = list(drafts.records.values())
        with self._adding, translated("write to", self.uri):
            insert(self._table, self.embedder, records, self._vectors(records, drafts.vectors), self._hashes)
            self._upkeep.wrote(len(records))
        return len(records)

    def _vectors(
        self, records: Sequence[EvidenceRecord], known: Mapping[str, NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return the records' vectors, shape (records, 384): known ones, and the others made now."""
        unknown = [record for record in records if record.id not in known]
        made = dict(zip((record.id for record in unknown), self._embed([r.text for r in unknown]), strict=True))
        width = self._table.schema.field("vector").type.list_size
        rows = [known[record.id] if record.id in known else made[record.id] for record in records]
        return np.array(rows, dtype=np.float32).reshape(len(records), width)

    def search(
        self, text: str, vector: Vector, limit: int, boost: Boost | None = None, keep: Keep | None = None
    ) -> list[Hit]:
        """Find the `limit` records nearest to a query; see `TableReader.search`.

        If an index file is missing or damaged, all indexes are made again first: an index holds nothing that the rows
        do not, so it is no reason to call a store damaged.

        Raises:
            StoreError: the store cannot be read, or another embedder filled it meanwhile.
        """
        with translated("search", self.uri):
            check_embedder(self._table, self.embedder)
        try:
            return super().search(text, vector, limit, boost, keep)
        except StoreError as exc:
            if _INDEXES not in str(exc.__cause__):
                raise
            _LOG.warning("an index of the evidence store is damaged and is made again: %s", exc)
            with translated("search", self.uri):
                if not self._upkeep.rebuild():
                    raise
        return super().search(text, vector, limit, boost, keep)

    def look_up(self, text: str, vector: NDArray[np.float32], limit: int) -> list[Hit]:
        """Return what `search` finds, for a person: most similar first; shorter lists begin longer ones.

        Raises:
            StoreError: the store cannot be read.
        """
        return most_similar(lambda most: self.search(text, vector, most), limit)

    def record_usage(self, usages: Sequence[Usage]) -> None:
        """Note that records were used; counts are written every few seconds, and by `close`.

        Raises:
            StoreError: it was time to write, and the write failed.
        """
        if self._usage.note(usages):
            self._write_usage()

    def _write_usage(self) -> None:
        with translated("write to", self.uri):
            self._read.write()
            if self._usage.flush():
                self._upkeep.wrote(0)

    def close(self) -> None:
        """Write what is noted, and give indexes a few seconds. Stays usable. Raises StoreError."""
        self._write_usage()
        self._upkeep.finish(_LAST_UPKEEP)

    def is_behind(self) -> bool:
        """Return whether unindexed records or overfull index cells make every search slower."""
        with translated("read", self.uri):
            return self._upkeep.need(at_rest=True) is not Need.NONE

    def in_parts(self) -> AbstractContextManager[None]:
        """Postpone non-urgent index work while many parts are written; call `optimize` at the end."""
        return self._upkeep.held()

    def optimize(self) -> None:
        """Make and refresh the indexes and compact, and return when it is done.

        Raises:
            StoreError: it failed, or another process worked on it for ten minutes; what is stored is unchanged.
        """
        with translated("write to", self.uri):
            if not self._upkeep.run(_UPKEEP_WAIT, at_rest=True):
                raise RuntimeError(f"another process was compacting it for {_UPKEEP_WAIT:.0f} s")

    def restore(self, records: Sequence[EvidenceRecord], vectors: NDArray[np.float32] | None = None) -> int:
        """Restore records from a backup; an existing record becomes what the backup says.

        Args:
            records: whole records, each with a different id.
            vectors: their unit vectors, shape (records, 384), where they are known.

        Returns:
            How many records are new.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        if not records:
            return 0
        made = self._embed([record.text for record in records]) if vectors is None else vectors
        with translated("write to", self.uri):
            new = overwrite(self._table, self.embedder, records, made)
            self._upkeep.wrote(len(records))
        return new

    def staging(self) -> Staging:
        """Open an empty staging table, from which many texts enter the store with one commit.

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

    def renew(self, ids: Sequence[str]) -> None:
        """Renew the time to live of news records whose page is still in the news.

        Raises:
            StoreError: the write failed.
        """
        if self._keep:
            with translated("write to", self.uri):
                extend_to(self._table, ids, datetime.now(UTC) + self._keep)

    @property
    def pages(self) -> Pages:
        """The pages behind web records."""
        return Pages(self._table, self.uri)

    def stats(self) -> Mapping[str, Any]:
        """Return figures for people: records by origin, type, collection; domains; version; bytes; embedder."""
        with translated("read", self.uri):
            counted = counts(self._table)
        return {"uri": self.uri, **counted, "embedder": self.embedder}
