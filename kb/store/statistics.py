"""Describe the store to its owner: growth, origins, and the user's own records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from kb.record import EvidenceRecord, Origin
from kb.store.sql import any_of, quoted
from kb.store.table import open_evidence, translated

if TYPE_CHECKING:
    from lancedb.table import Table

TOP_DOMAINS = 10


def counts(table: Table) -> dict[str, Any]:
    """Count records by origin, type, collection and domain; add version and bytes, for people."""
    columns = table.search().select(["origin", "source_type", "collection", "domain"]).limit(None).to_arrow()
    by = {name: dict(sorted(_tally(columns[name]).items())) for name in ("origin", "source_type", "collection")}
    domains = _tally(columns["domain"])
    return {
        "records": columns.num_rows,
        **by,
        "domains": len(domains),
        "top_domains": dict(sorted(domains.items(), key=lambda item: -item[1])[:TOP_DOMAINS]),
        "version": int(table.version),
        "bytes": table.stats()["total_bytes"],
    }


@dataclass(frozen=True, slots=True)
class Count:
    """How many records have a value."""

    name: str
    records: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A store in figures.

    `days` are those on which records were added, in order (UTC); the others are sorted from many to few.
    """

    records: int
    bytes: int
    days: tuple[tuple[date, int], ...]
    origins: tuple[Count, ...]
    source_types: tuple[Count, ...]
    domains: tuple[Count, ...]
    """The ten domains with most records; records without a web address do not count."""


def overview(uri: str) -> Overview:
    """Return the figures of the store at `uri`.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    table = open_evidence(uri)
    with translated("read", uri):
        names = ["origin", "source_type", "domain", "timestamp"]
        columns = table.search().select(names).limit(None).to_arrow()
        size = int(table.stats()["total_bytes"])
    days = pc.value_counts(columns["timestamp"].cast(pa.date32())).to_pylist()
    domains = [count for count in _counts(columns["domain"]) if count.name]
    return Overview(
        columns.num_rows,
        size,
        tuple(sorted((row["values"], row["counts"]) for row in days)),
        tuple(_counts(columns["origin"])),
        tuple(_counts(columns["source_type"])),
        tuple(domains[:TOP_DOMAINS]),
    )


def _counts(column: pa.ChunkedArray) -> list[Count]:
    found = [Count(str(name), int(records)) for name, records in _tally(column).items()]
    return sorted(found, key=lambda count: (-count.records, count.name))


def _tally(column: pa.ChunkedArray) -> dict[str, int]:
    """Return value -> how often it is in the column."""
    return {row["values"]: row["counts"] for row in column.value_counts().to_pylist()}


def own_records(uri: str, limit: int) -> list[EvidenceRecord]:
    """Return the records that the user added, newest first, at most `limit`.

    Raises:
        StoreError: the store cannot be read.
    """
    table = open_evidence(uri)
    mine = f"origin = {quoted(Origin.USER.value)}"
    with translated("read", uri):
        times = table.search().where(mine).select(["id", "timestamp"]).limit(None).to_arrow()
        newest = times.sort_by([("timestamp", "descending"), ("id", "ascending")])["id"].to_pylist()[:limit]
        found = table.search().where(any_of("id", newest)).limit(len(newest)).to_list() if newest else []
    rows = {row["id"]: row for row in found}
    return [EvidenceRecord.from_row(rows[key]) for key in newest if key in rows]


def found_records(uri: str, ids: Sequence[str]) -> list[EvidenceRecord]:
    """Return those records of `ids` that came from searches, in that order.

    Removed records and those of other origins are left out.

    Raises:
        StoreError: the store cannot be read.
    """
    if not ids:
        return []
    table = open_evidence(uri)
    with translated("read", uri):
        rows = table.search().where(_found(ids)).limit(len(ids)).to_list()
    found = {row["id"]: row for row in rows}
    return [EvidenceRecord.from_row(found[key]) for key in dict.fromkeys(ids) if key in found]


def remove_found(uri: str, ids: Sequence[str]) -> int:
    """Delete those records of `ids` that came from searches; return how many there were.

    Records of any other origin stay.

    Raises:
        StoreError: the store cannot be written.
    """
    if not ids:
        return 0
    table = open_evidence(uri)
    with translated("write to", uri):
        there = int(table.count_rows(_found(ids)))
        if there:
            table.delete(_found(ids))
    return there


def _found(ids: Sequence[str]) -> str:
    brought = " OR ".join(f"origin = {quoted(origin.value)}" for origin in (Origin.WEB, Origin.FACT_CHECK))
    return f"{any_of('id', list(ids))} AND ({brought})"


def remove_own(uri: str, record_id: str) -> bool:
    """Delete a record that the user added; return whether there was one.

    Records of any other origin stay.

    Raises:
        StoreError: the store cannot be written.
    """
    table = open_evidence(uri)
    where = f"id = {quoted(record_id)} AND origin = {quoted(Origin.USER.value)}"
    with translated("write to", uri):
        there = bool(table.count_rows(where))
        if there:
            table.delete(where)
    return there
