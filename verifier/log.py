"""J7: what was checked on this machine, one JSON line a check, kept for a while and deleted on request.

Nothing reads it back into a check. On a public Space it is off unless its owner turns it on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from errors import InputError, StoreError
from verifier.report.as_json import result_to_dict
from verifier.schema import VerificationResult

_LOCK_SECONDS = 5


class VerificationLog:
    """The log at one path. Several processes may use it at once."""

    def __init__(self, path: Path, days: int) -> None:
        """`days`: entries older than that are dropped by `prune`."""
        self._path, self._days = path, days

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock", timeout=_LOCK_SECONDS):
                yield
        except Timeout as exc:
            raise StoreError(f"the log {self._path} is locked by another process; try again") from exc
        except OSError as exc:
            raise StoreError(
                f"cannot use the log {self._path}: {exc.strerror or exc}; set VERIFIER_LOG_PATH, or VERIFIER_LOG=off"
            ) from exc

    def append(self, result: VerificationResult) -> None:
        """Add one check.

        Raises:
            StoreError: the log cannot be written.
        """
        line = json.dumps(result_to_dict(result), ensure_ascii=False) + "\n"
        with self._locked(), self._path.open("a", encoding="utf-8") as file:
            file.write(line)

    def entries(self) -> list[dict[str, Any]]:
        """All entries, oldest first; a line cut short by a crash is passed over.

        Raises:
            StoreError: the log cannot be read.
        """
        if not self._path.exists():
            return []
        with self._locked():
            return list(self._read())

    def find(self, session: str) -> dict[str, Any]:
        """The entry of a check, by its session id or the beginning of one.

        Raises:
            InputError: there is none, or more than one begins so.
            StoreError: the log cannot be read.
        """
        found = [entry for entry in self.entries() if session and str(entry.get("session_id", "")).startswith(session)]
        if len(found) == 1:
            return found[0]
        reason = f"{len(found)} checks begin with {session[:40]!r}" if found else f"there is no check {session[:40]!r}"
        raise InputError(f"{reason} in the log {self._path}; `python -m verifier log show` lists them")

    def _read(self) -> Iterator[dict[str, Any]]:
        with self._path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if isinstance(entry, dict):
                    yield entry

    def delete(self, session_id: str | None = None) -> int:
        """Delete one entry, or all of them where `session_id` is None; returns how many went.

        Raises:
            StoreError: the log cannot be written.
        """
        return self._keep(lambda entry: session_id is not None and entry.get("session_id") != session_id)

    def prune(self) -> int:
        """Delete entries past their time; returns how many went.

        Raises:
            StoreError: the log cannot be written.
        """
        oldest = (datetime.now(UTC) - timedelta(days=self._days)).isoformat()
        return self._keep(lambda entry: str(entry.get("checked_at", "")) >= oldest)

    def _keep(self, wanted: Callable[[dict[str, Any]], bool]) -> int:
        if not self._path.exists():
            return 0
        with self._locked():
            entries = list(self._read())
            kept = [entry for entry in entries if wanted(entry)]
            if len(kept) < len(entries):
                fresh = self._path.with_suffix(".new")
                fresh.write_text(
                    "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in kept), encoding="utf-8"
                )
                os.replace(fresh, self._path)
            return len(entries) - len(kept)
