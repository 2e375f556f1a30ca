"""Keep store versions that checks have read, by a tag with number and day.

The library refuses any clean-up if a version old enough to go has a tag, and has no switch for that. So a clean-up
never reaches back to the oldest tag: everything between that version and now stays as well.
"""

from __future__ import annotations

import re
import threading
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lancedb.table import Table

MOST_TAGS = 1_000
"""Above this number the oldest go first: looking through a thousand takes a tenth of a second."""
_TAG = re.compile(r"check-(\d{1,18})-(\d{4})(\d\d)(\d\d)")
_MARGIN = timedelta(hours=1)


class ReadVersions:
    """Versions read by checks and not yet tagged. Safe to share between threads."""

    def __init__(self, table: Table, keep_days: int) -> None:
        """`keep_days`: how long they are kept; 0 notes nothing."""
        self._table, self._keep_days = table, keep_days
        self._lock = threading.Lock()
        self._pending: set[str] = set()
        self._done: set[str] = set()

    def note(self, version: int) -> None:
        """Note that a check has read the version; nothing is written yet."""
        name = f"check-{version}-{datetime.now(UTC):%Y%m%d}"
        with self._lock:
            if self._keep_days and name not in self._done:
                self._pending.add(name)

    def write(self) -> None:
        """Tag the noted versions.

        A version that another process has tagged today, or that is gone, is skipped.

        Raises:
            OSError, RuntimeError, ValueError: the library's own; what is not tagged stays noted.
        """
        with self._lock:
            for name in sorted(self._pending):
                _create(self._table, name)
                self._pending.discard(name)
                self._done.add(name)
            if len(self._done) > MOST_TAGS:
                self._done.clear()  # tagging a version again does no harm


def _create(table: Table, name: str) -> None:
    try:
        table.tags.create(name, _parts(name)[0])
    except RuntimeError as exc:
        if not any(sign in str(exc) for sign in ("already exists", "does not exist")):
            raise


def _parts(name: str) -> tuple[int, date]:
    """Return the version and the day that a tag of ours names.

    Raises:
        ValueError: it is not one of ours.
    """
    match = _TAG.fullmatch(name)
    if not match:
        raise ValueError(f"{name!r} is no tag of a check")
    return int(match[1]), date(int(match[2]), int(match[3]), int(match[4]))


def expire(table: Table, keep_days: int, today: date | None = None) -> int:
    """Delete check tags past their days, or repeated by a later tag of their version.

    Tags that others have made stay.

    Returns:
        How many were deleted.

    Raises:
        OSError, RuntimeError, ValueError: the library's own.
    """
    first = (today or datetime.now(UTC).date()) - timedelta(days=keep_days)
    kept: dict[int, str] = {}
    for name, (version, day) in sorted(_ours(table.tags.list()).items(), key=lambda tag: tag[1]):
        if keep_days and day >= first:
            kept[version] = name
    newest = set(sorted(kept.values(), key=lambda name: _parts(name)[::-1])[-MOST_TAGS:])
    gone = 0
    for name in _ours(table.tags.list()).keys() - newest:
        gone += _delete(table, name)
    return gone


def _ours(names: Iterable[str]) -> dict[str, tuple[int, date]]:
    found = {}
    for name in names:
        try:
            found[name] = _parts(name)
        except ValueError:
            continue
    return found


def _delete(table: Table, name: str) -> bool:
    try:
        table.tags.delete(name)
    except RuntimeError as exc:
        if "does not exist" not in str(exc):  # another process was faster
            raise
        return False
    return True


class CleanUp:
    """How far back a clean-up may go without touching a version tagged by anyone."""

    def __init__(self, table: Table) -> None:
        """Nothing is read before the first call."""
        self._table = table
        self._known: tuple[int, datetime] | None = None

    def older_than(self, age: timedelta) -> timedelta:
        """Return the age from which versions may go.

        It is `age`, or more if an older version has a tag.

        Raises:
            OSError, RuntimeError, ValueError: the library's own.
        """
        tagged = min((int(tag["version"]) for tag in self._table.tags.list().values()), default=None)
        if tagged is None:
            return age
        if self._known is None or self._known[0] != tagged:  # listing two thousand versions takes three seconds
            times = {int(row["version"]): row["timestamp"].astimezone(UTC) for row in self._table.list_versions()}
            if tagged not in times:
                return age
            self._known = tagged, times[tagged]
        return max(age, datetime.now(UTC) - self._known[1] + _MARGIN)
