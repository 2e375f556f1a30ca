"""Record when and how upkeep last ran, so no two processes do the same work.

The record is a small file that processes share.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from errors import RefreshBusy, StoreError

FOLDER = ".upkeep"
_MAX_FILE_BYTES = 10_000
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class JobState:
    """What is known of the last runs. Times are UTC.

    `failures` counts those since the last success. `brought` and `sources` are of the last successful run: how many
    texts it brought, and a hash of the places it asked.
    """

    attempted_at: datetime | None = None
    succeeded_at: datetime | None = None
    failures: int = 0
    error: str = ""
    brought: int = 0
    sources: str = ""


class JobFile:
    """One job's state, and the lock that lets one process at a time do it."""

    def __init__(self, folder: Path, job: str) -> None:
        """`folder` is created on the first write."""
        self._folder, self._job = folder, job

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._job}.json"

    def load(self) -> JobState:
        """Return the state; a missing or damaged file, or a future time, means no run."""
        try:
            if self._path.stat().st_size > _MAX_FILE_BYTES:
                return JobState()
            values: Any = json.loads(self._path.read_text(encoding="utf-8"))
            return JobState(
                _past(values["attempted_at"]),
                _past(values["succeeded_at"]),
                max(0, int(values["failures"])),
                str(values["error"])[:_MAX_REASON],
                max(0, int(values["brought"])),
                str(values["sources"]),
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return JobState()

    def succeeded(self, brought: int = 0, sources: str = "") -> None:
        """Record a success, now.

        Raises:
            StoreError: the file cannot be written.
        """
        now = datetime.now(UTC)
        self._save(JobState(now, now, 0, "", brought, sources))

    def failed(self, reason: str) -> None:
        """Record a failure now; the figures of the last success are kept.

        Raises:
            StoreError: the file cannot be written.
        """
        known = self.load()
        now = datetime.now(UTC)
        self._save(replace(known, attempted_at=now, failures=known.failures + 1, error=reason[:_MAX_REASON]))

    def _save(self, state: JobState) -> None:
        temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(asdict(state), default=str), encoding="utf-8")
            temporary.replace(self._path)
        except OSError as exc:
            raise StoreError(
                f"cannot write {self._path}: {exc.strerror or exc}; free some space there, or choose another store"
            ) from exc

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Do the job while no other process does.

        Raises:
            RefreshBusy: another process or thread is doing it.
            StoreError: the lock cannot be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self._folder / f"{self._job}.lock", timeout=0):
                yield
        except Timeout as exc:
            raise RefreshBusy(f"another process is at the {self._job} of this store; wait until it is done") from exc
        except OSError as exc:
            raise StoreError(
                f"cannot lock {self._folder}: {exc.strerror or exc}; choose a folder that can be written"
            ) from exc


def state_folder(uri: str, elsewhere: Path) -> Path:
    """Return the folder of a store's upkeep state.

    It is in the store's own folder, or under `elsewhere` for a store that is no folder.
    """
    if "://" not in uri:
        return Path(uri) / FOLDER
    return elsewhere / f"upkeep-{hashlib.sha256(uri.encode()).hexdigest()[:16]}"


def _past(value: str | None) -> datetime | None:
    """Parse a stored time; None for one in the future.

    That is a clock's mistake: waiting for it could take years.
    """
    moment = datetime.fromisoformat(value) if value else None
    if moment is None or moment.tzinfo is None or moment > datetime.now(UTC):
        return None
    return moment
