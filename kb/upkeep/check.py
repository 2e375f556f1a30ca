"""Check every row and index: what is damaged, and what can be made again.

Every row is read with all its columns, and compared with what it says of itself: the hash of its text, the length of
its vector. A file changed by someone else or by a failing disk shows up in one or the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from errors import StoreError
from kb.record import ID_LENGTH, VECTOR_WIDTH, content_hash
from kb.store.indexes import damaged_indexes
from kb.store.place import reason
from kb.store.table import open_evidence, translated

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

_WINDOW, _SMALLEST = 2_000, 50
_NORM_ERROR = 0.01
_RESTORE = "restore a copy (docs/deploy.md), or save what can be read: python -m kb export, then reset and import"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: whether the part is sound, what was found, and how to mend it."""

    what: str
    sound: bool
    found: str
    mend: str = ""

    def __str__(self) -> str:
        """Format for people."""
        return f"{'ok' if self.sound else 'DAMAGED':<8} {self.what}: {self.found}" + (
            f"; {self.mend}" if self.mend else ""
        )


@dataclass(slots=True)
class _Seen:
    """What was read of the rows."""

    rows: int = 0
    lost: int = 0
    why: str = ""
    wrong_texts: int = 0
    wrong_vectors: int = 0


def check_store(uri: str) -> list[Finding]:
    """Check everything that can be checked, and return all findings.

    Raises:
        StoreError: there is no store, or its table cannot be opened at all.
    """
    try:
        table = open_evidence(uri)
        with translated("read", uri):
            count = int(table.count_rows())
    except StoreError as exc:
        if "there is no evidence store" in str(exc):
            raise
        raise StoreError(f"{str(exc).split(';')[0]}; nothing of it can be read here: {_RESTORE}") from exc
    return [*_rows(table, count), *_indexes(table, count)]


def _rows(table: Table, count: int) -> Iterator[Finding]:
    seen, ids = _Seen(), list[str]()
    for start in range(0, count, _WINDOW):
        _read(table, start, min(_WINDOW, count - start), seen, ids)
    told = f"{seen.rows:,} of {count:,} can be read"
    yield Finding("rows", not seen.lost, told + (f" ({seen.why})" if seen.why else ""), _RESTORE if seen.lost else "")
    doubled = len(ids) - len(set(ids))
    yield Finding("keys", not doubled, f"{doubled:,} rows have the key of another" if doubled else "each once")
    wrong = seen.wrong_texts
    yield Finding(
        "texts",
        not wrong,
        f"{wrong:,} are not what was stored" if wrong else "as they were stored",
        _RESTORE * bool(wrong),
    )
    wrong = seen.wrong_vectors
    yield Finding(
        "vectors",
        not wrong,
        f"{wrong:,} are none" if wrong else f"of {VECTOR_WIDTH} numbers and length 1",
        "their texts are whole: python -m kb export, then reset and import make them again" * bool(wrong),
    )


def _read(table: Table, start: int, size: int, seen: _Seen, ids: list[str]) -> None:
    """Read some rows; unreadable ranges are halved until small, so that little is given up."""
    try:
        rows = table.search().offset(start).limit(size).to_arrow()
    except (OSError, RuntimeError, ValueError) as exc:
        if size > _SMALLEST:
            _read(table, start, size // 2, seen, ids)
            _read(table, start + size // 2, size - size // 2, seen, ids)
        else:
            seen.lost, seen.why = seen.lost + size, reason(exc)[:200]
        return
    seen.rows += rows.num_rows
    ids += rows["id"].to_pylist()
    seen.wrong_texts += sum(not _is_itself(row) for row in rows.select(["id", "text", "content_hash"]).to_pylist())
    seen.wrong_vectors += _wrong_vectors(rows)


def _is_itself(row: dict[str, str]) -> bool:
    digest = content_hash(row["text"] or "")
    return digest == row["content_hash"] and digest[:ID_LENGTH] == row["id"]


def _wrong_vectors(rows: pa.Table) -> int:
    with np.errstate(all="ignore"):  # garbage may be NaN, which is not whole
        values = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(np.float64)
        whole = np.abs(np.linalg.norm(values.reshape(-1, VECTOR_WIDTH), axis=1) - 1) <= _NORM_ERROR
    return int(rows.num_rows - whole.sum())


def _indexes(table: Table, count: int) -> Iterator[Finding]:
    again = "it is made again by the next search, or now by: python -m kb optimize"
    damaged, indexes = damaged_indexes(table), list(table.list_indices())
    if not any("text" in index.columns for index in indexes):
        yield Finding("index of words", False, "there is none", again)
    for index in indexes:
        if index.name in damaged:
            yield Finding(f"index {index.name}", False, f"cannot be read ({damaged[index.name]})", again)
            continue
        stats = table.index_stats(index.name)
        waiting = int(stats.num_unindexed_rows) if stats else count
        yield Finding(f"index {index.name}", True, f"holds {count - waiting:,} of {count:,} rows")
