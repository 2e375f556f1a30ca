"""Count how often and how well records served, noted in memory and written together.

A write per check would leave behind a version of the store for every reader, so uses are collected for a few seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kb.store.sql import any_of, quoted

_FLUSH_USES, _FLUSH_SECONDS = 250, 5.0

Update = Callable[[str, Mapping[str, str]], None]
"""Writes to the rows of a filter: column -> SQL expression."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A check's use of a record: its relevance, and whether the verdict cites it."""

    record_id: str
    relevance: float
    cited: bool


class UsageBuffer:
    """Uses not written yet. Safe to share between threads."""

    def __init__(self, update: Update) -> None:
        """`update` writes to the store; if it raises, the uses are lost: see `flush`."""
        self._update, self._lock, self._writing = update, threading.Lock(), threading.Lock()
        self._pending: list[Usage] = []
        self._since = 0.0

    def note(self, usages: Sequence[Usage]) -> bool:
        """Note uses; return whether it is time to `flush`."""
        with self._lock:
            if not self._pending:
                self._since = time.monotonic()
            self._pending += usages
            return len(self._pending) >= _FLUSH_USES or time.monotonic() - self._since >= _FLUSH_SECONDS

    def flush(self) -> bool:
        """Write all noted uses; return whether there were any.

        access_count and verification_count (of cited records) rise, avg_relevance is a running mean, last_accessed is
        now. They are expressions on the stored values, so increments of several processes add up. The mean is written
        first, in a separate update: within one update it would be undefined whether it sees the old access_count or the
        new. Uses are counted at most once: how much of a failed write was stored cannot be known, and repeating a mean
        would halve it each time. `note` does not wait for a write.
        """
        with self._writing:
            with self._lock:
                totals, self._pending = _totals(self._pending), []
            for expressions in (_mean(totals), _counts(totals)) if totals else ():
                self._update(any_of("id", list(totals)), expressions)
            return bool(totals)


@dataclass(slots=True)
class _Total:
    uses: int = 0
    cited: int = 0
    relevance: float = 0.0


def _totals(usages: Sequence[Usage]) -> dict[str, _Total]:
    totals: dict[str, _Total] = {}
    for usage in usages:
        total = totals.setdefault(usage.record_id, _Total())
        total.uses += 1
        total.cited += usage.cited
        total.relevance += usage.relevance
    return totals


def _mean(totals: Mapping[str, _Total]) -> dict[str, str]:
    uses = _per_record({key: total.uses for key, total in totals.items()})
    relevance = _per_record({key: total.relevance for key, total in totals.items()})
    return {"avg_relevance": f"cast((avg_relevance * access_count + {relevance}) / (access_count + {uses}) as float)"}


def _counts(totals: Mapping[str, _Total]) -> dict[str, str]:
    uses = _per_record({key: total.uses for key, total in totals.items()})
    cited = _per_record({key: total.cited for key, total in totals.items()})
    return {
        "access_count": f"access_count + cast({uses} as bigint)",
        "verification_count": f"verification_count + cast({cited} as bigint)",
        "last_accessed": f"cast('{datetime.now(UTC).isoformat()}' as timestamp)",
    }


def _per_record(values: Mapping[str, float]) -> str:
    """Return a SQL expression of each record's own value; the store's dialect has no CASE."""
    return "(" + " + ".join(f"{value} * cast(id = {quoted(key)} as double)" for key, value in values.items()) + ")"
