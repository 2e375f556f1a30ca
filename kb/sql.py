"""Filters for the store: values become literals here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kb.credibility import SourceType
from kb.record import Collection, Origin

_BETWEEN_URLS = "\x1f"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records a search may bring. What is empty or None sets no bound; all bounds hold together.

    Domains are registered domains as records keep them ("nasa.gov"); case does not count. A record without a date of
    publication is outside of every `published_since` and `published_until`.
    """

    collections: tuple[Collection, ...] = ()
    domains: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    source_types: tuple[SourceType, ...] = ()
    published_since: datetime | None = None
    published_until: datetime | None = None
    denied_domains: tuple[str, ...] = ()


def quoted(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("'", "''") + "'"


def any_of(column: str, values: Sequence[str]) -> str:
    """A filter: the column has one of the values."""
    return f"{column} IN ({', '.join(map(quoted, values))})"


def condition(where: Filter | None) -> str | None:
    """The filter as the store's SQL; None where it sets no bound."""
    return " AND ".join(_bounds(where)) or None if where else None


def _bounds(where: Filter) -> Iterator[str]:
    lists = {
        "collection": where.collections,
        "domain": [domain.lower() for domain in where.domains],
        "language": [language.lower() for language in where.languages],
        "source_type": where.source_types,
    }
    yield from (any_of(column, values) for column, values in lists.items() if values)
    if where.denied_domains:
        yield f"NOT {any_of('domain', [domain.lower() for domain in where.denied_domains])}"
    if where.published_since:
        yield f"published_at >= {moment(where.published_since)}"
    if where.published_until:
        yield f"published_at <= {moment(where.published_until)}"


def moment(time: datetime) -> str:
    """A time literal, in UTC; a time without a zone is taken to be UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return f"cast('{aware.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}' as timestamp)"


def as_stored(time: datetime | None) -> str:
    """A time, or none, as an update can put it into a column."""
    return f"arrow_cast({moment(time) if time else 'null'}, 'Timestamp(Microsecond, Some(\"UTC\"))')"


def expired(now: datetime) -> str:
    """A filter: the records whose time is over, and which may go. Starter facts and what is pinned never do."""
    return f"expires_at <= {moment(now)} AND {evictable()}"


def evictable() -> str:
    """A filter: the records that may be removed at all."""
    return f"NOT pinned AND origin != {quoted(Origin.KB)}"


def with_urls(urls: Mapping[str, Sequence[str]]) -> str:
    """An expression: each record's addresses with those given for its id, once each.

    The store's dialect knows no CASE, so the addresses of each record are looked up by the position of its id in a list.
    """
    ids = ", ".join(map(quoted, urls))
    joined = ", ".join(
        quoted(_BETWEEN_URLS.join(url.replace(_BETWEEN_URLS, "") for url in found)) for found in urls.values()
    )
    own = f"array_element(make_array({joined}), cast(array_position(make_array({ids}), id) as bigint))"
    return f"array_union(source_urls, string_to_array({own}, {quoted(_BETWEEN_URLS)}))"
