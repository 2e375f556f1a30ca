"""What the processes of one machine share about their searches: kept answers, and the counts behind every budget.

Two SQLite files (through diskcache) in a folder that only its owner may enter. Answers are bounded and the oldest go first;
counts are never pushed out. Only text is stored and only text is read: diskcache would otherwise unpickle what it finds, and
a planted file could run code. Where a file cannot be used, its part is kept in memory until the process ends, and
`Shared.warnings` says so: a search is never lost for the sake of its cache. Counts in memory are not `lasting`: what costs money
is not asked by them. Where somebody holds the lock, that is so for as long as it lasts.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import diskcache

from errors import StoreError

T = TypeVar("T")
ANSWERS_BYTES = 200_000_000
ANSWER_CHARACTERS = 400_000
"""A longer answer is used, and not kept."""
_MEMORY_ANSWERS, _MEMORY_COUNTS = 1_000, 10_000
_LOCK_SECONDS = 5.0
_REST_SECONDS = 30.0
"""After a lock that was not had in time, so long nobody waits for it again."""
_BROKEN = (OSError, sqlite3.Error, diskcache.Timeout)
_BROKEN_AT_OPENING = (*_BROKEN, TypeError, ValueError, AttributeError)  # a foreign table of settings shows itself so
_log = logging.getLogger(__name__)


class Ledger(Protocol):
    """Texts under keys, within one transaction. `lasting`: they outlive this process, or were meant for it alone."""

    lasting: bool

    def get(self, key: str) -> str | None:
        """The text under `key`; None where there is none, "" where there is something that is no text."""

    def put(self, key: str, text: str) -> None:
        """Write `text` under `key`."""


class _TextDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache ships no types
    """Keeps text in the database and nothing else; whatever is not text is refused unread."""

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
    """The same in memory: of `most` texts the one written first goes first."""

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
        """Nothing is open."""


class _Part:
    """Answers, or counts: on disk, or in memory where there is no folder or its file cannot be used."""

    def __init__(self, folder: Path | None, policy: str, most: int, told: Callable[[Exception], None]) -> None:
        """`most` texts are held in memory; `told` hears why the disk is not used."""
        self._memory = _Memory(most, lasting=folder is None)
        self._disk: _Disk | None = None
        self._told, self._rest_until = told, 0.0
        if folder is not None:
            try:
                self._disk = _Disk(folder, policy)
            except _BROKEN_AT_OPENING as exc:
                told(exc)

    def use(self, use: Callable[[_Disk | _Memory], T]) -> T:
        """Run `use`, on the disk where it works: damaged, it is given up; locked, it is left alone for a while."""
        disk = self._disk
        if disk is not None and time.monotonic() >= self._rest_until:
            try:
                return use(disk)
            except diskcache.Timeout as exc:
                self._rest_until = time.monotonic() + _REST_SECONDS
                self._told(exc)
            except _BROKEN as exc:
                self._disk = None
                self._told(exc)
        return use(self._memory)

    def close(self) -> None:
        if self._disk is not None:
            self._disk.close()


class Shared:
    """Kept answers and counts, on disk or in memory. Safe to use from several threads and processes at once."""

    def __init__(self, folder: Path | None, clock: Callable[[], float] = time.time) -> None:
        """`folder` is made where it is missing; None keeps everything in memory. `clock`: seconds since 1970."""
        self.folder, self.clock = folder, clock
        self._warnings: list[str] = []
        self._lock = threading.Lock()
        answers, counts = (folder / "answers", folder / "counts") if folder else (None, None)
        self._answers = _Part(answers, "least-recently-stored", _MEMORY_ANSWERS, self._tell)
        self._counts = _Part(counts, "none", _MEMORY_COUNTS, self._tell)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know, each once."""
        return tuple(self._warnings)

    def warn(self, warning: str) -> None:
        """Note a warning, once."""
        with self._lock:
            if warning in self._warnings:
                return
            self._warnings.append(warning)
        _log.warning("%s", warning)

    def answer(self, key: str) -> str | None:
        """The answer kept under `key`, however old: the caller knows until when it holds."""
        found = self._answers.use(lambda box: box.get(key))
        return found or None

    def keep(self, key: str, text: str, seconds: float) -> None:
        """Keep an answer for at least `seconds`, room allowing; one that is too long is not kept."""
        if len(text) <= ANSWER_CHARACTERS:
            self._answers.use(lambda box: box.put(key, text, seconds))

    def change(self, change: Callable[[Ledger], T]) -> T:
        """Run `change` on the counts, alone among all threads and processes. It may be run twice, and must do nothing else."""

        def changed(box: _Disk | _Memory) -> T:
            with box.transaction() as ledger:
                return change(ledger)

        return self._counts.use(changed)

    def _tell(self, why: Exception) -> None:
        """Say once that the disk is not used."""
        if isinstance(why, diskcache.Timeout):
            self.warn(
                f"the search cache {self.folder} is locked by another process, or cannot be written, so answers and counts are kept in"
                " memory and paid searches are not made until it is free; if that stays, look who uses the folder"
            )
            return
        self.warn(
            f"the search cache {self.folder} cannot be used ({str(why) or type(why).__name__}), so answers and budgets are kept in memory"
            " until this process ends, and paid searches are not made; run: python -m verifier search-cache reset"
        )

    def sizes(self) -> tuple[int, int]:
        """How many answers are kept, and how many bytes they take."""
        return self._answers.use(lambda box: box.size())

    def counted(self) -> list[str]:
        """The keys of all counts; none where a foreign one stands among them."""
        try:
            return self._counts.use(lambda box: box.keys())
        except ValueError:
            return []

    def clear(self) -> int:
        """Forget every kept answer; returns how many went."""
        count, _ = self.sizes()
        self._answers.use(lambda box: box.clear())
        return count

    def close(self) -> None:
        """Close the files."""
        self._answers.close()
        self._counts.close()


def reset(folder: Path) -> int:
    """Delete the cache files in `folder`, damaged or not: answers, counts and pauses; returns how many files went.

    A process that is using them goes on with its own until it ends. Nothing but what the cache itself wrote is deleted.

    Raises:
        StoreError: a file cannot be deleted.
    """
    files = [path for part in ("answers", "counts") for path in sorted((folder / part).glob("cache.db*"))]
    try:
        for path in files:
            path.unlink(missing_ok=True)
    except OSError as exc:
        raise StoreError(
            f"cannot delete {exc.filename}: {exc.strerror}; delete the folder, or set VERIFIER_SEARCH_CACHE"
        ) from exc
    return len(files)


def _make_private(folder: Path) -> None:
    """Make `folder`, for its owner alone.

    Raises:
        OSError: it cannot be made, or belongs to somebody else.
    """
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
        raise PermissionError(f"{folder.name} in it is not a folder of this user")
    folder.chmod(0o700)
