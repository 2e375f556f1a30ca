from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from models.panel import Panel


class Fixed:
    """A member that says the same of every pair, and notes what was announced."""

    def __init__(self, labels: tuple[str, ...], logits: tuple[float, ...], temperature: float = 1.0) -> None:
        self.labels, self.temperature = labels, temperature
        self._logits = np.array(logits, dtype=np.float32)
        self.announced: list[tuple[str, str]] = []

    def logits(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        return np.tile(self._logits, (len(rows), 1))

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.announced += pairs


def test_the_panel_says_the_geometric_mean_whatever_the_order_of_labels() -> None:
    first = Fixed(("yes", "no"), (np.log(0.8), np.log(0.2)))
    second = Fixed(("no", "yes"), (np.log(0.5) + 3, np.log(0.5) + 3))  # logits may be shifted
    found = Panel([first, second]).probabilities("claim", "text")
    share = (0.8 * 0.5) ** 0.5
    assert found["yes"] == pytest.approx(share / (share + (0.2 * 0.5) ** 0.5), abs=1e-5)
    assert sum(found.values()) == pytest.approx(1)


def test_a_members_temperature_counts() -> None:
    sure, unsure = (Panel([Fixed(("yes", "no"), (2.0, 0.0), t)]).probabilities("a", "b")["yes"] for t in (1.0, 4.0))
    assert sure == pytest.approx(1 / (1 + np.exp(-2)), abs=1e-6) and unsure == pytest.approx(
        1 / (1 + np.exp(-0.5)), abs=1e-6
    )


def test_pairs_are_announced_to_members_that_read_many_at_once() -> None:
    member = Fixed(("yes", "no"), (0.0, 0.0))
    panel = Panel([member])
    panel.prefetch([("a", "b")])
    assert member.announced == [("a", "b")] and panel.logits([("a", "b")] * 3).shape == (3, 2)
