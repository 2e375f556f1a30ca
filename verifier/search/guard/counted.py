"""What is counted of searches: each provider's requests, and the cost of all of them.

Counts belong to a day or a month, and those of other days and months are kept together with today's: a clock that is set back and
forth finds what it left. An entry in the ledger that cannot be read is not the same as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from verifier.search.guard.boxes import Ledger

_COST = "cost"
_MOST_PERIODS = 500
"""Days and months whose counts are kept: a year and more."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What is counted of one provider. Times are seconds since 1970; `day` and `month` are UTC.

    `recent` are the requests within the rate's window; `failures` are searches in a row; the breaker is open until
    `open_until`, after which one trial may run until `trial_until`; `limited` are rate limits in a row, and none is asked
    before `not_before`. `others` are the requests of other days and months. `known` is False where the ledger holds something that
    cannot be read.
    """

    recent: tuple[float, ...] = ()
    day: str = ""
    today: int = 0
    month: str = ""
    this_month: int = 0
    failures: int = 0
    open_until: float = 0.0
    trial_until: float = 0.0
    limited: int = 0
    not_before: float = 0.0
    others: Mapping[str, int] = field(default_factory=dict)
    known: bool = True

    @staticmethod
    def read(ledger: Ledger, name: str) -> Usage:
        """Return what the ledger says; nothing counted where it says nothing that can be read."""
        text = ledger.get(use_key(name))
        if text is None:
            return Usage()
        try:
            kept: dict[str, Any] = json.loads(text)
            usage = Usage(**kept)
            sound = all(type(getattr(usage, field)) is type(default) for field, default in _BLANK.items())
            sound = sound and all(type(count) is int for count in usage.others.values())
            return replace(usage, recent=tuple(map(float, usage.recent))) if sound else Usage(known=False)
        except (ValueError, TypeError, RecursionError):
            return Usage(known=False)

    def write(self, ledger: Ledger, name: str) -> None:
        """Put it into the ledger."""
        ledger.put(use_key(name), json.dumps(asdict(replace(self, known=True))))

    def at(self, day: str, month: str) -> Usage:
        """Return the counts of that day and month in the place of today's, which are kept among the others."""
        counts = dict(self.others) | {self.day: self.today, self.month: self.this_month}
        counts.pop("", None)
        today, this_month = counts.pop(day, 0), counts.pop(month, 0)
        return replace(
            self, day=day, today=today, month=month, this_month=this_month, others=_latest(counts, _MOST_PERIODS)
        )


_BLANK = {field: [] if field == "recent" else value for field, value in asdict(Usage()).items()}


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of each month (UTC), all providers with a key together, in units; not `known` where it cannot be read."""

    months: Mapping[str, int] = field(default_factory=dict)
    known: bool = True

    @staticmethod
    def read(ledger: Ledger) -> Cost:
        """Return what the ledger says."""
        text = ledger.get(_COST)
        if text is None:
            return Cost()
        try:
            kept = json.loads(text)
            months = {kept["month"]: kept["units"]} if "units" in kept else kept["months"]
            sound = all(type(month) is str and type(units) is int and units >= 0 for month, units in months.items())
            return Cost(months) if sound else Cost(known=False)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return Cost(known=False)

    def of(self, month: str) -> int:
        """Return the units of one month."""
        return self.months.get(month, 0)

    def plus(self, month: str, units: int) -> Cost:
        """Add so many units to that month, or take them off."""
        return Cost(_latest({**self.months, month: max(0, self.of(month) + units)}, _MOST_PERIODS))

    def write(self, ledger: Ledger) -> None:
        """Put it into the ledger."""
        ledger.put(_COST, json.dumps({"months": dict(self.months)}))


def use_key(name: str) -> str:
    """Return the key in the ledger of what is counted of a provider."""
    return f"use:{name}"


def _latest(counts: Mapping[str, int], most: int) -> dict[str, int]:
    return {period: counts[period] for period in sorted(counts)[-most:]}
