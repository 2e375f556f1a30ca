"""What is in a store, counted for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

_TOP = 10


def counts(table: Table) -> dict[str, Any]:
    """Records, by origin, type and collection; domains, and the most frequent ones; the table's version and bytes."""
    columns = table.search().select(["origin", "source_type", "collection", "domain"]).limit(None).to_arrow()
    by = {name: dict(sorted(_values(columns[name]).items())) for name in ("origin", "source_type", "collection")}
    domains = _values(columns["domain"])
    return {
        "records": columns.num_rows,
        **by,
        "domains": len(domains),
        "top_domains": dict(sorted(domains.items(), key=lambda item: -item[1])[:_TOP]),
        "version": int(table.version),
        "bytes": table.stats()["total_bytes"],
    }


def _values(column: pa.ChunkedArray) -> dict[str, int]:
    """Value -> how often it stands in the column."""
    return {row["values"]: row["counts"] for row in column.value_counts().to_pylist()}
