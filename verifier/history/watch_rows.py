"""Write watched claims as rows for programs: each one's last check and its changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verifier.history.watch import WatchList
from verifier.history.watch_feed import turned_in_words
from verifier.history.watched import Turn, Watched

COLUMNS = (
    *("number", "claim", "every", "web", "since", "looked_at", "verdict", "confidence", "tier", "grade", "error"),
    *("session_id", "changes"),
)


def watched_rows(watch_list: WatchList) -> list[dict[str, Any]]:
    """Write every claim of a list, in the order they were added.

    Raises:
        StoreError: the list cannot be read.
    """
    claims, turns = watch_list.all(), watch_list.turns()
    return [watched_row(watched, turns.get(watched.number, ())) for watched in claims]


def watched_row(watched: Watched, turns: Sequence[Turn]) -> dict[str, Any]:
    """Write one claim with its changes, newest first.

    Times are ISO 8601 in UTC; None before the first check.
    """
    now = watched.standing
    return {
        "number": watched.number,
        "claim": watched.claim,
        "every": str(watched.every),
        "web": watched.web,
        "since": watched.since.isoformat(),
        "looked_at": watched.looked_at.isoformat() if watched.looked_at else None,
        "verdict": str(now.verdict) if now else None,
        "confidence": now.confidence if now else None,
        "tier": str(now.tier) if now else None,
        "grade": now.grade if now else None,
        "error": watched.error,
        "session_id": watched.logged,
        "changes": [{"at": turn.at.isoformat(), "told": turned_in_words(turn)} for turn in turns],
    }
