from __future__ import annotations

from collections.abc import Sequence

import pytest

from models.lru_cache import LruCache


class Doubles:
    """Doubles numbers, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked = list[list[int]]()

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.asked.append(list(numbers))
        return [2 * number for number in numbers]


def test_what_is_missing_is_computed_once_and_at_once() -> None:
    cache, doubles = LruCache[int, int](), Doubles()
    assert cache.get_or_compute([1, 2, 1], doubles, 10) == {1: 2, 2: 4}
    assert cache.get_or_compute([2, 3], doubles, 10) == {2: 4, 3: 6}
    assert doubles.asked == [[1, 2], [3]]


def test_the_least_recently_used_goes_first() -> None:
    cache, doubles = LruCache[int, int](), Doubles()
    cache.get_or_compute([1, 2], doubles, 2)
    cache.get_or_compute([1], doubles, 2)
    cache.get_or_compute([3], doubles, 2)
    assert len(cache) == 2
    doubles.asked.clear()
    cache.get_or_compute([1, 3], doubles, 2)
    cache.get_or_compute([2], doubles, 2)
    assert doubles.asked == [[], [2]]


def test_more_than_it_keeps_is_still_answered() -> None:
    assert LruCache[int, int]().get_or_compute(range(5), Doubles(), 2) == {n: 2 * n for n in range(5)}


def test_a_failure_keeps_nothing() -> None:
    def fail(_: Sequence[int]) -> list[int]:
        raise ValueError("no")

    cache = LruCache[int, int]()
    with pytest.raises(ValueError, match="no"):
        cache.get_or_compute([1], fail, 2)
    assert len(cache) == 0
