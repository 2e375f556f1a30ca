"""Export the store to a Parquet or JSON-lines file that an import reads back.

Every field of every record is written. The file is written under another name and renamed in one step, so half of it is
never seen. The table is read at one version, in batches, so a store of any size can be exported while others write.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from atomic import atomic_write
from errors import InputError
from kb.record import arrow_schema
from kb.store.sql import quoted
from kb.store.table import open_evidence, translated

SCHEMA_VERSION = 1
"""Rises when a column changes its meaning; new columns alone do not raise it."""
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records are exported. `since`: stored at that time or later."""

    collection: str | None = None
    since: datetime | None = None
    vectors: bool = False

    def where(self) -> str | None:
        """Return the filter, or None for all records."""
        parts = [f"collection = {quoted(self.collection)}"] if self.collection else []
        if self.since:
            parts.append(f"timestamp >= cast({quoted(self.since.astimezone(UTC).isoformat())} as timestamp)")
        return " AND ".join(parts) or None


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written."""

    path: Path
    records: int
    bytes: int


def export(
    uri: str, path: Path, selection: Selection | None = None, tell: Callable[[int], None] = lambda rows: None
) -> ExportReport:
    """Write the store at `uri` to a .parquet or .jsonl file.

    `tell` receives the number of records written so far.

    Raises:
        InputError: the file's name ends in neither, vectors are asked of JSON lines, or it cannot be written.
        StoreError: there is no store, or it cannot be read.
    """
    selection = selection or Selection()
    writers = {".parquet": _write_parquet, ".jsonl": _write_jsonl}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise InputError(f"{path.name}: an export must end in .parquet or .jsonl")
    if selection.vectors and write is _write_jsonl:
        raise InputError(f"{path.name}: only .parquet carries vectors; leave --with-vectors out, or export to .parquet")
    table = open_evidence(uri)
    with translated("read", uri):
        embedder = (table.schema.metadata or {}).get(b"embedder", b"").decode()
        names = [name for name in table.schema.names if name != "vector" or selection.vectors]
        schema = _schema(table.schema, names, embedder)
        query = table.search().select(names).limit(None)
        where = selection.where()
        batches = (query.where(where) if where else query).to_batches(batch_size=_BATCH)
    try:
        with atomic_write(path) as fresh:
            count = write(fresh, schema, _read(batches, uri, tell))
    except OSError as exc:
        raise InputError(f"cannot write {path}: {exc.strerror or exc}") from exc
    return ExportReport(path, count, path.stat().st_size)


def _schema(stored: pa.Schema, names: list[str], embedder: str) -> pa.Schema:
    fields = [stored.field(name) for name in names]
    metadata = {**(arrow_schema(embedder).metadata or {}), b"schema_version": str(SCHEMA_VERSION).encode()}
    return pa.schema([field.remove_metadata() for field in fields], metadata=metadata)


def _read(batches: Iterable[pa.RecordBatch], uri: str, tell: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    count = 0
    with translated("read", uri):
        for batch in batches:
            yield batch
            count += batch.num_rows
            tell(count)


def _write_parquet(path: Path, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch.select(schema.names).cast(schema))
            count += batch.num_rows
    return count


def _write_jsonl(path: Path, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for batch in batches:
            for row in batch.select(schema.names).to_pylist():
                file.write(json.dumps(row, ensure_ascii=False, default=_plain) + "\n")
            count += batch.num_rows
    return count


def _plain(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"cannot export a {type(value).__name__}")
