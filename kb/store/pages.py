"""Track the pages behind web records: which were read, and whether they still agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kb.publishers.urls import canonical_url, is_web_address
from kb.record import Origin, Standing
from kb.store.sql import any_of, as_stored, filters_of, moment, quoted
from kb.store.table import translated
from kb.store.write import rows_with

if TYPE_CHECKING:
    from lancedb.table import Table

_BATCH = 4_096
_COLUMNS = ["id", "source", "timestamp", "looked_at"]


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page, its texts by record id, and when it last contained them."""

    url: str
    texts: Mapping[str, str]
    seen: datetime


class Pages:
    """The pages behind one store's table."""

    def __init__(self, table: Table, uri: str) -> None:
        """`uri` is used in messages."""
        self._table, self._uri = table, uri

    def known(self) -> dict[str, list[str]]:
        """Return canonical address of each page read for news -> ids of its records.

        Pages that could not be read are left out.

        Raises:
            StoreError: the store cannot be read.
        """
        where = "collection = 'current' AND NOT extraction_failed"
        found: dict[str, list[str]] = {}
        with translated("read", self._uri):
            for batch in self._table.search().where(where).select(["id", "source_urls"]).limit(None).to_batches(_BATCH):
                for key, urls in zip(batch["id"].to_pylist(), batch["source_urls"].to_pylist(), strict=True):
                    for url in urls or ():
                        found.setdefault(url, []).append(key)
        return found

    def due(self, before: datetime, most: int) -> list[StoredPage]:
        """Return the pages that were checked longest ago, and before `before`.

        They are pages that checks and refreshes took text from. A fact-checker's markup is left out: its sentence is
        made here, and is on no page.

        Raises:
            StoreError: the store cannot be read.
        """
        web = any_of("origin", [Origin.WEB.value, Origin.FACT_CHECK.value])
        old = f"timestamp < {moment(before)} AND (looked_at IS NULL OR looked_at < {moment(before)})"
        where = f"{web} AND NOT extraction_failed AND rating = '' AND {old}"
        rows: dict[str, dict[str, datetime]] = {}  # by canonical address
        addresses: dict[str, str] = {}
        with translated("read", self._uri):
            for batch in self._table.search().where(where).select(_COLUMNS).limit(None).to_batches(_BATCH):
                for row in batch.to_pylist():
                    if is_web_address(row["source"]):
                        url = canonical_url(row["source"])
                        addresses.setdefault(url, row["source"])
                        rows.setdefault(url, {})[row["id"]] = row["looked_at"] or row["timestamp"]
            chosen = sorted(rows, key=lambda url: min(rows[url].values()))[:most]
            ids = [key for url in chosen for key in rows[url]]
            texts = {row["id"]: row["text"] for row in rows_with(self._table, ids, ["id", "text"])}
        return [
            StoredPage(addresses[url], {key: texts[key] for key in rows[url] if key in texts}, min(rows[url].values()))
            for url in chosen
        ]

    def mark(self, found: Mapping[str, Standing], now: datetime) -> None:
        """Note how records compare with their pages, by id; a record's words are never touched.

        Raises:
            StoreError: the write failed.
        """
        with translated("write to", self._uri):
            for standing in Standing:
                ids = [key for key, how in found.items() if how is standing]
                values = {"standing": quoted(standing), "looked_at": as_stored(now)}
                for some in filters_of(ids):
                    self._table.update(where=some, values_sql=values)
