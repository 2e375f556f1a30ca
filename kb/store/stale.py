"""Remove what a collection's source no longer says, keeping what someone relies on.

A passage is removed if the new version no longer has it, no verdict has cited it, it is not pinned, and no other known
address says it in the same words. What may not be removed is marked as changed, like a web page that no longer says
what was stored. This comes last, when everything new is in the store.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from kb.record import Standing, content_hash
from kb.store.indexes import drop_outgrown_index
from kb.store.sql import any_of, as_stored, quoted
from kb.store.table import open_evidence, translated

if TYPE_CHECKING:
    from lancedb.table import Table

_HEX = 16
"""Hexadecimal digits of a record's id that identify it: 64 bits, so a mistake only keeps a passage."""
_AT_ONCE = 5_000
_MAY_GO = "NOT pinned AND verification_count = 0 AND array_length(source_urls) <= 1"

Keys = NDArray[np.uint64]


def keys_of(texts: Iterator[str]) -> Keys:
    """Return the sorted keys of passages: 8 bytes each, so millions fit into memory."""
    found = array("Q", (int(content_hash(text)[:_HEX], 16) for text in texts))
    return np.unique(np.frombuffer(found, dtype=np.uint64)) if found else np.zeros(0, np.uint64)


def remove_stale(uri: str, collection: str, said: Keys) -> tuple[int, int]:
    """Remove the passages of a collection that are not among those `said`.

    Returns how many were removed, and how many may not be.

    Raises:
        InputError: more than twice as many would go as stay, as with a broken file; nothing was removed.
        StoreError: the store cannot be read or written; running it again goes on there.
    """
    table = open_evidence(uri)
    mine = f"collection = {quoted(collection)}"
    with translated("read", uri):
        stale, back = _compared(table, mine, said)
        rows, here = int(table.count_rows()), int(table.count_rows(mine)) - len(stale)
    if len(stale) > 2 * here:
        raise InputError(
            f"the new files have {here:,} passages of what the store has as {collection}, and not {len(stale):,} others; "
            "none was removed, since a broken file looks like that; if it is right, remove the pack and add it again"
        )
    removed, now = 0, as_stored(datetime.now(UTC))
    with translated("write to", uri):
        for some in _filters(stale):
            removed += int(table.delete(f"{some} AND {_MAY_GO}").num_deleted_rows)
            _mark(table, some, Standing.CHANGED, now)
        for some in _filters(back):
            _mark(table, some, Standing.AS_STORED, now)
        drop_outgrown_index(table, removed, rows)
    return removed, len(stale) - removed


def _compared(table: Table, mine: str, said: Keys) -> tuple[list[str], list[str]]:
    """Return the ids of passages no longer said, and of those said again."""
    stale: list[str] = []
    back: list[str] = []
    for batch in table.search().where(mine).select(["id", "standing"]).limit(None).to_batches():
        ids = batch["id"].to_pylist()
        keys = np.fromiter((int(key[:_HEX], 16) for key in ids), np.uint64, len(ids))
        at = np.searchsorted(said, keys)
        here = np.zeros(len(ids), bool)
        inside = at < len(said)
        here[inside] = said[at[inside]] == keys[inside]
        for key, standing, found in zip(ids, batch["standing"].to_pylist(), here.tolist(), strict=True):
            if not found:
                stale.append(key)
            elif standing != Standing.AS_STORED:
                back.append(key)
    return stale, back


def _filters(ids: Sequence[str]) -> Iterator[str]:
    return (any_of("id", ids[start : start + _AT_ONCE]) for start in range(0, len(ids), _AT_ONCE))


def _mark(table: Table, some: str, standing: Standing, now: str) -> None:
    """Note how passages compare; if nothing changes, no new store version is made."""
    where = f"{some} AND standing != {quoted(standing)}"
    if table.count_rows(where):
        table.update(where=where, values_sql={"standing": quoted(standing), "looked_at": now})
