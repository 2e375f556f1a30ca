"""Ask again, at every refresh, whether the works in the store that have a DOI still stand, and mark those that were retracted.

Who is asked is handed in. A work about which nothing could be learned stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kb.publishers.urls import doi_of
from kb.record import Origin, is_retracted
from kb.store.sql import filters_of, quoted
from kb.store.table import open_evidence, translated
from kb.upkeep.news import Stopped

if TYPE_CHECKING:
    from lancedb.table import Table

_BATCH = 8_192
_WITH_DOI = f"source LIKE '%10.%/%' AND origin != {quoted(Origin.FACT_CHECK)}"


@dataclass(frozen=True, slots=True)
class Retractions:
    """DOI -> the rating that a retracted work has ("Retracted on 2010-02-06 (Crossref)"), "" for one that stands; and what failed."""

    ratings: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


RetractionsOf = Callable[[Sequence[str], Stopped], Retractions]
"""DOIs -> which of them were retracted; never raises for what the web does, and ends soon after it is to stop."""


@dataclass(frozen=True, slots=True)
class WorksReport:
    """How many works have a DOI, of how many nothing was learned, and the DOIs that are marked or no longer marked as retracted."""

    works: int = 0
    unknown: int = 0
    retracted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def recheck(uri: str, retractions_of: RetractionsOf, stopped: Stopped, dry_run: bool = False) -> WorksReport:
    """Ask whether the works in the store stand, and write what has changed.

    Args:
        uri: of the store.
        retractions_of: tells which works were retracted.
        stopped: says when to give up; what was learned until then is written.
        dry_run: ask, and leave the store as it is.

    Raises:
        StoreError: the store cannot be read or written.
    """
    table = open_evidence(uri)
    with translated("read", uri):
        works = _works(table)
    found = retractions_of(sorted(works), stopped) if works else Retractions()
    changed: dict[str, list[str]] = {}
    retracted: list[str] = []
    restored: list[str] = []
    for doi in sorted(works.keys() & found.ratings.keys()):
        rating = found.ratings[doi]
        ids = [key for key, marked in works[doi] if bool(rating) is not marked]
        if ids:
            changed.setdefault(rating, []).extend(ids)
            (retracted if rating else restored).append(doi)
    if not dry_run:
        with translated("write to", uri):
            _write(table, changed)
    unknown = len(works.keys() - found.ratings.keys())
    return WorksReport(len(works), unknown, tuple(retracted), tuple(restored), found.problems)


def _works(table: Table) -> dict[str, list[tuple[str, bool]]]:
    """DOI -> the records that stand on the work: their ids, and whether they are marked as retracted."""
    found: dict[str, list[tuple[str, bool]]] = {}
    query = table.search().where(_WITH_DOI).select(["id", "source", "rating", "origin"]).limit(None)
    for batch in query.to_batches(_BATCH):
        for row in batch.to_pylist():
            doi = doi_of(row["source"])
            if doi:
                marked = is_retracted(row["rating"], Origin(row["origin"]))
                found.setdefault(doi, []).append((row["id"], marked))
    return found


def _write(table: Table, changed: Mapping[str, Sequence[str]]) -> None:
    """Write ratings; without any change, no new version of the store is made."""
    for rating, ids in changed.items():
        for some in filters_of(ids):
            table.update(where=some, values={"rating": rating})
