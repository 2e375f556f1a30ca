"""Estimate a check's remaining time from how long earlier ones took from that stage."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from statistics import median

from verifier.schema import Stage, Step

_KEPT = 20


class Pace:
    """The times of earlier checks. Safe to share between threads; it holds no claim."""

    def __init__(self) -> None:
        """Start without any times."""
        self._after: dict[tuple[Stage, bool], deque[float]] = {}
        self._lock = threading.Lock()

    def note(self, steps: Sequence[Step], web: bool) -> None:
        """Learn from a finished check's steps; `web` is whether the web might be asked."""
        done = [step for step in steps if not step.passing]
        total = sum(step.seconds for step in done)
        first: dict[Stage, float] = {}
        passed = 0.0
        for step in done:
            passed += step.seconds
            first.setdefault(step.stage, total - passed)
        with self._lock:
            for stage, left in first.items():
                self._after.setdefault((stage, web), deque(maxlen=_KEPT)).append(left)

    def left(self, steps: Sequence[Step], web: bool) -> float | None:
        """Estimate the seconds a check still takes after these steps; None if unknown."""
        with self._lock:
            known = [stage for stage in Stage if (stage, web) in self._after]
            seen = [step.stage for step in steps if step.stage in known]
            stage = seen[-1] if seen else known[0] if known else None
            if stage is None:
                return None
            since = sum(step.seconds for step in steps[_first(steps, stage) + 1 :])
            return max(0.0, median(self._after[stage, web]) - since)


def _first(steps: Sequence[Step], stage: Stage) -> int:
    return next((at for at, step in enumerate(steps) if step.stage is stage), len(steps))
