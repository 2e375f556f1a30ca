"""The evidence store: a LanceDB table that several processes may read and write at once.

How the library really behaves decides three things here. The primary key is declared when the table is created and
upserts never use a scalar index, because any other combination lets two processes insert the same new row twice. A
key is the hash of the text, so adding is idempotent. A table that is listed but cannot be opened is damaged, and is
never created anew.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from errors import StoreError
from kb.credibility import PublisherOf, publisher_of
from kb.duplicates import SAME_TEXT, near_duplicate_of
from kb.fusion import Boost, Hit, fuse, heard
from kb.record import ID_LENGTH, EvidenceRecord, NewEvidence, arrow_schema, content_hash, make_record
from kb.sql import any_of, quoted
from kb.usage import Usage, UsageBuffer

if TYPE_CHECKING:
    from lancedb.table import Table

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> unit vectors of shape (texts, 384)."""

TABLE = "evidence"
_WIDER = 4
"""So many times as many records are looked through where some are denied."""
_MANY_FRAGMENTS, _MANY_UNINDEXED = 100, 2_000
_RUST_SOURCE = re.compile(r",?\s*\S+\.rs:\d+:\d+")


@dataclass(frozen=True, slots=True)
class AddReport:
    """What became of the texts given to `add`: new records, and texts that the store already had in other words or places.

    `ids` are the records of the texts, in order; "" for the `denied` ones, whose publisher the user will not hear.
    """

    added: int
    merged: int
    ids: tuple[str, ...]
    denied: int = 0


