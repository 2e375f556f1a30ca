"""Write texts to the table: draft their records, insert them once, and keep every address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from errors import StoreError
from kb.publishers.credibility import PublisherOf
from kb.record import VECTOR_WIDTH, EvidenceRecord, NewEvidence, arrow_schema, is_retracted, make_record
from kb.store.sql import any_of, as_stored, filters_of, moment, quoted, with_urls
from kb.store.table import check_embedder

if TYPE_CHECKING:
    from lancedb.table import Table

    from kb.store.stored_hashes import StoredHashes

_READ_ALL_IDS = 2_000
"""From this many ids on, reading the whole column once is faster than asking for them in portions."""
_URLS_AT_ONCE = 200
_WORTH_A_WRITE = timedelta(days=1)
"""A time to live is extended only if it gains at least this much: otherwise every check would write."""


@dataclass(frozen=True, slots=True)
class AddReport:
    """The result of an `add`: new records, and texts that the store had already.

    The store had `merged` texts in other words or places. `ids` are those of the stored records, in the order of the
    texts; "" for the `denied` ones, whose publisher is blocked. `new` are those not stored before. `records` are the
    texts as records, in their own words and from their own source, in the same order; None for the `denied` ones.
    """

    added: int
    merged: int
    ids: tuple[str, ...]
    denied: int = 0
    new: tuple[str, ...] = ()
    records: tuple[EvidenceRecord | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Drafts:
    """Texts to be stored, equal ones as one.

    `records` by id, and their `vectors` where known; `made` is the record of each text by itself, in order, or None if
    its publisher is blocked.
    """

    records: Mapping[str, EvidenceRecord]
    vectors: Mapping[str, NDArray[np.float32]]
    made: tuple[EvidenceRecord | None, ...]

    @property
    def blocked(self) -> int:
        """How many texts come from blocked publishers."""
        return self.made.count(None)

    def urls(self, stored_as: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """Map ids of stored records to the addresses of the drafts that say the same.

        `stored_as`: id of a draft -> id of the stored record.
        """
        urls: dict[str, tuple[str, ...]] = {}
        for key, stored in stored_as.items():
            urls[stored] = (*urls.get(stored, ()), *self.records[key].source_urls)
        return urls


def draft(
    items: Sequence[NewEvidence],
    vectors: NDArray[np.float32] | None,
    publisher_of: PublisherOf,
    keep: timedelta | None = None,
) -> Drafts:
    """Make the records of new texts; equal texts become one record with all addresses.

    Args:
        items: the texts.
        vectors: their unit vectors, where they are known already; shape (items, 384).
        publisher_of: the publisher behind an address; no record is made of a blocked publisher's text.
        keep: time to live of news from the web.
    """
    records: dict[str, EvidenceRecord] = {}
    known: dict[str, NDArray[np.float32]] = {}
    made: list[EvidenceRecord | None] = []
    for i, item in enumerate(items):
        if publisher_of(item.source).denied:
            made.append(None)
            continue
        record = make_record(item, publisher_of, keep)
        made.append(record)
        if vectors is not None:
            known[record.id] = vectors[i]
        first = records.get(record.id, record)
        urls = tuple(dict.fromkeys((*first.source_urls, *record.source_urls)))
        records[record.id] = replace(
            first,
            source_urls=urls,
            pinned=first.pinned or record.pinned,
            expires_at=_later(first.expires_at, record.expires_at),
        )
    return Drafts(records, known, tuple(made))


def present(table: Table, ids: Sequence[str], hashes: StoredHashes | None = None) -> set[str]:
    """Return the ids that the table holds; hashes in memory spare reading all ids."""
    if hashes is not None and hashes.loaded and hashes.refresh():
        return hashes.present(ids)
    if len(ids) < _READ_ALL_IDS:
        return {row["id"] for row in rows_with(table, ids, ["id"])}
    wanted = pa.array(ids)
    found: set[str] = set()
    for batch in table.search().select(["id"]).limit(None).to_batches():
        found.update(batch["id"].filter(pc.is_in(batch["id"], wanted)).to_pylist())
    return found


def rows_with(table: Table, ids: Sequence[str], columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield these columns of the rows with these ids, in no particular order."""
    for some in filters_of(ids):
        yield from table.search().where(some).select(columns).limit(None).to_list()


def add_urls(table: Table, urls: Mapping[str, Sequence[str]]) -> None:
    """Give stored records more addresses: a few writes in all, none for addresses they have.

    An addition is an expression on the stored value, so no address of another writer is lost.
    """
    known = {row["id"]: set(row["source_urls"]) for row in rows_with(table, list(urls), ["id", "source_urls"])}
    lacking = {key: new for key, have in known.items() if (new := [url for url in urls[key] if url not in have])}
    keys = list(lacking)
    for start in range(0, len(keys), _URLS_AT_ONCE):
        part = {key: lacking[key] for key in keys[start : start + _URLS_AT_ONCE]}
        table.update(where=any_of("id", list(part)), values_sql={"source_urls": with_urls(part)})


