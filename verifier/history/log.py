"""Keep what was checked on this machine: one JSON line per check.

Entries are kept for some days and deleted on request. Nothing reads the log back into a check. On a public Space it is
off unless its owner turns it on.

Writers take turns with a lock. Readers need none, because a line is either complete or absent: the next writer cuts off
a killed writer's partial line, and a deletion replaces the file. The offset of each check in the file is kept in
memory, so a link to one check reads one line.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from errors import StoreError
from verifier.report.as_json import result_to_dict
from verifier.report.from_json import result_from_dict
from verifier.schema import VerificationResult

_LOCK_SECONDS = 5
_BLOCK = 65_536
_BEGIN = b'{"session_id"'
_SESSION = re.compile(rb'"session_id": ?"([^"\\]*)"')
_CHECKED = re.compile(rb'"checked_at": ?"([^"\\]*)"')
"""Quotation marks inside a line's texts are escaped, so a match is a JSON name."""


class VerificationLog:
    """The log at one path. Several processes may use it at once."""

    def __init__(self, path: Path, days: int) -> None:
        """`days`: `prune` drops entries older than that."""
        self._path, self._days = path, days

    def append(self, result: VerificationResult) -> None:
        """Add one check, completely in the log when this returns; it waits for no reader.

        Raises:
            StoreError: the log cannot be written; nothing of the check is in it.
        """
        text = json.dumps(result_to_dict(result), ensure_ascii=False) + "\n"
        line = text.encode("utf-8", "backslashreplace")  # a lone surrogate, which JSON can escape and UTF-8 cannot
        with self._locked(), self._path.open("ab+", buffering=0) as file:
            end = _mended(file)
            try:
                while line:
                    line = line[file.write(line) :]
            except OSError:
                os.ftruncate(file.fileno(), end)  # a full disk took only part of it
                raise

    def entries(self) -> list[dict[str, Any]]:
        """Read all entries, oldest first; skip a line cut short by a crash.

        Raises:
            StoreError: the log cannot be read.
        """
        with self._reading() as file:
            return [entry for line in file or () if (entry := _parsed(line)) is not None]

    def latest(self, count: int) -> list[dict[str, Any]]:
        """Read the last entries, newest first; nothing else is read.

        Raises:
            StoreError: the log cannot be read.
        """
        return [entry for _, entry in zip(range(count), self._found(reversed), strict=False)]

    def find(self, session: str) -> list[VerificationResult]:
        """Find the checks whose session id is or begins with `session`; none for "".

        Raises:
            InputError: an entry is not a whole result.
            StoreError: the log cannot be read.
        """
        entries = self._found(
            lambda known: (
                [session] if session in known else [key for key in known if session and key.startswith(session)]
            )
        )
        return [result_from_dict(entry) for entry in entries]

    def delete(self, session_id: str | None = None) -> int:
        """Delete one entry, or all if `session_id` is None; return how many there were.

        Their text is then gone from the file, as is any partial line left by a crash.

        Raises:
            StoreError: the log cannot be written.
        """
        gone = session_id.encode() if session_id is not None else None
        return self._keep(lambda line: gone is not None and _first(_SESSION, line) != gone)

    def prune(self) -> int:
        """Delete entries older than the log's days; return how many there were.

        Raises:
            StoreError: the log cannot be written.
        """
        oldest = (datetime.now(UTC) - timedelta(days=self._days)).isoformat().encode()
        return self._keep(lambda line: _first(_CHECKED, line) >= oldest)

    def _keep(self, wanted: Callable[[bytes], bool]) -> int:
        """Rewrite the log with only the wanted lines; return how many entries were dropped.

        Nothing is rewritten if all are wanted.
        """
        if not self._path.exists():
            return 0
        fresh, gone = self._path.with_suffix(".new"), 0
        with self._locked(), self._path.open("rb") as old:
            if all(line.rfind(_BEGIN) == 0 and line.endswith(b"}\n") and wanted(line) for line in old):
                return 0
            old.seek(0)
            try:
                with fresh.open("wb") as new:
                    for whole in map(_whole, old):
                        if whole is not None and wanted(whole):
                            new.write(whole)
                        else:
                            gone += whole is not None
                    new.flush()
                    os.fsync(new.fileno())
                os.replace(fresh, self._path)
            finally:
                fresh.unlink(missing_ok=True)
        return gone

    def _found(self, choose: Callable[[dict[str, int]], Any]) -> Iterator[dict[str, Any]]:
        """Read, one by one, the entries of the known sessions that `choose` picks."""
        with self._reading() as file:
            if file is None:
                return
            for place in _index_of(self._path).places(file, choose):
                file.seek(place)
                entry = _parsed(file.readline())
                if entry is not None:
                    yield entry

    @contextmanager
    def _reading(self) -> Iterator[IO[bytes] | None]:
        """Open the file as it is now, even if replaced meanwhile; None without one."""
        try:
            with self._path.open("rb") as file:
                yield file
        except FileNotFoundError:
            yield None
        except OSError as exc:
            raise StoreError(self._unusable(exc)) from exc

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock", timeout=_LOCK_SECONDS):
                yield
        except Timeout as exc:
            raise StoreError(f"the log {self._path} is locked by another process; try again") from exc
        except OSError as exc:
            raise StoreError(self._unusable(exc)) from exc

    def _unusable(self, exc: OSError) -> str:
        return f"cannot use the log {self._path}: {exc.strerror or exc}; set VERIFIER_LOG_PATH, or VERIFIER_LOG=off"


