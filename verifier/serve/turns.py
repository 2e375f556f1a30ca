"""Share out work of which only so much may be done at once: visitor after visitor, however much each of them asks for."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field


class Turn:
    """A turn that was asked for. `come` is done as soon as it starts; `end` gives it back, or up, from any thread."""

    def __init__(self, turns: Turns, visitor: str) -> None:
        """`turns` hands it out, to `visitor`."""
        self._turns, self.visitor = turns, visitor
        self.come: Future[None] = Future()

    def end(self) -> None:
        """Give it to the next visitor. To call this again does nothing."""
        self._turns._ended(self)


class Turns:
    """Hands out turns: so many at once, one of each visitor before the second of any."""

    def __init__(self, at_once: int = 1) -> None:
        """`at_once`: turns that may be taken at the same time."""
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
        """Count the turns that a visitor has or waits for."""
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
        """Hand out what is free: to the visitor who has waited longest since the last turn."""
        begun = []
        while self._free and self._waiting:
            visitor, mine = self._waiting.popitem(last=False)
            turn = mine.popleft()
            if mine:
                self._waiting[visitor] = mine  # behind all others
            self._free -= 1
            self._taken.add(turn)
            begun.append(turn)
        return begun


def _tell(begun: list[Turn]) -> None:
    """Outside the lock: a future runs what waits for it."""
    for turn in begun:
        if turn.come.set_running_or_notify_cancel():
            turn.come.set_result(None)
        else:
            turn.end()


@dataclass(frozen=True, slots=True)
class ServiceTurns:
    """The turns of one service: at whole checks, at rows of batches, at reading the store."""

    checks: Turns = field(default_factory=Turns)
    rows: Turns = field(default_factory=Turns)
    reads: Turns = field(default_factory=lambda: Turns(2))

    def held(self, visitor: str) -> int:
        """Count the checks and rows that a visitor has running or waiting, whether or not the page is still open."""
        return self.checks.held(visitor) + self.rows.held(visitor)
