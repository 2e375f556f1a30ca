"""Open, create or migrate the store's table, and translate what LanceDB raises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, StoreError
from kb.record import Standing, arrow_schema
from kb.store.place import connect, how_to_reach, is_folder, reason
from kb.store.sql import as_stored, quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.table import Table

TABLE = "evidence"
_FULL = ("No space left", "File too large", "Disk quota exceeded", "os error 28", "os error 27", "os error 122")
_READ_ONLY = (
    "Read-only file system",
    "Permission denied",
    "os error 30",
    "os error 13",
    "Operation not permitted",
    "os error 1)",
)
_NEEDED = ("id", "text", "vector")
"""Without these a table is no evidence store; every other column has a value for "not known"."""


@contextmanager
def translated(doing: str, uri: str) -> Iterator[None]:
    """Turn what LanceDB raises into a StoreError that says what to do.

    Raises:
        StoreError: in place of whatever the library raised inside.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError) as exc:
        said = reason(exc)
        if any(sign in str(exc) for sign in _FULL):
            said = "the disk is full"
            fix = "free some disk space; nothing stored was lost"
        elif is_folder(uri) and any(sign in str(exc) for sign in _READ_ONLY):
            said = "the folder cannot be written"
            fix = "claims can be checked by it as it is; to add to it, give this user the right to write there, or choose another folder with --kb or VERIFIER_KB_URI"
        elif not is_folder(uri):
            fix = how_to_reach(uri)
        elif isinstance(exc, OSError):
            fix = "choose a folder that can be written, with --kb or VERIFIER_KB_URI"
        else:
            fix = f"to see whether the store is damaged and what can be rebuilt, run: python -m kb check --kb {uri}"
        raise StoreError(f"cannot {doing} the evidence store at {uri}: {said}; {fix}") from exc


def open_or_create(uri: str, embedder: str) -> Table:
    """Open the table at `uri`, or create it; add columns that an older version lacked.

    Raises:
        StoreError: the place cannot be written, the store is damaged, or another embedder filled it.
    """
    with translated("open", uri):
        db = connect(uri)
        table = _find(db) or _create(db, embedder)
        found = embedder_of(table)
        lacking = [name for name in _NEEDED if name not in table.schema.names]
    if lacking:
        raise StoreError(
            f"the table at {uri} has no column {', '.join(lacking)}, so it is no evidence store; choose another folder with --kb"
        )
    if found != embedder:
        raise StoreError(
            f"the store at {uri} was filled by another embedder ({found[:12]}, not {embedder[:12]}); run: python -m kb reembed --kb {uri}"
        )
    with translated("bring up to date", uri):
        _add_columns(table, arrow_schema(embedder))
    return table


def embedder_of(table: Table) -> str:
    """Return the checksum of the model that made a table's vectors."""
    return str((table.schema.metadata or {}).get(b"embedder", b"").decode())


def check_embedder(table: Table, embedder: str) -> None:
    """Refuse vectors of a model that is no longer the store's.

    Another process may have re-embedded it.

    Raises:
        StoreError: the table's vectors are another model's.
    """
    found = embedder_of(table)
    if found != embedder:
        raise StoreError(
            f"the store's vectors are those of another embedder now ({found[:12]}, not {embedder[:12]}); start this program again"
        )


def index_words(table: Table) -> bool:
    """Make the word index if it is missing; return whether it was."""
    from lancedb.index import FTS

    if any("text" in index.columns for index in table.list_indices()):
        return False
    table.create_index("text", config=FTS())
    return True


def open_at(uri: str, version: int) -> Table:
    """Open the table as it was at a version, for reading only.

    Raises:
        InputError: there is no such version any longer.
        StoreError: there is no store, or it cannot be opened.
    """
    with translated("open", uri):
        table = connect(uri).open_table(TABLE)
        try:
            table.checkout(version)
        except ValueError as exc:
            raise InputError(f"version {version} of the store is no longer kept; name a later one") from exc
    return table


def _find(db: DBConnection) -> Table | None:
    return db.open_table(TABLE) if TABLE in db.list_tables().tables else None


def _create(db: DBConnection, embedder: str) -> Table:
    try:
        table = db.create_table(TABLE, schema=arrow_schema(embedder))
        index_words(table)
    except (ValueError, RuntimeError, OSError):
        found = _find(db)  # another process created it at the same moment
        if found is None:
            raise
        return found
    return table


def _add_columns(table: Table, schema: pa.Schema) -> None:
    """Add columns that an older version's table lacks, filled from what it holds.

    Nothing stored is rewritten. Two processes may try at once: what one has added, the other finds.
    """
    for field in schema:
        if field.name in table.schema.names:
            continue
        try:
            table.add_columns({field.name: _earlier_values()[field.name]})
        except (ValueError, RuntimeError):
            table.checkout_latest()
            if field.name not in table.schema.names:
                raise


def _earlier_values() -> dict[str, str]:
    """Return column -> an expression for records stored before the column existed."""
    nothing, now = as_stored(None), as_stored(datetime.now(UTC))
    words = dict.fromkeys(("source", "domain", "title", "publisher", "rating"), "''")
    switches = dict.fromkeys(("extraction_failed", "pinned"), "false")
    counts = dict.fromkeys(("access_count", "verification_count"), "cast(0 as bigint)")
    return (
        words
        | switches
        | counts
        | {
            "source_type": "'unknown'",
            "source_credibility": "cast(0.5 as float)",
            "origin": "'user'",
            "collection": "'static'",
            "timestamp": now,
            "last_accessed": now,
            "published_at": nothing,
            "expires_at": nothing,
            "standing": quoted(Standing.AS_STORED),
            "looked_at": nothing,
            "avg_relevance": "cast(0.0 as float)",
            "language": "'en'",
            "text_length": "cast(char_length(text) as int)",
            "content_hash": "encode(sha256(regexp_replace(trim(lower(text)), '\\s+', ' ', 'g')), 'hex')",
            "source_urls": "array_remove_all(make_array(source), '')",
        }
    )


def open_evidence(uri: str) -> Table:
    """Open the table of an existing store, whatever embedder filled it.

    Raises:
        StoreError: there is none, or it cannot be opened.
    """
    with translated("open", uri):
        if exists(uri):
            return connect(uri).open_table(TABLE)
    raise StoreError(f"there is no evidence store at {uri}")


def exists(uri: str, table: str = TABLE) -> bool:
    """Return whether there is such a table; looking creates nothing, not even the folder.

    Raises:
        OSError, RuntimeError, ValueError: LanceDB's own, for the caller to translate.
    """
    return (not is_folder(uri) or Path(uri).is_dir()) and table in connect(uri).list_tables().tables
