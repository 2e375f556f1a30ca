"""Store texts under keys, on disk or in memory, for search answers and counts.

Only text is stored and read: diskcache would otherwise unpickle what it finds, and a planted file could run code.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import diskcache

T = TypeVar("T")
ANSWERS_BYTES = 200_000_000
_LOCK_SECONDS = 5.0
_REST_SECONDS = 30.0
"""After a lock timeout, no caller waits for the lock again for this long."""
_BROKEN = (OSError, sqlite3.Error, diskcache.Timeout)
_BROKEN_AT_OPENING = (*_BROKEN, TypeError, ValueError, AttributeError)  # raised for a foreign settings table


class Ledger(Protocol):
    """Texts under keys, within one transaction.

    `lasting`: they outlive this process, or were meant only for it.
    """

    lasting: bool

    def get(self, key: str) -> str | None:
        """Return the text under `key`; None if nothing is there, "" if not text."""

    def put(self, key: str, text: str) -> None:
        """Write `text` under `key`."""


class Box(Ledger, Protocol):
    """Texts under keys, on disk or in memory."""

    def put(self, key: str, text: str, seconds: float | None = None) -> None:
        """Write `text` under `key`, for at least `seconds` if given and if there is room."""

    def keys(self) -> list[str]:
        """List all keys."""

    def size(self) -> tuple[int, int]:
        """Count the texts and their bytes."""

    def clear(self) -> None:
        """Delete every text."""

    def transaction(self) -> AbstractContextManager[Ledger]:
        """Lock out all other threads and processes."""


class _TextDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache ships no types
    """Keeps only text in the database; anything else is refused unread."""

    def put(self, key: str) -> tuple[str, bool]:
        return key, True

    def get(self, key: object, raw: bool) -> str:
        if not raw or type(key) is not str:
            raise ValueError("not a text key")
        return key

    def store(self, value: str, read: bool, key: object = None) -> tuple[int, int, None, str]:
        return 0, diskcache.core.MODE_RAW, None, value

    def fetch(self, mode: int, filename: object, value: object, read: bool) -> str:
        if mode != diskcache.core.MODE_RAW or type(value) is not str:
            raise ValueError("not a text value")
        return value


class _Disk:
    """One diskcache folder."""

    lasting = True

    def __init__(self, folder: Path, policy: str) -> None:
        _make_private(folder)
        self._cache = diskcache.Cache(
            str(folder),
            timeout=_LOCK_SECONDS,
            disk=_TextDisk,
            size_limit=ANSWERS_BYTES,
            eviction_policy=policy,
            statistics=0,
        )

    def get(self, key: str) -> str | None:
        try:
            found: str | None = self._cache.get(key)
        except ValueError:
            return ""
        return found if found is None or isinstance(found, str) else ""

    def put(self, key: str, text: str, seconds: float | None = None) -> None:
        self._cache.set(key, text, expire=seconds)

    def keys(self) -> list[str]:
        return [key for key in self._cache.iterkeys() if isinstance(key, str)]

    def size(self) -> tuple[int, int]:
        return len(self._cache), int(self._cache.volume())

    def clear(self) -> None:
        self._cache.clear()

    @contextmanager
    def transaction(self) -> Iterator[Ledger]:
        with self._cache.transact():
            yield self

    def close(self) -> None:
        self._cache.close()


class _Memory:
    """The same in memory: holds `most` texts and drops the oldest first."""

    def __init__(self, most: int, lasting: bool) -> None:
        self.lasting = lasting
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._most, self._lock = most, threading.RLock()

    def get(self, key: str) -> str | None:
        return self._texts.get(key)

    def put(self, key: str, text: str, seconds: float | None = None) -> None:
        with self._lock:
            self._texts[key] = text
            self._texts.move_to_end(key)
            while len(self._texts) > self._most:
                self._texts.popitem(last=False)

    def keys(self) -> list[str]:
        return list(self._texts)

    def size(self) -> tuple[int, int]:
        return len(self._texts), sum(map(len, self._texts.values()))

    def clear(self) -> None:
        self._texts.clear()

    @contextmanager
    def transaction(self) -> Iterator[Ledger]:
        with self._lock:
            yield self

    def close(self) -> None:
        """Do nothing: no file is open."""


class SafeBox:
    """Answers or counts, on disk or, without a folder or a usable file, in memory."""

    def __init__(self, folder: Path | None, policy: str, most: int, broken: Callable[[Exception], None]) -> None:
        """Hold at most `most` texts in memory.

        `broken` is called with the reason why the disk is not used.
        """
        self._memory = _Memory(most, lasting=folder is None)
        self._disk: _Disk | None = None
        self._broken, self._rest_until = broken, 0.0
        if folder is not None:
            try:
                self._disk = _Disk(folder, policy)
            except _BROKEN_AT_OPENING as exc:
                broken(exc)

    def use(self, use: Callable[[Box], T]) -> T:
        """Run `use` on disk, or else in memory.

        A damaged disk cache is abandoned; a locked one is left alone for a while.
        """
        disk = self._disk
        if disk is not None and time.monotonic() >= self._rest_until:
            try:
                return use(disk)
            except diskcache.Timeout as exc:
                self._rest_until = time.monotonic() + _REST_SECONDS
                self._broken(exc)
            except _BROKEN as exc:
                self._disk = None
                self._broken(exc)
        return use(self._memory)

    def close(self) -> None:
        """Close the files."""
        if self._disk is not None:
            self._disk.close()


def _make_private(folder: Path) -> None:
    """Make `folder`, accessible only to its owner.

    Raises:
        OSError: it cannot be made, or belongs to another user.
    """
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
        raise PermissionError(f"{folder.name} in it is not a folder of this user")
    folder.chmod(0o700)
