"""List the packs in a store, switch one off or on for checks, remove one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from errors import InputError
from kb.intake.journal import Journal
from kb.intake.pack_files import WHOLE, Pack
from kb.record import PACK
from kb.store.indexes import drop_outgrown_index
from kb.store.left_out import leave_out, left_out
from kb.store.sql import quoted
from kb.store.table import exists, open_evidence, translated


@dataclass(frozen=True, slots=True)
class HeldPack:
    """A pack in the store: its passages, and whether it is left out of checks."""

    name: str
    passages: int
    off: bool = False


def held_packs(uri: str) -> tuple[HeldPack, ...]:
    """List the packs in the store, by name; none if there is no store.

    Raises:
        StoreError: it cannot be read.
    """
    with translated("open", uri):
        if not exists(uri):
            return ()
    table = open_evidence(uri)
    found: Counter[str] = Counter()
    with translated("read", uri):
        query = table.search().where(f"collection LIKE {quoted(PACK + '%')}").select(["collection"]).limit(None)
        for batch in query.to_batches():
            for entry in batch["collection"].value_counts().to_pylist():
                found[entry["values"].removeprefix(PACK)] += int(entry["counts"])
        off = left_out(table)
    return tuple(HeldPack(name, count, name in off) for name, count in sorted(found.items()))


def switch_pack(uri: str, name: str, off: bool) -> bool:
    """Leave a pack out of checks and searches, or include it again.

    Returns whether anything changed.

    Raises:
        InputError: there is no such pack in the store.
        StoreError: there is no store, or it cannot be written.
    """
    where = _rows_of(name)
    table = open_evidence(uri)
    with translated("write to", uri):
        if not int(table.count_rows(where)):
            raise no_such_pack(name)
        return leave_out(table, name, off)


def remove_pack(uri: str, name: str) -> int:
    """Remove a pack's passages in one commit; returns how many there were.

    Raises:
        InputError: there is no such pack in the store.
        StoreError: there is no store, or it cannot be written; then it is as it was.
    """
    where = _rows_of(name)
    table = open_evidence(uri)
    with translated("write to", uri):
        rows = int(table.count_rows())
        journal = journal_of(uri, name)
        if not int(table.count_rows(where)) and not journal.load():
            raise no_such_pack(name)
        removed = int(table.delete(where).num_deleted_rows)
        journal.forget()
        leave_out(table, name, False)  # a later pack of this name is a new one
        drop_outgrown_index(table, removed, rows)
    return removed


def journal_of(uri: str, name: str) -> Journal:
    """Return a pack's journal: how far each of its files is in the store."""
    return Journal(uri, ["pack", name])


def is_whole(uri: str, name: str) -> bool:
    """Return whether whole articles of a pack were taken: then an update takes them too.

    Raises:
        StoreError: its journal cannot be read.
    """
    journal = journal_of(uri, name)
    journal.load()
    return any(stamp.endswith(WHOLE) for stamps in journal.stamps.values() for stamp in stamps)


def no_such_pack(name: str) -> InputError:
    """Return the error for a pack that the store does not have."""
    return InputError(f"there is no pack {name} in the store; see: python -m kb packs list")


def _rows_of(name: str) -> str:
    return f"collection = {quoted(Pack(name, ()).collection)}"
