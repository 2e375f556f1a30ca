"""Count searches: each provider's requests, and the cost of all of them.

Counts belong to a day or a month. Those of other days and months are kept with today's, so that a clock set back and
forth finds them again. An unreadable entry in the ledger is not the same as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from verifier.search.guard.boxes import Ledger

_COST = "cost"
_MOST_PERIODS = 500
"""Days and months whose counts are kept: more than a year."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The counts of one provider. Times are seconds since 1970; `day` and `month` are UTC.

    `recent` are the requests within the rate's window; `failures` counts failed searches in a row. The breaker is open
    until `open_until`; then one trial may run until `trial_until`. `limited` counts rate limits in a row, and no
    request is sent before `not_before`. `others` are the requests of other days and months. `known` is False if the
    ledger entry cannot be read.
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
        """Read the counts from the ledger; a missing or unreadable entry gives zero counts."""
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
        """Write the counts to the ledger."""
        ledger.put(use_key(name), json.dumps(asdict(replace(self, known=True))))

    def at(self, day: str, month: str) -> Usage:
        """Return the counts with `day` and `month` as current, and the previous among the others."""
        counts = dict(self.others) | {self.day: self.today, self.month: self.this_month}
        counts.pop("", None)
        today, this_month = counts.pop(day, 0), counts.pop(month, 0)
        return replace(
            self, day=day, today=today, month=month, this_month=this_month, others=_latest(counts, _MOST_PERIODS)
        )


_BLANK = {field: [] if field == "recent" else value for field, value in asdict(Usage()).items()}


@dataclass(frozen=True, slots=True)
class Cost:
    """The monthly cost (UTC) of all providers with a key, in units; `known` if readable."""

    months: Mapping[str, int] = field(default_factory=dict)
    known: bool = True

    @staticmethod
    def read(ledger: Ledger) -> Cost:
        """Read the cost from the ledger."""
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
        """Add `units` to a month, or subtract them if negative."""
        return Cost(_latest({**self.months, month: max(0, self.of(month) + units)}, _MOST_PERIODS))

    def write(self, ledger: Ledger) -> None:
        """Write the cost to the ledger."""
        ledger.put(_COST, json.dumps({"months": dict(self.months)}))


def use_key(name: str) -> str:
    """Return the ledger key of a provider's counts."""
    return f"use:{name}"


def _latest(counts: Mapping[str, int], most: int) -> dict[str, int]:
    return {period: counts[period] for period in sorted(counts)[-most:]}
