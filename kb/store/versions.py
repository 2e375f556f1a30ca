"""List earlier versions of the store, find the requested one, and open it for reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from errors import InputError, StoreError
from kb.publishers.credibility import PublisherOf
from kb.record import EvidenceRecord, NewEvidence
from kb.store.find import TableReader
from kb.store.table import open_at, translated
from kb.store.usage import Usage

if TYPE_CHECKING:
    from lancedb.table import Table

    from kb.store.write import AddReport

_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class StoreVersion:
    """A version of the store: number and time of writing (UTC). Every write makes one."""

    number: int
    at: datetime

    def __str__(self) -> str:
        """Format for people."""
        return f"version {self.number} of {self.at:%Y-%m-%d %H:%M} UTC"


def list_versions(table: Table) -> list[StoreVersion]:
    """Return the versions that can still be read, oldest first.

    The library gives their times in local time, without a zone.
    """
    found = [StoreVersion(int(row["version"]), row["timestamp"].astimezone(UTC)) for row in table.list_versions()]
    return sorted(found, key=lambda version: version.number)


def resolve(asked: str, versions: Sequence[StoreVersion], now: datetime | None = None) -> StoreVersion:
    """Return the version of that number, or the latest one at or before that time.

    A date means its end; times are UTC.

    Args:
        asked: "17", "2026-11-01" or "2026-11-01T09:30".
        versions: those that can be read, oldest first; at least one.
        now: the present.

    Raises:
        InputError: it is neither, lies in the future, or is no longer kept.
    """
    text = asked.strip()
    kept = f"the oldest that is kept is {versions[0]}, the newest is {versions[-1]}"
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return _numbered(int(text), versions, kept)
    until, day = _moment(text)
    present = now or datetime.now(UTC)
    if until > present and (not day or until.date() > present.date()):
        raise InputError(f"{text} lies in the future of the store; {kept}")
    earlier = [version for version in versions if version.at <= until]
    if not earlier:
        raise InputError(f"nothing is kept of the store as it was at {text}; {kept}")
    return earlier[-1]


def _numbered(number: int, versions: Sequence[StoreVersion], kept: str) -> StoreVersion:
    for version in versions:
        if version.number == number:
            return version
    reason = "is not there yet" if number > versions[-1].number else "is no longer kept"
    raise InputError(f"version {number} of the store {reason}; {kept}")


def _moment(text: str) -> tuple[datetime, bool]:
    """Return the requested time, in UTC, and whether it is a whole day's end."""
    try:
        return datetime.combine(date.fromisoformat(text), time.max, UTC), True
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC), False
    except (ValueError, OverflowError) as exc:
        rule = "a version of the store is given by its number, or by a date such as 2026-11-01 or 2026-11-01T09:30"
        raise InputError(f"{rule}, not {text[:40]!r}") from exc


class StoreAsOf(TableReader):
    """The store at one version: it can be searched and read, and records nothing."""

    def __init__(self, uri: str, kept: StoreVersion, embedder: str, publisher_of: PublisherOf) -> None:
        """Open the version.

        Args:
            uri: the store's address.
            kept: one of its versions.
            embedder: checksum of the model that makes the vectors of queries.
            publisher_of: the publisher behind an address, as the user sees it today.

        Raises:
            InputError: it was cleaned up meanwhile, or was written by another release or embedder than today's.
            StoreError: the store cannot be read.
        """
        super().__init__(open_at(uri, kept.number), uri, publisher_of)
        self.kept = kept
        with translated("read", uri):
            schema = self._table.schema
        if (schema.metadata or {}).get(b"embedder", b"").decode() != embedder:
            raise InputError(
                f"{kept} of the store was filled by another embedder and cannot be searched; name a later one"
            )
        lacking = {field.name for field in fields(EvidenceRecord)} - set(schema.names)
        if lacking:
            raise InputError(
                f"{kept} of the store is of an older form without {', '.join(sorted(lacking))}; name a later one"
            )

    def add(self, items: Sequence[NewEvidence]) -> AddReport:
        """Refuse: the past cannot be added to.

        Raises:
            StoreError: always.
        """
        raise StoreError(f"{self.kept} of the store at {self.uri} can only be read; add to the store as it is today")

    def record_usage(self, usages: Sequence[Usage]) -> None:
        """Count nothing: a replay leaves no trace."""

    def protect(self, version: int) -> None:
        """Note nothing, likewise."""
