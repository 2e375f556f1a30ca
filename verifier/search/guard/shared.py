"""Share cached answers and budget counts between the processes of one machine.

There are two SQLite files (through diskcache) in a folder that only its owner may enter. Answers are bounded and the
oldest go first; counts are never evicted. If a file cannot be used, its part is kept in memory until the process ends,
and `Shared.warnings` says so: a cache fault never stops a search. Counts in memory are not `lasting`, so providers that
cost money are not asked. If another process holds the lock, this applies only while it does.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import diskcache

from errors import StoreError
from verifier.search.guard.boxes import Box, Ledger, SafeBox

T = TypeVar("T")
ANSWER_CHARACTERS = 400_000
"""A longer answer is used but not kept."""
_MEMORY_ANSWERS, _MEMORY_COUNTS = 1_000, 10_000
_log = logging.getLogger(__name__)


class Shared:
    """Kept answers and counts, on disk or in memory.

    Safe to use from several threads and processes at once.
    """

    def __init__(self, folder: Path | None, clock: Callable[[], float] = time.time) -> None:
        """Make `folder` if it is missing; None keeps everything in memory.

        `clock` gives seconds since 1970.
        """
        self.folder, self.clock = folder, clock
        self._warnings: list[str] = []
        self._lock = threading.Lock()
        answers, counts = (folder / "answers", folder / "counts") if folder else (None, None)
        self._answers = SafeBox(answers, "least-recently-stored", _MEMORY_ANSWERS, self._tell)
        self._counts = SafeBox(counts, "none", _MEMORY_COUNTS, self._tell)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the user, each once."""
        return tuple(self._warnings)

    def warn(self, warning: str) -> None:
        """Note a warning, once."""
        with self._lock:
            if warning in self._warnings:
                return
            self._warnings.append(warning)
        _log.warning("%s", warning)

    def answer(self, key: str) -> str | None:
        """Return the answer kept under `key`, however old; the caller knows its time to live."""
        found = self._answers.use(lambda box: box.get(key))
        return found or None

    def keep(self, key: str, text: str, seconds: float) -> None:
        """Keep an answer for at least `seconds`, if there is room.

        One that is too long is not kept.
        """
        if len(text) <= ANSWER_CHARACTERS:
            self._answers.use(lambda box: box.put(key, text, seconds))

    def change(self, change: Callable[[Ledger], T]) -> T:
        """Run `change` on the counts, locked against all other threads and processes.

        It may run twice, so it must have no other effects.
        """

        def changed(box: Box) -> T:
            with box.transaction() as ledger:
                return change(ledger)

        return self._counts.use(changed)

    def _tell(self, why: Exception) -> None:
        """Warn once that the disk is not used."""
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
        """Return how many answers are kept, and their size in bytes."""
        return self._answers.use(lambda box: box.size())

    def counted(self) -> list[str]:
        """Return the keys of all counts; none if a foreign key is among them."""
        try:
            return self._counts.use(lambda box: box.keys())
        except ValueError:
            return []

    def clear(self) -> int:
        """Delete every kept answer; return how many there were."""
        count, _ = self.sizes()
        self._answers.use(lambda box: box.clear())
        return count

    def close(self) -> None:
        """Close the files."""
        self._answers.close()
        self._counts.close()


def reset(folder: Path) -> int:
    """Delete the cache files in `folder`, damaged or not, and return how many there were.

    They hold answers, counts and pauses. A process that is using them keeps its own until it ends. Only files that the
    cache itself wrote are deleted.

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
