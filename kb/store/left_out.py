"""Leave packs out of searches without removing them.

Their names are in the metadata of the table's column `collection`. So every process that has the store open knows them,
in a folder as on object storage, and an earlier version of the store knows what was left out then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.record import PACK
from kb.store.sql import quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

_COLUMN = "collection"
_LEFT_OUT = b"left out "
"""Prefix of a metadata key that marks a pack; the pack's name follows."""


def left_out(table: Table) -> frozenset[str]:
    """Return the names of the packs that no search finds."""
    noted = table.schema.field(_COLUMN).metadata or {}
    return frozenset(key.removeprefix(_LEFT_OUT).decode() for key in noted if key.startswith(_LEFT_OUT))


def leave_out(table: Table, name: str, off: bool) -> bool:
    """Leave a pack out of searches, or include it again, in one commit.

    Returns whether anything changed.
    """
    if (name in left_out(table)) is off:
        return False
    key = (_LEFT_OUT + name.encode()).decode()
    table.update_field_metadata({"path": _COLUMN, "metadata": {key: "yes" if off else None}})
    return True


def searched(table: Table) -> str:
    """Return a filter for the records that a search may find; "" for all."""
    collections = ", ".join(quoted(PACK + name) for name in sorted(left_out(table)))
    return f"{_COLUMN} NOT IN ({collections})" if collections else ""


def with_left_out(schema: pa.Schema, table: Table) -> pa.Schema:
    """Return a schema that notes the table's left-out packs, for a table that replaces it."""
    at = schema.get_field_index(_COLUMN)
    return schema.set(at, schema.field(at).with_metadata(table.schema.field(_COLUMN).metadata or {}))
