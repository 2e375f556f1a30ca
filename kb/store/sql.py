"""Build filters for the store: only here do values become literals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from kb.record import Origin

_IDS_AT_ONCE = 500
_BETWEEN_URLS = "\x1f"


def quoted(value: str) -> str:
    """Return a string literal."""
    return "'" + value.replace("'", "''") + "'"


def any_of(column: str, values: Sequence[str]) -> str:
    """Return a filter: the column has one of the values."""
    return f"{column} IN ({', '.join(map(quoted, values))})"


def filters_of(ids: Sequence[str]) -> Iterator[str]:
    """Yield filters for the rows with these ids, at most 500 ids in each."""
    return (any_of("id", ids[start : start + _IDS_AT_ONCE]) for start in range(0, len(ids), _IDS_AT_ONCE))


def moment(time: datetime) -> str:
    """Return a time literal, in UTC; a time without a zone is taken as UTC."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    return f"cast('{aware.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}' as timestamp)"


def as_stored(time: datetime | None) -> str:
    """Return a time, or null, as an update can put it into a column."""
    return f"arrow_cast({moment(time) if time else 'null'}, 'Timestamp(Microsecond, Some(\"UTC\"))')"


def expired(now: datetime) -> str:
    """Return a filter: expired records that may go. Starter facts and pinned records never do."""
    return f"expires_at <= {moment(now)} AND {evictable()}"


def evictable() -> str:
    """Return a filter: the records that may be removed."""
    return f"NOT pinned AND origin != {quoted(Origin.KB)}"


def with_urls(urls: Mapping[str, Sequence[str]]) -> str:
    """Return an expression: each record's addresses with those given for its id, once each.

    The store's dialect has no CASE, so the addresses of each record are looked up by the position of its id in a list.
    """
    ids = ", ".join(map(quoted, urls))
    joined = ", ".join(
        quoted(_BETWEEN_URLS.join(url.replace(_BETWEEN_URLS, "") for url in found)) for found in urls.values()
    )
    own = f"array_element(make_array({joined}), cast(array_position(make_array({ids}), id) as bigint))"
    return f"array_union(source_urls, string_to_array({own}, {quoted(_BETWEEN_URLS)}))"
