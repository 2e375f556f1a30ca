"""Filters for the store: values become literals here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from kb.record import Origin

_IDS_AT_ONCE = 500
_BETWEEN_URLS = "\x1f"


def quoted(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("'", "''") + "'"


def any_of(column: str, values: Sequence[str]) -> str:
    """A filter: the column has one of the values."""
    return f"{column} IN ({', '.join(map(quoted, values))})"


def filters_of(ids: Sequence[str]) -> Iterator[str]:
    """Filters for the rows with these ids, 500 ids in each at most."""
    return (any_of("id", ids[start : start + _IDS_AT_ONCE]) for start in range(0, len(ids), _IDS_AT_ONCE))


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