def _later(a: datetime | None, b: datetime | None) -> datetime | None:
    """Return the later of two ends; no end is the latest of all."""
    return None if a is None or b is None else max(a, b)


def take_over(table: Table, stored_as: Mapping[str, str], records: Mapping[str, EvidenceRecord]) -> None:
    """Update stored records that new texts repeat: a longer life, and retractions.

    Nothing is written if nothing changes. What a user adds has no end, and makes a web record stay as well. Only the
    same work's record is marked as retracted.

    Args:
        table: where the records are stored.
        stored_as: id of a new text's record -> id of the stored record that says the same.
        records: the new texts' records, by id.
    """
    ends: dict[str, datetime | None] = {}
    for key, stored in stored_as.items():
        end = records[key].expires_at
        ends[stored] = _later(ends.get(stored, end), end)
    pinned = sorted({stored for key, stored in stored_as.items() if records[key].pinned})
    endless = sorted(stored for stored, end in ends.items() if end is None)
    dated = {stored: end for stored, end in ends.items() if end is not None}
    for key, stored in stored_as.items():
        new = records[key]
        if is_retracted(new.rating, new.origin):
            same = f"source = {quoted(new.source)} AND rating = ''"
            _update(table, [stored], same, {"rating": quoted(new.rating)})
    _update(table, pinned, "NOT pinned", {"pinned": "true"})
    _update(table, endless, "expires_at IS NOT NULL", {"expires_at": as_stored(None)})
    if dated:
        extend_to(table, sorted(dated), min(dated.values()))  # made together, so one end for all saves a write for each


def extend_to(table: Table, ids: Sequence[str], end: datetime) -> None:
    """Extend the time to live of records to `end`; later or missing ends stay."""
    _update(table, ids, f"expires_at < {moment(end - _WORTH_A_WRITE)}", {"expires_at": as_stored(end)})


def _update(table: Table, ids: Sequence[str], where: str, values: Mapping[str, str]) -> None:
    """Update the rows that the filter keeps; without any, no new store version is made."""
    for some in filters_of(ids):
        bound = f"{some} AND {where}"
        if table.count_rows(bound):
            table.update(where=bound, values_sql=dict(values))


def insert(
    table: Table,
    embedder: str,
    records: Sequence[EvidenceRecord],
    vectors: NDArray[np.float32],
    hashes: StoredHashes | None = None,
) -> None:
    """Store new records.

    If another process has stored one of them meanwhile, that one gains this one's addresses. The upsert uses no index:
    with one, two processes would both insert the same new row. `hashes` note what was stored.
    """
    if not records:
        return
    check_embedder(table, embedder)
    batch = _rows(records, vectors, arrow_schema(embedder))
    done = table.merge_insert("id").when_not_matched_insert_all().use_index(False).execute(batch)
    try:
        check_embedder(table, embedder)
    except StoreError:  # re-embedded just now: rows with vectors of the earlier model may not stay
        _take_back(table, dict(zip((record.id for record in records), vectors, strict=True)))
        raise
    if done.num_inserted_rows < len(records):
        add_urls(table, {record.id: record.source_urls for record in records})
    if hashes is not None:
        hashes.note([record.id for record in records], vectors)


def _rows(records: Sequence[EvidenceRecord], vectors: NDArray[np.float32], schema: pa.Schema) -> pa.Table:
    """Return records and their vectors as rows of the store."""
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, VECTOR_WIDTH)
    at = schema.get_field_index("vector")
    plain = pa.Table.from_pylist([record.to_row() for record in records], schema=schema.remove(at))
    return plain.add_column(at, schema.field(at), column)


def overwrite(table: Table, embedder: str, records: Sequence[EvidenceRecord], vectors: NDArray[np.float32]) -> int:
    """Store whole records, replacing those with the same ids; return how many are new."""
    check_embedder(table, embedder)
    known = table.count_rows(any_of("id", [record.id for record in records]))
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().use_index(False)
    merge.execute(_rows(records, vectors, table.schema))
    return len(records) - int(known)


def _take_back(table: Table, vectors: Mapping[str, NDArray[np.float32]]) -> None:
    """Delete the rows that have exactly these vectors; re-embedded ones stay."""
    stored = rows_with(table, list(vectors), ["id", "vector"])
    ours = [row["id"] for row in stored if np.array_equal(np.asarray(row["vector"], np.float32), vectors[row["id"]])]
    for some in filters_of(ours):
        table.delete(some)
