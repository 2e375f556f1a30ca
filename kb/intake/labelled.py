"""Keep claims that others have labelled in a second table, which no verdict uses.

Results are always shown as what they are: a label that others gave, in their own word.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from errors import InputError, StoreError
from kb.intake.formats.claim_sets import Dataset, Labelled
from kb.intake.formats.rows import BadRow
from kb.intake.importing import SHOWN, Tell
from kb.intake.sources import Problem
from kb.record import VECTOR_WIDTH
from kb.store.fusion import reciprocal_ranks
from kb.store.place import connect
from kb.store.sql import any_of, quoted
from kb.store.table import exists, translated

if TYPE_CHECKING:
    from lancedb.table import Table

    from kb.store.evidence_store import Embed

TABLE = "labelled_claims"
_BATCH = 200
_POOL = 50
"""Candidates from each ranking, before the threshold."""


@dataclass(frozen=True, slots=True)
class LabelledHit:
    """A labelled claim like a given one; `similarity` is the cosine of the two."""

    labelled: Labelled
    similarity: float

    @property
    def says(self) -> str:
        """Who gave which label: never a verdict of ours."""
        by = f" by {self.labelled.publisher}" if self.labelled.publisher else ""
        return f"{self.labelled.dataset.display}: labelled '{self.labelled.label}'{by}"


@dataclass(frozen=True, slots=True)
class LabelledReport:
    """The result of an import.

    `known` claims were stored already; `problems` are the first 20 of `skipped`.
    """

    added: int
    known: int
    skipped: int
    problems: tuple[Problem, ...]


def labelled_schema(embedder: str) -> pa.Schema:
    """Return the table's schema; its metadata holds the embedder's checksum."""
    key = {"lance-schema:unenforced-primary-key": "true", "lance-schema:unenforced-primary-key:position": "1"}
    words = ("claim", "label", "label_scale", "dataset", "source_url", "publisher", "language")
    fields = [
        pa.field("id", pa.string(), nullable=False, metadata=key),
        *(pa.field(name, pa.string()) for name in words),
        pa.field("published_at", pa.timestamp("us", tz="UTC")),
        pa.field("vector", pa.list_(pa.float32(), VECTOR_WIDTH)),
    ]
    return pa.schema(fields, metadata={"embedder": embedder})


class LabelledClaims:
    """The labelled claims of the evidence store at one address."""

    def __init__(self, uri: str, embed: Embed, embedder: str) -> None:
        """Open the table if there is one; the first claim added creates it.

        Args:
            uri: the evidence store's address.
            embed: makes the vectors of new claims.
            embedder: checksum of the model behind `embed`.

        Raises:
            StoreError: the place cannot be opened, or another embedder filled the table.
        """
        self._uri, self._embed, self._embedder = uri, embed, embedder
        with translated("open", uri):
            self._db = connect(uri)
            self._table = self._db.open_table(TABLE) if TABLE in self._db.list_tables().tables else None
        found = (self._table.schema.metadata or {}).get(b"embedder", b"").decode() if self._table is not None else ""
        if found and found != embedder:
            raise StoreError(
                f"the labelled claims at {uri} were added with another embedder ({found[:12]}, not {embedder[:12]}); "
                "run: python -m kb labelled remove --dataset NAME, for each set, and import them again"
            )

    def add(self, rows: Iterable[Labelled | BadRow], name: str, tell: Tell = lambda rows: None) -> LabelledReport:
        """Add claims. Those already stored are not embedded again, so a stopped import resumes quickly.

        Args:
            rows: claims, and rows that cannot be used.
            name: how the problems name their source.
            tell: receives the number of rows read so far.

        Raises:
            StoreError: the table cannot be written; what was written stays.
        """
        added = known = skipped = read = 0
        problems: list[Problem] = []
        waiting = iter(rows)
        while part := list(islice(waiting, _BATCH)):
            good = {_key(row): row for row in part if isinstance(row, Labelled)}
            bad = [row for row in part if isinstance(row, BadRow)]
            problems += [Problem(name, row.line, row.reason) for row in bad[: SHOWN - len(problems)]]
            fresh = self._insert(good)
            added, skipped, read = added + fresh, skipped + len(bad), read + len(part)
            known += len(part) - len(bad) - fresh
            tell(read)
        self._tidy()
        return LabelledReport(added, known, skipped, tuple(problems))

    def _insert(self, rows: dict[str, Labelled]) -> int:
        if not rows:
            return 0
        with translated("write to", self._uri):
            table = self._opened()
            have = table.search().where(any_of("id", list(rows))).select(["id"]).limit(len(rows)).to_list()
            fresh = {key: rows[key] for key in rows.keys() - {row["id"] for row in have}}
            if fresh:
                vectors = self._embed([row.claim for row in fresh.values()])
                values = [_row(key, row, vector) for (key, row), vector in zip(fresh.items(), vectors, strict=True)]
                made = pa.Table.from_pylist(values, schema=labelled_schema(self._embedder))
                table.merge_insert("id").when_not_matched_insert_all().use_index(False).execute(made)
        return len(fresh)

    def _opened(self) -> Table:
        from lancedb.index import FTS

        if self._table is None:
            self._table = self._db.create_table(TABLE, schema=labelled_schema(self._embedder), exist_ok=True)
            if not self._table.list_indices():
                self._table.create_index("claim", config=FTS())
        return self._table

    def _tidy(self) -> None:
        with translated("write to", self._uri):
            if self._table is not None:
                self._table.optimize()

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        min_similarity: float = 0.6,
        datasets: Sequence[Dataset] = (),
    ) -> list[LabelledHit]:
        """Find claims like a given one, by meaning and by words, best first.

        An empty list is a miss.

        Args:
            text: the claim.
            vector: its unit vector, shape (384,).
            limit: the most claims to return.
            min_similarity: the cosine below which a claim is a different one.
            datasets: only these sets; none for all.

        Raises:
            StoreError: the table cannot be read.
        """
        from lancedb.query import MatchQuery

        if self._table is None:
            return []
        only = any_of("dataset", [str(name) for name in datasets]) if datasets else None
        with translated("search", self._uri):
            near = self._table.search(vector).distance_type("cosine").limit(_POOL)
            worded = self._table.search(MatchQuery(text, "claim"), query_type="fts").limit(_POOL)
            found = [(query.where(only, prefilter=True) if only else query).to_list() for query in (near, worded)]
        rows = {row["id"]: row for row in (*found[1], *found[0])}
        cosine = {key: float(np.dot(np.asarray(row["vector"], dtype=np.float32), vector)) for key, row in rows.items()}
        ranks = reciprocal_ranks([row["id"] for row in found[0]], [row["id"] for row in found[1]])
        alike = [key for key in rows if cosine[key] >= min_similarity]
        best = sorted(alike, key=lambda key: (-ranks[key], -cosine[key]))[:limit]
        return [LabelledHit(_labelled(rows[key]), cosine[key]) for key in best]


def stats(uri: str) -> dict[str, dict[str, int]]:
    """Return data set -> label as given -> number of claims. Needs no embedder.

    Raises:
        StoreError: the table cannot be read.
    """
    counts: dict[str, dict[str, int]] = {}
    with translated("read", uri):
        if not exists(uri, TABLE):
            return counts
        rows = connect(uri).open_table(TABLE).search().select(["dataset", "label"]).limit(None).to_arrow()
    grouped = rows.group_by(["dataset", "label"]).aggregate([([], "count_all")]).to_pylist()
    for row in sorted(grouped, key=lambda row: (row["dataset"], row["label"])):
        counts.setdefault(row["dataset"], {})[row["label"]] = row["count_all"]
    return counts


def remove(uri: str, dataset: Dataset) -> int:
    """Delete the claims of one set, and the table with the last. Needs no embedder.

    Returns:
        How many there were.

    Raises:
        InputError: there are none.
        StoreError: they cannot be deleted.
    """
    where = f"dataset = {quoted(dataset)}"
    with translated("write to", uri):
        db = connect(uri) if exists(uri, TABLE) else None
        table = db.open_table(TABLE) if db else None
        count = int(table.count_rows(where)) if table is not None else 0
        if db and table is not None and count == table.count_rows():
            db.drop_table(TABLE)
        elif table is not None and count:
            table.delete(where)
    if not count:
        raise InputError(f"there are no labelled claims of {dataset.display} at {uri}")
    return count


def _key(row: Labelled) -> str:
    """Return a key that is equal for the same claim, label and set.

    Two reviewers of one claim are both kept.
    """
    parts = (row.dataset, row.claim.lower(), row.label, row.publisher, row.source_url)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _row(key: str, row: Labelled, vector: NDArray[np.float32]) -> dict[str, Any]:
    return {
        "id": key,
        "claim": row.claim,
        "label": row.label,
        "label_scale": row.scale,
        "dataset": str(row.dataset),
        "source_url": row.source_url,
        "publisher": row.publisher,
        "language": row.language,
        "published_at": row.published_at,
        "vector": vector,
    }


def _labelled(row: dict[str, Any]) -> Labelled:
    when: datetime | None = row["published_at"]
    made = Labelled(row["claim"], row["label"], row["label_scale"], Dataset(row["dataset"]))
    return replace(
        made,
        source_url=row["source_url"],
        publisher=row["publisher"],
        language=row["language"],
        published_at=when,
    )
