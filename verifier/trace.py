"""What a check leaves behind it as it goes: its steps with their times, its warnings, and how often it asked a tool."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TypeVar

from verifier.schema import Stage, Step

T = TypeVar("T")
Steps = Generator[Step, None, T]
"""Yields the steps of a check as they are done, and returns what was made."""


def run_to_end(steps: Steps[T]) -> T:
    """What the steps return, without looking at them."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        made: T = end.value
        return made


class Trace:
    """The record of one check. Not shared between checks."""

    def __init__(self, deadline: float) -> None:
        """`deadline`: seconds that the whole check may take."""
        self._started = self._mark = time.monotonic()
        self._deadline = deadline
        self.steps: list[Step] = []
        self._warnings: dict[str, str] = {}
        self.tool_calls = 0

    @property
    def left(self) -> float:
        """Seconds until the deadline; negative past it."""
        return self._deadline - (time.monotonic() - self._started)

    @property
    def warnings(self) -> list[str]:
        """What a reader should know, a line a subject."""
        return [*self._warnings.values()]

    def step(self, stage: Stage, message: str) -> Step:
        """Note what was done since the last step."""
        now = time.monotonic()
        step = Step(stage, message, round(now - self._mark, 4))
        self._mark = now
        self.steps.append(step)
        return step

    def warn(self, warning: str, subject: str = "") -> None:
        """Note a warning, once; of those on one `subject` the last stands in the place of the first."""
        self._warnings[subject or warning] = warning
