"""Fill a store's vectors anew after its embedder was replaced.

New vectors are collected in a table beside the old one, so an interrupted run goes on where it stopped; when none is
missing, one commit puts the new rows in place of the old. Until then, and if anything fails, the store is as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from errors import StoreError
from kb.place import connect, reason
from kb.record import arrow_schema
from kb.store import TABLE, Embed

_BATCH = 500


def reembed(uri: str, embed: Embed, embedder: str, progress: Callable[[int, int], None]) -> int:
    """Replace all vectors of the store at `uri`; `progress` is told (done, total).

    Run it while nothing else writes to the store: what is added during the last commit would be lost.

    Returns:
        The number of records.

    Raises:
        StoreError: there is no store, or it cannot be read or written.
    """
    try:
        db = connect(uri)
        if TABLE not in db.list_tables().tables:
            raise StoreError(f"there is no evidence store at {uri}")
        return _replace(db, embed, embedder, progress)
    except (OSError, RuntimeError, ValueError) as exc:
        raise StoreError(f"cannot embed the store at {uri} anew: {reason(exc)}; it is as it was") from exc


def _replace(db: Any, embed: Embed, embedder: str, progress: Callable[[int, int], None]) -> int:  # noqa: ANN401
    from lancedb.index import FTS

    old, schema, name = db.open_table(TABLE), arrow_schema(embedder), f"{TABLE}-{embedder[:16]}"
    if (old.schema.metadata or {}).get(b"embedder") == embedder.encode():
        return int(old.count_rows())
    fresh = db.open_table(name) if name in db.list_tables().tables else db.create_table(name, schema=schema)
    rows = old.to_arrow()
    have = set(fresh.search().select(["id"]).limit(None).to_arrow()["id"].to_pylist())
    missing = rows.filter(pa.array([key not in have for key in rows["id"].to_pylist()]))
    for start in range(0, missing.num_rows, _BATCH):
        part = missing.slice(start, _BATCH)
        vectors = pa.FixedSizeListArray.from_arrays(
            pa.array(embed(part["text"].to_pylist()).ravel()), schema.field("vector").type.list_size
        )
        part = part.set_column(part.schema.get_field_index("vector"), schema.field("vector"), vectors)
        fresh.merge_insert("id").when_not_matched_insert_all().use_index(False).execute(part.cast(schema))
        progress(start + part.num_rows, missing.num_rows)
    db.create_table(TABLE, data=fresh.to_arrow().cast(schema), schema=schema, mode="overwrite").create_index(
        "text", config=FTS()
    )
    db.drop_table(name)
    return int(rows.num_rows)
