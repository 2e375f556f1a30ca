"""How texts get into the table: drafted, compared with what is there, inserted once, with every address kept."""

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
from kb.credibility import PublisherOf
from kb.duplicates import SAME_TEXT, near_duplicate_of
from kb.neighbours import Neighbours
from kb.record import VECTOR_WIDTH, EvidenceRecord, NewEvidence, arrow_schema, make_record
from kb.sql import any_of, as_stored, moment, with_urls
from kb.table import check_embedder

if TYPE_CHECKING:
    from lancedb.table import Table

_IDS_AT_ONCE = 500
_READ_ALL_IDS = 2_000
"""From so many ids on, reading the whole column once is faster than asking for them in portions."""
_URLS_AT_ONCE = 200
_ROWS_PER_LOOKUP = 2_000
"""Looking one vector up in the index takes about as long as reading so many vectors in passing."""
_CANDIDATES = 3
_WORTH_A_WRITE = timedelta(days=1)
"""A record's time is lengthened when it gains at least so much: otherwise every check would write."""
_BATCH = 16_384

Candidate = tuple[str, str, float]
"""Id, text and cosine of a record that may say the same."""


@dataclass(frozen=True, slots=True)
class Drafts:
    """Texts that are to be stored, equal ones as one: records by id, their vectors where known, an id for each text."""

    records: Mapping[str, EvidenceRecord]
    vectors: Mapping[str, NDArray[np.float32]]
    ids: tuple[str, ...]


def draft(
    items: Sequence[NewEvidence],
    vectors: NDArray[np.float32] | None,
    publisher_of: PublisherOf,
    keep: timedelta | None = None,
) -> Drafts:
    """The records of new texts; a text that is given twice is one record with both addresses.

    Args:
        items: the texts.
        vectors: their unit vectors, where they are known already; shape (items, 384).
        publisher_of: who stands behind an address; a text of a denied publisher is no record, and its id is "".
        keep: how long news from the web lives.
    """
    records: dict[str, EvidenceRecord] = {}
    known: dict[str, NDArray[np.float32]] = {}
    ids = []
    for i, item in enumerate(items):
        if publisher_of(item.source).denied:
            ids.append("")
            continue
        record = make_record(item, publisher_of, keep)
        ids.append(record.id)
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
    return Drafts(records, known, tuple(ids))


def present(table: Table, ids: Sequence[str]) -> set[str]:
    """Those of the ids that the table holds."""
    if len(ids) < _READ_ALL_IDS:
        return {row["id"] for row in rows_with(table, ids, ["id"])}
    wanted = pa.array(ids)
    found: set[str] = set()
    for batch in table.search().select(["id"]).limit(None).to_batches():
        found.update(batch["id"].filter(pc.is_in(batch["id"], wanted)).to_pylist())
    return found


def rows_with(table: Table, ids: Sequence[str], columns: list[str]) -> Iterator[dict[str, Any]]:
    """The given columns of the rows with these ids, in no particular order."""
    for start in range(0, len(ids), _IDS_AT_ONCE):
        chunk = ids[start : start + _IDS_AT_ONCE]
        yield from table.search().where(any_of("id", chunk)).select(columns).limit(len(chunk)).to_list()


def twins(table: Table, fresh: Sequence[EvidenceRecord], vectors: NDArray[np.float32], indexed: bool) -> dict[str, str]:
    """New id -> id of the record, stored or earlier among the new, that says the same.

    Args:
        table: what is stored.
        fresh: records that are not stored in the same words.
        vectors: their unit vectors, shape (fresh, 384).
        indexed: whether the table has an index of its vectors.
    """
    if not fresh:
        return {}
    new = Neighbours(vectors, SAME_TEXT)
    few = indexed and len(fresh) * _ROWS_PER_LOOKUP < table.count_rows()
    stored = _looked_up(table, vectors) if few else _read_past(table, new)
    earlier = _among_themselves(new, vectors)
    found: dict[str, str] = {}
    for i in sorted(stored.keys() | earlier.keys()):
        candidates = sorted(stored.get(i, []), key=lambda candidate: -candidate[2])
        candidates += [
            (fresh[j].id, fresh[j].text, cosine) for j, cosine in earlier.get(i, []) if fresh[j].id not in found
        ]
        twin = near_duplicate_of(fresh[i].text, candidates)
        if twin:
            found[fresh[i].id] = twin
    return found


def _looked_up(table: Table, vectors: NDArray[np.float32]) -> dict[int, list[Candidate]]:
    """Row of `vectors` -> the stored records nearest to it, by the index."""
    query = table.search(vectors).distance_type("cosine").select(["id", "text", "_distance"]).limit(_CANDIDATES)
    found: dict[int, list[Candidate]] = {}
    for row in query.to_list():
        found.setdefault(row.get("query_index", 0), []).append((row["id"], row["text"], 1 - row["_distance"]))
    return found


