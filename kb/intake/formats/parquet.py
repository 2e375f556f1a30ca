"""Read Parquet files of any size in batches: store exports, tables with column `text`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from errors import InputError
from kb.intake.formats.rows import BadRow, Found, Stored, WithVector, parse_fields
from kb.intake.formats.stored import parse_record
from kb.record import VECTOR_WIDTH, EvidenceRecord

EMBEDDER = b"embedder"
_BATCH = 500
_READ = {field.name for field in dataclasses.fields(EvidenceRecord)} | {"vector"}
"""The columns read; a file may have any others."""
_UNIT = 0.01
"""How far a vector's length may be from 1."""


def read_parquet(path: Path, embedder: str, as_backup: bool = False) -> Iterator[Found]:
    """Yield the rows of a Parquet file, numbered from 1.

    Vectors are used only if the file's metadata say that `embedder` made them: vectors of two models never mix.

    Args:
        path: the file.
        embedder: checksum of the store's embedder.
        as_backup: read whole records, counters included, rather than texts.

    Raises:
        InputError: it is no Parquet file, damaged, or has no column `text`.
    """
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            names = set(file.schema_arrow.names)
            if "text" not in names:
                raise InputError(f"{path.name}: a Parquet file must have a column 'text'")
            fits = (file.schema_arrow.metadata or {}).get(EMBEDDER, b"").decode() == embedder
            for batch in file.iter_batches(_BATCH, columns=sorted(names & _READ)):
                yield from _rows(batch, fits, as_backup, number)
                number += batch.num_rows
    except (pa.ArrowException, OSError) as exc:
        reason = " ".join(str(exc).split())[:200]
        raise InputError(f"{path.name}: cannot be read as Parquet after row {number} ({reason})") from exc


def _rows(batch: pa.RecordBatch, fits: bool, as_backup: bool, before: int) -> Iterator[Found]:
    vectors = _vectors(batch) if fits and "vector" in batch.schema.names else None
    rows = batch.drop_columns(["vector"]) if "vector" in batch.schema.names else batch
    for i, row in enumerate(rows.to_pylist()):
        vector = None if vectors is None else vectors[i]
        try:
            yield _found(row, vector, as_backup)
        except InputError as exc:
            yield BadRow(before + i + 1, str(exc))


def _found(row: Mapping[str, Any], vector: NDArray[np.float32] | None, as_backup: bool) -> Found:
    if as_backup:
        return Stored(parse_record(row), vector)
    evidence = parse_fields(row)
    return evidence if vector is None else WithVector(evidence, vector)


def _vectors(batch: pa.RecordBatch) -> NDArray[np.float32] | None:
    """Return unit vectors of shape (rows, 384), or None if the column holds anything else."""
    column = batch.column("vector")
    if column.type != pa.list_(pa.float32(), VECTOR_WIDTH) or column.null_count:
        return None
    vectors = np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, VECTOR_WIDTH)
    lengths = np.linalg.norm(vectors, axis=1)
    if len(vectors) != batch.num_rows or not bool(np.all(np.abs(lengths - 1) < _UNIT)):
        return None
    return vectors
