"""Open, compact or delete a store as a whole, without an embedder."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, StoreError
from kb.intake.journal import FOLDER
from kb.store.indexes import Upkeep
from kb.store.place import connect, is_folder
from kb.store.policy import UpkeepPolicy
from kb.store.table import TABLE, exists, open_evidence, translated

if TYPE_CHECKING:
    from lancedb.table import Table


_WAIT = 60.0
"""Seconds to wait while another process compacts: often one that has just written and is done in a few."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """A table before and after: live bytes, files, and rows the word index lacks."""

    records: int
    bytes_before: int
    bytes_after: int
    files_before: int
    files_after: int
    indexed: int


def optimize(uri: str, wait: float = _WAIT) -> Compaction:
    """Merge small files of many writes, index new rows, drop versions older than a day.

    Versions that a check has read stay longer, and so does all after the oldest of them. If another thread or process
    is compacting the store, this waits `wait` seconds for its end.

    Raises:
        StoreError: there is no store, it cannot be written, or another has been compacting it for all that time.
    """
    table = open_evidence(uri)
    with translated("compact", uri):
        before, waiting = table.stats(), _unindexed(table)
        if not Upkeep(table, uri, UpkeepPolicy(keep_read_days=None)).run(wait):
            raise StoreError(
                f"another process has been compacting the store at {uri} for {wait:g} s; try again when it is done"
            )
        after = table.stats()
        return Compaction(
            int(after["num_rows"]),
            int(before["total_bytes"]),
            int(after["total_bytes"]),
            int(before["fragment_stats"]["num_fragments"]),
            int(after["fragment_stats"]["num_fragments"]),
            waiting - _unindexed(table),
        )


def _unindexed(table: Table) -> int:
    try:
        stats = [table.index_stats(index.name) for index in table.list_indices()]
    except (OSError, RuntimeError, ValueError):
        return int(table.count_rows())  # an index that cannot be read holds nothing
    return sum(int(found.num_unindexed_rows) for found in stats if found)


def reset(uri: str, confirmed: bool) -> int | None:
    """Delete the evidence table and the journals of imports; labelled claims stay.

    A table that is damaged can be deleted too.

    Returns:
        The number of records it had, or None if it could not be read.

    Raises:
        InputError: not confirmed.
        StoreError: there is no store, or it cannot be deleted.
    """
    if not confirmed:
        raise InputError(f"reset deletes all evidence in {uri}, and what it learnt; add --yes if that is meant")
    with translated("delete", uri):
        if not exists(uri):
            raise StoreError(f"there is no evidence store at {uri}")
        db = connect(uri)
        try:
            count = int(db.open_table(TABLE).count_rows())
        except (OSError, RuntimeError, ValueError):
            count = None
        db.drop_table(TABLE)
        if is_folder(uri):
            shutil.rmtree(Path(uri) / FOLDER, ignore_errors=True)
    return count
