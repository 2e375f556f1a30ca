"""Define the watch list's SQLite tables, and read and write their rows as records."""

from __future__ import annotations

import json
import sqlite3
import uuid
from datetime import UTC, datetime
from pathlib import Path

from errors import StoreError
from verifier.history.watched import Every, Standing, Turn, Watched, standing_of
from verifier.report.as_json import result_to_dict
from verifier.schema import Tier, Verdict, VerificationResult

_VERSION = 1
_TABLES = """
CREATE TABLE feed (id TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE watched (
    number INTEGER PRIMARY KEY AUTOINCREMENT, claim TEXT NOT NULL UNIQUE, every TEXT NOT NULL, web INTEGER NOT NULL,
    since TEXT NOT NULL, looked_at TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '',
    verdict TEXT NOT NULL DEFAULT '', confidence REAL NOT NULL DEFAULT 0, tier TEXT NOT NULL DEFAULT '',
    grade TEXT NOT NULL DEFAULT '', session TEXT NOT NULL DEFAULT '', logged TEXT NOT NULL DEFAULT '', result TEXT NOT NULL DEFAULT ''
);
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, watched INTEGER NOT NULL, session TEXT NOT NULL UNIQUE, at TEXT NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, told TEXT NOT NULL
);
"""
COLUMNS = "number, claim, every, web, since, looked_at, error, verdict, confidence, tier, grade, session, logged"
CHANGE_COLUMNS = "watched, claim, changes.session, at, before, after, told"


def make_tables(db: sqlite3.Connection) -> None:
    """Create the tables of a new list, with its id and first day."""
    for statement in _TABLES.strip().split(";\n"):
        db.execute(statement)
    db.execute("INSERT INTO feed VALUES (?, ?)", (uuid.uuid4().urn, datetime.now(UTC).isoformat()))
    db.execute(f"PRAGMA user_version = {_VERSION}")


def version(db: sqlite3.Connection, path: Path) -> int:
    """Read the version of the tables; 0 if there are none yet."""
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    if found > _VERSION:
        raise StoreError(f"the watch list {path} was written by a later version of this program; use that one")
    return found


def put(db: sqlite3.Connection, watched: Watched, result: VerificationResult, began: datetime, logged: str) -> None:
    """Write the last check of a claim."""
    now = standing_of(result)
    text = json.dumps(result_to_dict(result))  # ASCII: a lone surrogate, which SQLite cannot store, stays an escape
    values = (began.isoformat(), now.verdict, now.confidence, now.tier, now.grade, result.session_id, logged, text)
    assigned = "looked_at = ?, error = '', verdict = ?, confidence = ?, tier = ?, grade = ?, session = ?, logged = ?, result = ?"
    db.execute(f"UPDATE watched SET {assigned} WHERE number = ?", (*values, watched.number))


def watched_of(row: tuple[object, ...]) -> Watched:
    """Read a claim from a row of `COLUMNS`."""
    number, claim, every, web, since, looked_at, error, verdict, confidence, tier, grade, session, logged = map(
        str, row
    )
    return Watched(
        int(number),
        claim,
        Every(every),
        web == "1",
        datetime.fromisoformat(since),
        datetime.fromisoformat(looked_at) if looked_at else None,
        Standing(Verdict(verdict), float(confidence), Tier(tier), grade) if verdict else None,
        error,
        session,
        logged,
    )


def turn_of(row: tuple[object, ...]) -> Turn:
    """Read a change from a row of `CHANGE_COLUMNS`."""
    number, claim, session, at, before, after, told = map(str, row)
    return Turn(int(number), claim, session, datetime.fromisoformat(at), _unpacked(before), _unpacked(after), told)


def packed(standing: Standing) -> str:
    """Write a standing into one column."""
    return json.dumps([standing.verdict, standing.confidence, standing.tier, standing.grade])


def _unpacked(text: str) -> Standing:
    verdict, confidence, tier, grade = json.loads(text)
    return Standing(Verdict(verdict), float(confidence), Tier(tier), str(grade))