@dataclass(slots=True)
class _Index:
    """Line offsets of a log, in file order. Safe to share between threads."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    file: tuple[int, int] = (0, 0)
    """Device and inode of the file: a deletion replaces it."""
    end: int = 0
    starts: dict[str, int] = field(default_factory=dict)

    def places(self, file: IO[bytes], choose: Callable[[dict[str, int]], Any]) -> list[int]:
        """Return the line offsets of the sessions that `choose` picks.

        Reads only what was added to the file.
        """
        with self.lock:
            found = os.fstat(file.fileno())
            if (found.st_dev, found.st_ino) != self.file or found.st_size < self.end:
                self.file, self.end, self.starts = (found.st_dev, found.st_ino), 0, {}
            file.seek(self.end)
            for line in file:
                if not line.endswith(b"\n"):
                    break  # it is being written
                if session := _first(_SESSION, line[max(0, line.rfind(_BEGIN)) :]):
                    self.starts[session.decode(errors="replace")] = self.end
                self.end += len(line)
            return [self.starts[session] for session in choose(self.starts)]


@lru_cache(maxsize=8)
def _index_of(path: Path) -> _Index:
    return _Index()


def _first(pattern: re.Pattern[bytes], line: bytes) -> bytes:
    found = pattern.search(line)
    return found[1] if found else b""


def _whole(line: bytes) -> bytes | None:
    """Return the line without a crash's leftovers before it; None if it holds no entry.

    Earlier versions wrote an entry after the rest of one that was cut short.
    """
    for start in (0, line.rfind(_BEGIN)):
        try:
            entry = json.loads(line[max(0, start) :])
        except (ValueError, RecursionError):
            continue
        return line[max(0, start) :].rstrip(b"\n") + b"\n" if isinstance(entry, dict) else None
    return None


def _parsed(line: bytes) -> dict[str, Any] | None:
    whole = _whole(line)
    entry: dict[str, Any] | None = json.loads(whole) if whole is not None else None
    return entry


def _mended(file: IO[bytes]) -> int:
    """Cut off a killed writer's partial last line; return the file size."""
    end = file.seek(0, os.SEEK_END)
    start = _last_line(file, end)
    if start == end:
        return end
    file.seek(start)
    if _parsed(file.read()) is None:
        os.ftruncate(file.fileno(), start)
        return start
    file.write(b"\n")  # an editor left the last line without its line break
    return end + 1


def _last_line(file: IO[bytes], end: int) -> int:
    """Return the offset of what follows the last line break."""
    start = end
    while start:
        begin = max(0, start - _BLOCK)
        file.seek(begin)
        cut = file.read(start - begin).rfind(b"\n")
        if cut >= 0:
            return begin + cut + 1
        start = begin
    return 0
