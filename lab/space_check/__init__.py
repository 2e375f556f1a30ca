"""Check whether this repository would run as a Hugging Face Space, without asking the hub.

Run it with `python -m lab.space_check`. The rules here follow the hub's documentation; no Space was built to try them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a point came out.

    A note needs no fix, but is worth knowing before an upload.
    """

    OK = "ok"
    NOTE = "note"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One point: what was checked, the outcome, what was found, and the fix (or "")."""

    name: str
    outcome: Outcome
    found: str
    fix: str = ""


def checked(name: str, holds: bool, found: str, fix: str) -> Check:
    """A point that holds or fails; the fix is kept only where the point fails."""
    return Check(name, Outcome.OK, found) if holds else Check(name, Outcome.FAILED, found, fix)


def failed(checks: Iterable[Check]) -> int:
    """How many points failed."""
    return sum(check.outcome is Outcome.FAILED for check in checks)


def as_table(checks: Iterable[Check]) -> str:
    """A line for each point, and under it what to do."""
    rows = list(checks)
    width = max((len(check.name) for check in rows), default=0)
    lines = []
    for check in rows:
        lines.append(f"{check.outcome:<6}  {check.name:<{width}}  {check.found}")
        if check.fix:
            lines.append(f"{'':<6}  {'':<{width}}  -> {check.fix}")
    return "\n".join(lines)