def _read_past(table: Table, new: Neighbours) -> dict[int, list[Candidate]]:
    """Row among the new -> the stored records that lie close to it, by reading all stored vectors once."""
    found: dict[int, list[Candidate]] = {}
    for batch in table.search().select(["id", "text", "vector"]).limit(None).to_batches(_BATCH):
        stored = batch["vector"].flatten().to_numpy().reshape(-1, VECTOR_WIDTH)
        for rows, others, cosines in new.pairs(stored):
            for i, j, cosine in zip(rows.tolist(), others.tolist(), cosines.tolist(), strict=True):
                found.setdefault(i, []).append((batch["id"][j].as_py(), batch["text"][j].as_py(), cosine))
    return found


def _among_themselves(new: Neighbours, vectors: NDArray[np.float32]) -> dict[int, list[tuple[int, float]]]:
    """Row -> the earlier rows that lie close to it, in order."""
    found: dict[int, list[tuple[int, float]]] = {}
    for rows, others, cosines in new.pairs(vectors):
        before = others < rows
        for i, j, cosine in zip(*(part[before].tolist() for part in (rows, others, cosines)), strict=True):
            found.setdefault(i, []).append((j, cosine))
    return {i: sorted(pairs) for i, pairs in found.items()}


def add_urls(table: Table, urls: Mapping[str, Sequence[str]]) -> None:
    """Give stored records further addresses: a few writes for all of them, none for addresses that they have.

    What is added is an expression on the stored value, so that no address of another writer is lost.
    """
    known = {row["id"]: set(row["source_urls"]) for row in rows_with(table, list(urls), ["id", "source_urls"])}
    lacking = {key: new for key, have in known.items() if (new := [url for url in urls[key] if url not in have])}
    keys = list(lacking)
    for start in range(0, len(keys), _URLS_AT_ONCE):
        part = {key: lacking[key] for key in keys[start : start + _URLS_AT_ONCE]}
        table.update(where=any_of("id", list(part)), values_sql={"source_urls": with_urls(part)})


def _later(a: datetime | None, b: datetime | None) -> datetime | None:
    """The later of two ends; no end is the latest of all."""
    return None if a is None or b is None else max(a, b)


def outlast(table: Table, stored_as: Mapping[str, str], records: Mapping[str, EvidenceRecord]) -> None:
    """Let stored records live as long as the new texts that say the same would have: news that is told again stays.

    Nothing is written where nothing changes. What a user adds has no end, and makes a record of the web's stay as well.

    Args:
        table: where the records are stored.
        stored_as: id of a new text's record -> id of the stored record that says the same.
        records: the new texts' records, by id.
    """
    ends: dict[str, datetime | None] = {}
    for key, twin in stored_as.items():
        end = records[key].expires_at
        ends[twin] = _later(ends.get(twin, end), end)
    pinned = sorted({twin for key, twin in stored_as.items() if records[key].pinned})
    endless = sorted(twin for twin, end in ends.items() if end is None)
    dated = {twin: end for twin, end in ends.items() if end is not None}
    _update(table, pinned, "NOT pinned", {"pinned": "true"})
    _update(table, endless, "expires_at IS NOT NULL", {"expires_at": as_stored(None)})
    if dated:
        prolong(table, sorted(dated), min(dated.values()))  # made in one go: one end for all spares a write for each


def prolong(table: Table, ids: Sequence[str], end: datetime) -> None:
    """Let stored records that have an end live until then; those that end later, or never, stay as they are."""
    _update(table, ids, f"expires_at < {moment(end - _WORTH_A_WRITE)}", {"expires_at": as_stored(end)})


def _update(table: Table, ids: Sequence[str], where: str, values: Mapping[str, str]) -> None:
    """Update those of the rows for which the filter holds; without any, no new version of the store is made."""
    for start in range(0, len(ids), _IDS_AT_ONCE):
        bound = f"{any_of('id', ids[start : start + _IDS_AT_ONCE])} AND {where}"
        if table.count_rows(bound):
            table.update(where=bound, values_sql=dict(values))


def insert(table: Table, embedder: str, records: Sequence[EvidenceRecord], vectors: NDArray[np.float32]) -> None:
    """Store new records; where another process has stored one of them meanwhile, that one gains this one's addresses.

    The upsert uses no index: with one, two processes would both insert the same new row.
    """
    if not records:
        return
    check_embedder(table, embedder)
    rows = [record.to_row() | {"vector": vector} for record, vector in zip(records, vectors, strict=True)]
    batch = pa.Table.from_pylist(rows, schema=arrow_schema(embedder))
    done = table.merge_insert("id").when_not_matched_insert_all().use_index(False).execute(batch)
    try:
        check_embedder(table, embedder)
    except StoreError:  # it was embedded anew in this very moment: rows with vectors of the earlier model may not stay
        _take_back(table, dict(zip((record.id for record in records), vectors, strict=True)))
        raise
    if done.num_inserted_rows < len(records):
        add_urls(table, {record.id: record.source_urls for record in records})


def _take_back(table: Table, vectors: Mapping[str, NDArray[np.float32]]) -> None:
    """Delete the rows that have just these vectors; one that was embedded anew stays."""
    stored = rows_with(table, list(vectors), ["id", "vector"])
    ours = [row["id"] for row in stored if np.array_equal(np.asarray(row["vector"], np.float32), vectors[row["id"]])]
    for start in range(0, len(ours), _IDS_AT_ONCE):
        table.delete(any_of("id", ours[start : start + _IDS_AT_ONCE]))
