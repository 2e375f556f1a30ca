"""The invented world's events, each in several wordings, their rumours, and claims to check."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "events.jsonl"
_OFFICE_HOURS = 7, 15


class Expected(StrEnum):
    """The verdict that a check of a claim should reach, with the values people read."""

    TRUE = "True"
    FALSE = "False"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"


_KINDS = {"true": Expected.TRUE, "false": Expected.FALSE, "unsupported": Expected.NOT_ENOUGH_EVIDENCE}


@dataclass(frozen=True, slots=True)
class WorldClaim:
    """A claim about an event. No page says anything about a claim that lacks evidence."""

    text: str
    expected: Expected
    event_id: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    `true` holds three to five wordings of it; `wrong` is what the rumour says instead.
    """

    id: str
    topic: str
    happened: datetime
    place: str
    names: tuple[str, ...]
    figures: tuple[str, ...]
    headlines: tuple[str, ...]
    true: tuple[str, ...]
    background: tuple[str, ...]
    wrong: str
    claims: tuple[WorldClaim, ...]


@lru_cache(maxsize=1)
def events() -> tuple[Event, ...]:
    """Return all events, in the order of the data file."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return tuple(_event(number, json.loads(line)) for number, line in enumerate(lines))


def claims() -> tuple[WorldClaim, ...]:
    """Return the claims of all events."""
    return tuple(claim for event in events() for claim in event.claims)


def _event(number: int, row: dict[str, object]) -> Event:
    def texts(name: str) -> tuple[str, ...]:
        values = row[name]
        assert isinstance(values, list)
        return tuple(str(value) for value in values)

    kinds = row["claims"]
    assert isinstance(kinds, dict)
    first, hours = _OFFICE_HOURS
    hour = first + number % (hours - first)
    return Event(
        id=str(row["id"]),
        topic=str(row["topic"]),
        happened=datetime.fromisoformat(str(row["date"])).replace(hour=hour, minute=number % 60, tzinfo=UTC),
        place=str(row["place"]),
        names=texts("names"),
        figures=texts("figures"),
        headlines=texts("headlines"),
        true=texts("true"),
        background=texts("background"),
        wrong=str(row["wrong"]),
        claims=tuple(
            WorldClaim(str(text), _KINDS[kind], str(row["id"])) for kind, listed in kinds.items() for text in listed
        ),
    )
