"""Cache computed values; the least recently used are dropped first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values by key, safe to share between threads.

    Two threads that miss the same key at once both compute it.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def get_or_compute(
        self, keys: Sequence[Key], compute: Callable[[Sequence[Key]], Iterable[Value]], most: int
    ) -> dict[Key, Value]:
        """Return the value of each key; compute all missing ones in one call.

        Args:
            keys: the keys to get, which may repeat.
            compute: takes the missing keys, each once, and returns their values in order.
            most: how many keys are kept, the most recently requested.
        """
        with self._lock:
            known = {key: self._known[key] for key in keys if key in self._known}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        known |= dict(zip(missing, compute(missing), strict=True))
        with self._lock:
            for key, value in known.items():
                self._known[key] = value
                self._known.move_to_end(key)
            while len(self._known) > most:
                self._known.popitem(last=False)
        return known
