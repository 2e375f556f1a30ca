"""Look up the checks that this machine has kept.

Reads the log; needs no model and no store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from errors import InputError
from verifier.history.log import VerificationLog
from verifier.schema import VerificationResult
from verifier.settings import Settings

NOTED = "this verdict was noted by a program; it does not stem from a check"
"""Reason and warning in the log for a verdict that a program handed in."""
_HANDED_IN = "handed in by a program, not checked"
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class PastCheck:
    """A check in one line: when (ISO 8601, UTC), what was asked, and the result."""

    session_id: str
    checked_at: str
    claim: str
    verdict: str


def find_check(settings: Settings, session_id: str) -> VerificationResult:
    """Find the check that a link names, by its whole session id.

    Raises:
        InputError: this is no session id, there is no log, or the log does not have it; the text says which.
        StoreError: the log cannot be read.
    """
    if not _SESSION.fullmatch(session_id):
        raise InputError(f"{session_id[:60]!r} is not the id of a check; copy the whole link")
    if not settings.log:
        raise InputError("this server keeps no checks, so a link cannot bring one back; check the claim again")
    for found in VerificationLog(settings.log_path, settings.log_days).find(session_id):
        return found
    raise InputError(
        f"this machine does not hold the check {session_id}: it was made elsewhere, deleted, or is older than {settings.log_days} days"
    )


def find_named(settings: Settings, session: str) -> VerificationResult:
    """Find the check that a command names, by its session id or its beginning.

    Raises:
        InputError: none, or more than one, matches.
        StoreError: the log cannot be read.
    """
    found = VerificationLog(settings.log_path, settings.log_days).find(session)
    if len(found) == 1:
        return found[0]
    reason = f"{len(found)} checks begin with {session[:40]!r}" if found else f"there is no check {session[:40]!r}"
    raise InputError(f"{reason} in the log {settings.log_path}; `python -m verifier log show` lists them")


def recent_checks(settings: Settings, limit: int = 50) -> list[PastCheck]:
    """List the last checks in this machine's log, newest first; none without a log.

    Raises:
        StoreError: the log cannot be read.
    """
    if not settings.log:
        return []
    return [_line(entry) for entry in VerificationLog(settings.log_path, settings.log_days).latest(limit)]


def _line(entry: Mapping[str, Any]) -> PastCheck:
    session, at, claim, verdict = (
        str(entry.get(name, "")) for name in ("session_id", "checked_at", "original_claim", "verdict")
    )
    return PastCheck(session, at, claim, _HANDED_IN if entry.get("type_reason") == NOTED else verdict)


def handed_in(result: VerificationResult) -> str:
    """Return the text shown for a verdict that a program handed in; "" for others."""
    if result.type_reason != NOTED:
        return ""
    return f"The verdict on \u201c{result.original_claim}\u201d was {_HANDED_IN}: check the claim to learn what the evidence says."
