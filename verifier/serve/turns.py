"""Share limited work fairly: visitors take turns, however much each asks for."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field


class Turn:
    """A requested turn.

    `come` completes when it starts; `end` returns or cancels it, from any thread.
    """

    def __init__(self, turns: Turns, visitor: str) -> None:
        """Make a turn that `turns` gives to `visitor`."""
        self._turns, self.visitor = turns, visitor
        self.come: Future[None] = Future()

    def end(self) -> None:
        """Pass the turn to the next visitor. Calling this again does nothing."""
        self._turns._ended(self)


class Turns:
    """Hands out limited concurrent turns: one for each visitor before a second for any."""

    def __init__(self, at_once: int = 1) -> None:
        """Allow `at_once` turns at the same time."""
        self._free = at_once
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._taken: set[Turn] = set()
        self._held: Counter[str] = Counter()

    def ask(self, visitor: str) -> Turn:
        """Ask for a turn. The caller must call its `end`, whether it started or not."""
        turn = Turn(self, visitor)
        with self._lock:
            self._waiting.setdefault(visitor, deque()).append(turn)
            self._held[visitor] += 1
            begun = self._next()
        _tell(begun)
        return turn

    @contextmanager
    def taken(self, visitor: str) -> Iterator[None]:
        """Wait for a turn in this thread, and hold it."""
        turn = self.ask(visitor)
        try:
            turn.come.result()
            yield
        finally:
            turn.end()

    def held(self, visitor: str) -> int:
        """Count the turns that a visitor holds or waits for."""
        with self._lock:
            return self._held[visitor]

    def _ended(self, turn: Turn) -> None:
        with self._lock:
            if turn in self._taken:
                self._taken.remove(turn)
                self._free += 1
            elif turn in (mine := self._waiting.get(turn.visitor, deque())):
                mine.remove(turn)
                if not mine:
                    del self._waiting[turn.visitor]
            else:
                return
            self._held[turn.visitor] -= 1
            self._held += Counter()  # drops zeros
            begun = self._next()
        _tell(begun)

    def _next(self) -> list[Turn]:
        """Hand out free turns, first to the visitor waiting longest since the last turn."""
        begun = []
        while self._free and self._waiting:
            visitor, mine = self._waiting.popitem(last=False)
            turn = mine.popleft()
            if mine:
                self._waiting[visitor] = mine  # behind all other visitors
            self._free -= 1
            self._taken.add(turn)
            begun.append(turn)
        return begun


def _tell(begun: list[Turn]) -> None:
    """Start turns. Call this outside the lock, because completing a future runs its callbacks."""
    for turn in begun:
        if turn.come.set_running_or_notify_cancel():
            turn.come.set_result(None)
        else:
            turn.end()


@dataclass(frozen=True, slots=True)
class ServiceTurns:
    """The turns of one service, for whole checks, batch rows and store reads."""

    checks: Turns = field(default_factory=Turns)
    rows: Turns = field(default_factory=Turns)
    reads: Turns = field(default_factory=lambda: Turns(2))

    def held(self, visitor: str) -> int:
        """Count a visitor's running and waiting checks and rows, even if the page is closed."""
        return self.checks.held(visitor) + self.rows.held(visitor)
