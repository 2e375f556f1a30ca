"""Decide when a language model call must end, and whether its caller still wants it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from errors import GenerationCancelled, GenerationTimeout

_TURN_SECONDS = 0.05
"""Seconds between checks while a call waits for its turn."""
_LOOK_SECONDS = 0.02
"""Seconds between checks while llama.cpp computes."""


class Limits:
    """The limits of one call."""

    def __init__(self, deadline: float, cancel: threading.Event | None) -> None:
        """`deadline` is in seconds from now; `cancel` is checked repeatedly."""
        self._deadline = deadline
        self._end = time.monotonic() + deadline
        self._cancel = cancel or threading.Event()

    def check(self) -> None:
        """Return while the call may go on.

        Raises:
            GenerationTimeout: the deadline passed.
            GenerationCancelled: `cancel` was set.
        """
        if self._cancel.is_set():
            raise GenerationCancelled("the generation was cancelled")
        if self._over:
            raise GenerationTimeout(f"no answer within {self._deadline:g} s; allow more time or choose a smaller model")

    @property
    def _over(self) -> bool:
        return time.monotonic() >= self._end

    def take(self, lock: threading.Lock) -> None:
        """Wait for a turn.

        Raises:
            ModelError: as `check`.
        """
        self.check()
        while not lock.acquire(timeout=_TURN_SECONDS):
            self.check()

    @contextmanager
    def watched(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` from another thread as soon as the call must end.

        llama.cpp may be in the middle of a batch of a prompt.
        """
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(done, stop), name="language model limits", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def _watch(self, done: threading.Event, stop: Callable[[], None]) -> None:
        while not done.wait(_LOOK_SECONDS):
            if self._over or self._cancel.is_set():
                stop()
                return
