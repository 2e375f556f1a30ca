"""Check at every refresh which stored works with a DOI were retracted, and mark them.

The service to ask is passed in. A work about which nothing could be learned stays as it is.
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
    """DOI -> rating of a retracted work, "" for one that stands; and what failed.

    A rating is such as "Retracted on 2010-02-06 (Crossref)".
    """

    ratings: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


RetractionsOf = Callable[[Sequence[str], Stopped], Retractions]
"""DOIs -> which of them were retracted. Never raises for what the web does, and ends soon after a stop request."""


@dataclass(frozen=True, slots=True)
class WorksReport:
    """The result for works with a DOI: their number, and what is known of them.

    Nothing was learned about `unknown`; `retracted` and `restored` are DOIs marked, or no longer marked, as retracted.
    """

    works: int = 0
    unknown: int = 0
    retracted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def recheck(uri: str, retractions_of: RetractionsOf, stopped: Stopped, dry_run: bool = False) -> WorksReport:
    """Ask which works in the store were retracted, and write what has changed.

    Args:
        uri: the store's address.
        retractions_of: says which works were retracted.
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
    """Return DOI -> its records: their ids, and whether they are marked as retracted."""
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
    """Write ratings; if nothing changes, no new version of the store is made."""
    for rating, ids in changed.items():
        for some in filters_of(ids):
            table.update(where=some, values={"rating": rating})
