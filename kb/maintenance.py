"""Work on a store as a whole, for which no embedder is needed: open it as it is, compact it, delete it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, StoreError
from kb.journal import FOLDER
from kb.place import connect, is_folder
from kb.table import TABLE, translated
from kb.upkeep import Upkeep, UpkeepPolicy

if TYPE_CHECKING:
    from lancedb.table import Table


@dataclass(frozen=True, slots=True)
class Compaction:
    """A table before and after: bytes of its live data, files that hold it, and rows the word index lacks."""

    records: int
    bytes_before: int
    bytes_after: int
    files_before: int
    files_after: int
    indexed: int


def open_evidence(uri: str) -> Table:
    """The table of an existing store, whichever embedder filled it.

    Raises:
        StoreError: there is none, or it cannot be opened.
    """
    with translated("open", uri):
        if exists(uri):
            return connect(uri).open_table(TABLE)
    raise StoreError(f"there is no evidence store at {uri}")


def exists(uri: str, table: str = TABLE) -> bool:
    """Whether there is such a table; looking creates nothing, not even the folder.

    Raises:
        OSError, RuntimeError, ValueError: LanceDB's own, for whoever translates them.
    """
    return (not is_folder(uri) or Path(uri).is_dir()) and table in connect(uri).list_tables().tables


def optimize(uri: str) -> Compaction:
    """Gather the small files that many writes leave behind, index what is new, and drop versions older than a day.

    Versions that a check has read stay for longer, and so does all that came after the oldest of them.

    Raises:
        StoreError: there is no store, it cannot be written, or another process is compacting it.
    """
    table = open_evidence(uri)
    with translated("compact", uri):
        before, waiting = table.stats(), _unindexed(table)
        if not Upkeep(table, uri, UpkeepPolicy(keep_read_days=None)).run():
            raise StoreError(f"another process is compacting the store at {uri}; try again when it is done")
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
        The number of records it had, or None where it could not be read.

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
