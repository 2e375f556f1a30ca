"""Keep watched claims: how often each is checked again, its last verdict, and its changes.

All processes of a machine share one SQLite file. Each change is one transaction, and writers wait for each other.
Removed data is overwritten in the file.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from errors import InputError, StoreError
from verifier.history.watch_tables import (
    CHANGE_COLUMNS,
    COLUMNS,
    make_tables,
    packed,
    put,
    turn_of,
    version,
    watched_of,
)
from verifier.history.watched import Every, Feed, Turn, Watched, standing_of
from verifier.report.from_json import result_from_dict
from verifier.schema import VerificationResult

MAX_CLAIMS = 1_000
MAX_CHANGES = 1_000
"""Number of changes kept for all claims together: the newest."""
_LOCK_SECONDS = 5.0
_MAX_REASON = 300


class WatchList:
    """The list at one path. Several processes and threads may use it at once."""

    def __init__(self, path: Path) -> None:
        """The file is created when a claim is first watched."""
        self._path = path

    def add(self, claim: str, every: Every, web: bool, first: VerificationResult | None = None) -> Watched:
        """Watch a claim; if it is watched already, update `every` and `web`.

        Args:
            claim: as a check's intake leaves it.
            every: when it is checked again.
            web: whether the user lets these checks use the web.
            first: a check of it, which the next one is compared with.

        Raises:
            InputError: the list is full.
            StoreError: it cannot be written.
        """
        with self._changing() as db:
            known = db.execute("SELECT number FROM watched WHERE claim = ?", (claim,)).fetchone()
            if known:
                db.execute("UPDATE watched SET every = ?, web = ? WHERE number = ?", (every, web, known[0]))
            else:
                if db.execute("SELECT count(*) FROM watched").fetchone()[0] >= MAX_CLAIMS:
                    raise InputError(
                        f"{MAX_CLAIMS:,} claims are watched, and no more can be; remove one: python -m verifier watch --remove N"
                    )
                values = (claim, every, web, _now().isoformat())
                db.execute("INSERT INTO watched (claim, every, web, since) VALUES (?, ?, ?, ?)", values)
            (row,) = db.execute(f"SELECT {COLUMNS} FROM watched WHERE claim = ?", (claim,))
            added = watched_of(row)
            if first is None or added.session:
                return added
            began = first.checked_at - timedelta(seconds=sum(step.seconds for step in first.steps))
            put(db, added, first, began, first.session_id)
            (row,) = db.execute(f"SELECT {COLUMNS} FROM watched WHERE number = ?", (added.number,))
            return watched_of(row)

    def all(self) -> list[Watched]:
        """List the claims in the order they were added.

        Raises:
            StoreError: the list cannot be read.
        """
        with self._reading() as db:
            rows = db.execute(f"SELECT {COLUMNS} FROM watched ORDER BY number") if db else ()
            return [watched_of(row) for row in rows]

    def find(self, claim: str) -> Watched | None:
        """Find a claim by its words; None if it is not watched.

        Raises:
            StoreError: the list cannot be read.
        """
        with self._reading() as db:
            rows = db.execute(f"SELECT {COLUMNS} FROM watched WHERE claim = ?", (claim,)) if db else ()
            return next((watched_of(row) for row in rows), None)

    def last_result(self, number: int) -> VerificationResult | None:
        """Read the last check of a claim that succeeded; None before the first.

        Raises:
            InputError: the kept check is damaged.
            StoreError: the list cannot be read.
        """
        with self._reading() as db:
            row = db.execute("SELECT result FROM watched WHERE number = ?", (number,)).fetchone() if db else None
        if not row or not row[0]:
            return None
        try:
            return result_from_dict(json.loads(row[0]))
        except (InputError, ValueError, RecursionError) as exc:
            raise InputError(
                f"the last check of this claim is damaged in the list; remove it and watch it again: python -m verifier watch --remove {number}"
            ) from exc

    def remove(self, number: int | None = None) -> int:
        """Stop watching a claim, or all if `number` is None; return how many there were.

        Their changes are removed too.

        Raises:
            StoreError: the list cannot be written.
        """
        if not self._path.exists():
            return 0
        with self._changing() as db:
            found = db.execute("SELECT number FROM watched WHERE number = ? OR ? IS NULL", (number, number)).fetchall()
            db.executemany("DELETE FROM changes WHERE watched = ?", found)
            db.executemany("DELETE FROM watched WHERE number = ?", found)
            return len(found)

    def note(self, watched: Watched, result: VerificationResult, began: datetime, told: str | None = None) -> bool:
        """Record a check of a claim, and a change if `told` says why.

        Args:
            watched: the claim as it was when the check began.
            result: the check.
            began: when it began; it may have missed what was added to the store since.
            told: the reasons of a change.

        Returns:
            Whether it was recorded. It is not if the claim was removed meanwhile, or checked by another process.

        Raises:
            StoreError: the list cannot be written.
        """
        if not self._path.exists():
            return False
        with self._changing() as db:
            row = db.execute("SELECT session FROM watched WHERE number = ?", (watched.number,)).fetchone()
            if row is None or row[0] != watched.session:
                return False
            changed = watched.standing is not None and told is not None
            put(db, watched, result, began, result.session_id if changed or not watched.session else watched.logged)
            if changed and watched.standing is not None:
                at, after = result.checked_at.isoformat(), packed(standing_of(result))
                why = told.encode("utf-8", "replace").decode() if told else ""  # a lone surrogate in an evidence text
                values = (watched.number, result.session_id, at, packed(watched.standing), after, why)
                db.execute(
                    "INSERT INTO changes (watched, session, at, before, after, told) VALUES (?, ?, ?, ?, ?, ?)", values
                )
                oldest = "SELECT number FROM changes ORDER BY number DESC LIMIT -1 OFFSET ?"
                db.execute(f"DELETE FROM changes WHERE number IN ({oldest})", (MAX_CHANGES,))
            return True

    def failed(self, watched: Watched, reason: str) -> None:
        """Record that a claim could not be checked; what was known about it stays.

        Raises:
            StoreError: the list cannot be written.
        """
        if self._path.exists():
            with self._changing() as db:
                values = (" ".join(reason.split())[:_MAX_REASON], watched.number, watched.session)
                db.execute("UPDATE watched SET error = ? WHERE number = ? AND session = ?", values)

    def turns(self) -> dict[int, list[Turn]]:
        """Read all kept changes by the number of their claim, newest first.

        Raises:
            StoreError: the list cannot be read.
        """
        found: dict[int, list[Turn]] = {}
        for turn in self.feed(MAX_CHANGES).turns:
            found.setdefault(turn.watched, []).append(turn)
        return found

    def feed(self, most: int) -> Feed:
        """Read at most `most` changes over all claims.

        Raises:
            StoreError: the list cannot be read.
        """
        with self._reading() as db:
            if db is None:
                return Feed(
                    uuid.uuid5(uuid.NAMESPACE_URL, "claim-verifier:watch").urn, datetime.fromtimestamp(0, UTC), ()
                )
            name, since = db.execute("SELECT id, since FROM feed").fetchone()
            joined = "changes JOIN watched ON watched.number = changes.watched"
            rows = db.execute(f"SELECT {CHANGE_COLUMNS} FROM {joined} ORDER BY changes.number DESC LIMIT ?", (most,))
            return Feed(name, datetime.fromisoformat(since), tuple(map(turn_of, rows)))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Open the file for reading; None if it does not exist or is empty."""
        if not self._path.exists():
            yield None
            return
        with self._translated(), closing(self._opened()) as db:
            yield db if version(db, self._path) else None

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """Open the file exclusively; commit at the end, or undo everything on an error."""
        with self._translated():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._opened()) as db:
                db.execute("PRAGMA secure_delete = ON")
                db.execute("BEGIN IMMEDIATE")
                try:
                    if not version(db, self._path):
                        make_tables(db)
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_LOCK_SECONDS, isolation_level=None)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError) as exc:
            if "locked" in str(exc):
                raise StoreError(f"the watch list {self._path} is locked by another process; try again") from exc
            raise StoreError(
                f"cannot use the watch list {self._path}: {exc}; make its folder writable, or move the file aside to begin a new list"
            ) from exc


def _now() -> datetime:
    return datetime.now(UTC)
