"""Record a check as it runs: its timed steps, its warnings, its tool calls."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import takewhile
from typing import TypeVar

from verifier.schema import Stage, Step

T = TypeVar("T")
_PIECES = re.compile(r"\w(?:[\w.'-]*\w)?|\s+|.", re.DOTALL)
_SHARED = 0.5
"""Lowest share of common characters at which lines say the same about different things."""
Steps = Generator[Step, None, T]
"""Yields the steps of a check as they are done, and returns the outcome."""


def run_to_end(steps: Steps[T]) -> T:
    """Return the outcome of the steps, ignoring the steps themselves."""
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
        """What a reader should know, one line per subject."""
        return [*self._warnings.values()]

    def step(self, stage: Stage, message: str) -> Step:
        """Note what was done since the last step."""
        now = time.monotonic()
        step = Step(stage, message, round(now - self._mark, 4))
        self._mark = now
        self.steps.append(step)
        return step

    def warn(self, warning: str, subject: str = "") -> None:
        """Note a warning once.

        On one `subject`, the last warning replaces the first, in its place.
        """
        self._warnings[subject or warning] = warning


def merged(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line once; lines that differ in one place are joined.

    Example: "A, B and C could not be read".
    """
    groups: list[list[str]] = []
    frames: list[tuple[str, str]] = []
    for line in dict.fromkeys(lines):
        for number, group in enumerate(groups):
            frame = _frame(group[0], line)
            if frame and (len(group) == 1 or frame == frames[number]):
                frames[number] = frame
                group.append(line)
                break
        else:
            groups.append([line])
            frames.append((line, ""))
    for group, (begin, end) in zip(groups, frames, strict=True):
        *first, last = (line[len(begin) : len(line) - len(end)] for line in group)
        yield f"{begin}{', '.join(first)} and {last}{end}" if first else group[0]


def _frame(a: str, b: str) -> tuple[str, str] | None:
    """Return the common beginning and end of two lines, if that is most of them.

    Both are in whole words.
    """
    first, second = _PIECES.findall(a), _PIECES.findall(b)
    begin = [x for x, _ in takewhile(_alike, zip(first, second, strict=False))]
    rest = zip(reversed(first[len(begin) :]), reversed(second[len(begin) :]), strict=False)
    end = [x for x, _ in takewhile(_alike, rest)][::-1]
    shared = len("".join(begin + end))
    short = min(len(a), len(b))
    return ("".join(begin), "".join(end)) if _SHARED * short <= shared < short else None


def _alike(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