class EvidenceStore:
    """An open store, safe to share between threads. Call `close` at the end, or up to 5 s of usage counts are lost."""

    def __init__(self, uri: str, embed: Embed, embedder: str, publisher_of: PublisherOf = publisher_of) -> None:
        """Open the store at `uri`, or create it there.

        Args:
            uri: a folder, or any address that LanceDB opens.
            embed: makes the vectors of new records.
            embedder: checksum of the model behind `embed`; vectors of two models never mix.
            publisher_of: who stands behind an address; what a denied publisher says is neither stored nor found.

        Raises:
            StoreError: the place cannot be written, the store is damaged, or another embedder filled it.
        """
        os.environ.setdefault("LANCEDB_LOG", "error")  # it warns about its own projections on standard output otherwise
        self.uri, self.embedder = uri, embedder
        self._embed, self._publisher_of = embed, publisher_of
        self._adding = threading.Lock()
        with self._translated("open"):
            import lancedb

            self._db = lancedb.connect(uri, read_consistency_interval=timedelta(0))
            self._table = self._open_or_create()
        self._usage = UsageBuffer(lambda where, values: self._table.update(where=where, values_sql=dict(values)))
        found = (self._table.schema.metadata or {}).get(b"embedder", b"").decode()
        if found != embedder:
            raise StoreError(
                f"the store at {uri} was filled by another embedder ({found[:12]}, not {embedder[:12]}); run: python -m kb reembed --kb {uri}"
            )

    def _open_or_create(self) -> Table:
        from lancedb.index import FTS

        if TABLE in self._db.list_tables().tables:
            return self._db.open_table(TABLE)
        try:
            table = self._db.create_table(TABLE, schema=arrow_schema(self.embedder))
            table.create_index("text", config=FTS())
        except (ValueError, RuntimeError, OSError):
            if TABLE not in self._db.list_tables().tables:
                raise
            return self._db.open_table(TABLE)  # another process created it at the same moment
        return table

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        """Turn what LanceDB raises into a StoreError that says what to do."""
        try:
            yield
        except (OSError, RuntimeError, ValueError) as exc:
            reason = _RUST_SOURCE.sub("", " ".join(str(exc).split()))[:300]
            if "No space left" in reason:
                fix = "free some disk space; nothing stored was lost"
            elif isinstance(exc, OSError):
                fix = "choose a folder that can be written, with --kb or VERIFIER_KB_URI"
            else:
                fix = "if this stays, the store is damaged: move that folder aside (nothing is deleted) or restore a copy, then start again"
            raise StoreError(f"cannot {doing} the evidence store at {self.uri}: {reason}; {fix}") from exc

    def count(self) -> int:
        """Number of records."""
        with self._translated("read"):
            return int(self._table.count_rows())

    @property
    def version(self) -> int:
        """The store's version: it rises with every write of any process."""
        with self._translated("read"):
            return int(self._table.version)

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
            known = {row["id"] for row in self._rows_with_ids(keys)}
        return [item for item, key in zip(items, keys, strict=True) if key not in known]

    def add(self, items: Sequence[NewEvidence], vectors: NDArray[np.float32] | None = None) -> AddReport:
        """Store texts with everything known about their sources; `vectors`, where they are known already, spares embedding.

        A text that is here already, in the same words or in nearly the same (cosine >= 0.98 with the same names,
        numbers and negations), is not stored again: its record gains the new address. Safe while other processes add
        the same. A text whose publisher is denied is left out.

        Raises:
            StoreError: the write failed; what had been stored before is untouched.
        """
        drafts: dict[str, EvidenceRecord] = {}
        known_vectors: dict[str, NDArray[np.float32]] = {}
        ids = []
        for i, item in enumerate(items):
            if self._publisher_of(item.source).denied:
                ids.append("")
                continue
            record = make_record(item, self._publisher_of)
            ids.append(record.id)
            if vectors is not None:
                known_vectors[record.id] = vectors[i]
            known = drafts.get(record.id)
            urls = tuple(dict.fromkeys((*known.source_urls, *record.source_urls))) if known else record.source_urls
            drafts[record.id] = replace(known or record, source_urls=urls)
        with self._adding, self._translated("write to"):
            same = {row["id"]: row["id"] for row in self._rows_with_ids(list(drafts))}
            fresh = [record for record in drafts.values() if record.id not in same]
            made = self._embed([record.text for record in fresh if record.id not in known_vectors])
            known_vectors |= {
                record.id: row
                for record, row in zip((r for r in fresh if r.id not in known_vectors), made, strict=True)
            }
            stacked = np.array([known_vectors[record.id] for record in fresh], dtype=np.float32)
            near = self._near_duplicates(fresh, stacked)
            kept = [i for i, record in enumerate(fresh) if record.id not in near]
            for record_id, twin in (same | near).items():
                self._add_urls(twin, drafts[record_id].source_urls)
            self._insert([fresh[i] for i in kept], stacked[kept] if kept else stacked)
        denied = ids.count("")
        return AddReport(
            len(kept), len(items) - len(kept) - denied, tuple((same | near).get(i, i) for i in ids), denied
        )

    def _rows_with_ids(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for start in range(0, len(ids), 500):
            chunk = ids[start : start + 500]
            rows += self._table.search().where(any_of("id", chunk)).select(["id"]).limit(len(chunk)).to_list()
        return rows

    def _near_duplicates(self, fresh: Sequence[EvidenceRecord], vectors: NDArray[np.float32]) -> dict[str, str]:
        """New id -> id of the record, stored or earlier in this batch, that says the same."""
        if not fresh:
            return {}
        query = self._table.search(vectors).distance_type("cosine").select(["id", "text", "_distance"]).limit(3)
        stored: dict[int, list[dict[str, Any]]] = {}
        for row in query.to_list():
            stored.setdefault(row.get("query_index", 0), []).append(row)
        found: dict[str, str] = {}
        for i, record in enumerate(fresh):
            candidates = [(row["id"], row["text"], 1 - row["_distance"]) for row in stored.get(i, [])]
            likeness = vectors[:i] @ vectors[i]
            earlier = [j for j in np.flatnonzero(likeness >= SAME_TEXT).tolist() if fresh[j].id not in found]
            candidates += [(fresh[j].id, fresh[j].text, float(likeness[j])) for j in earlier]
            twin = near_duplicate_of(record.text, candidates)
            if twin:
                found[record.id] = twin
        return found

    def _add_urls(self, record_id: str, urls: Sequence[str]) -> None:
        for url in urls:
            literal = quoted(url)
            self._table.update(
                where=f"id = {quoted(record_id)} AND NOT array_has(source_urls, {literal})",
                values_sql={"source_urls": f"array_append(source_urls, {literal})"},
            )

    def _insert(self, records: Sequence[EvidenceRecord], vectors: NDArray[np.float32]) -> None:
        if not records:
            return
        rows = [record.to_row() | {"vector": vector} for record, vector in zip(records, vectors, strict=True)]
        table = pa.Table.from_pylist(rows, schema=arrow_schema(self.embedder))
        self._table.merge_insert("id").when_not_matched_insert_all().use_index(False).execute(table)

    def search(self, text: str, vector: NDArray[np.float32], limit: int, boost: Boost | None = None) -> list[Hit]:
        """The `limit` records nearest to a query: cosine and BM25 lists, fused by reciprocal rank.

        Popularity reorders the cosine list only, and by no more than `boost.ceiling`, so it never outranks relevance.
        A record all of whose publishers are denied is not among them; one that others report too is, in their name.

        Raises:
            StoreError: the store cannot be read.
        """
        found = self._nearest(text, vector, limit, boost)
        kept = heard(found, self._publisher_of)
        if len(kept) < len(found):  # what is left out makes room
            kept = heard(self._nearest(text, vector, _WIDER * limit, boost), self._publisher_of)
        return kept[:limit]

    def _nearest(self, text: str, vector: NDArray[np.float32], limit: int, boost: Boost | None) -> list[Hit]:
        from lancedb.query import MatchQuery

        with self._translated("search"):
            by_meaning = self._table.search(vector).distance_type("cosine").limit(2 * limit).to_arrow()
            by_words = self._table.search(MatchQuery(text, "text"), query_type="fts").limit(limit).to_arrow()
        return fuse(by_meaning, by_words, vector, limit, boost or Boost())

    def record_usage(self, usages: Sequence[Usage]) -> None:
        """Note that records were used; the counts are written every few seconds, and by `close`.

        Raises:
            StoreError: it was time to write, and the write failed.
        """
        if self._usage.note(usages):
            self.close()

    def close(self) -> None:
        """Write what is noted. The store can be used on; call it at the end of a process.

        Raises:
            StoreError: the write failed.
        """
        with self._translated("write to"):
            if self._usage.flush():
                self._tidy()

    def _tidy(self) -> None:
        """Compact and index when enough small writes have piled up. Another process doing the same is no error."""
        stats = self._table.stats()
        index = self._table.index_stats("text_idx")
        if stats["fragment_stats"]["num_small_fragments"] > _MANY_FRAGMENTS or (
            index and index.num_unindexed_rows > _MANY_UNINDEXED
        ):
            try:
                self._table.optimize()
            except RuntimeError as exc:
                if "conflict" not in str(exc).lower():
                    raise

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
            table = pa.Table.from_pylist(rows, schema=self._table.schema)
            known = self._table.count_rows(any_of("id", [record.id for record in records]))
            merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.use_index(False).execute(table)
        return len(records) - int(known)

    def stats(self) -> Mapping[str, Any]:
        """Counts for people: records, by origin, type, collection; domains; version; size in bytes; the embedder."""
        with self._translated("read"):
            columns = (
                self._table.search().select(["origin", "source_type", "collection", "domain"]).limit(None).to_arrow()
            )
            size = self._table.stats()["total_bytes"]
        counted = {
            name: dict(sorted(pa_counts(columns[name]).items())) for name in ("origin", "source_type", "collection")
        }
        domains = pa_counts(columns["domain"])
        return {
            "uri": self.uri,
            "records": columns.num_rows,
            **counted,
            "domains": len(domains),
            "top_domains": dict(sorted(domains.items(), key=lambda item: -item[1])[:10]),
            "version": self.version,
            "bytes": size,
            "embedder": self.embedder,
        }


def pa_counts(column: pa.ChunkedArray) -> dict[str, int]:
    """Value -> how often it stands in the column."""
    return {row["values"]: row["counts"] for row in column.value_counts().to_pylist()}
