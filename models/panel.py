"""Combine stance models by weighted geometric mean, which errs less often than any one.

Two networks trained separately make different mistakes, and the mean of their log-probabilities is unsure where they
differ (logarithmic opinion pool; Genest and Zidek, 1986).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Member(Protocol):
    """A panel model: (claim, text) rows -> logits, in the order of its `labels`.

    The logits are divided by `temperature`.
    """

    labels: tuple[str, ...]
    temperature: float

    def logits(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        """Return logits of shape (rows, labels)."""


class Panel:
    """Stance models that judge together. Safe to share between threads if its members are."""

    def __init__(self, members: Sequence[Member], weights: Sequence[float] = ()) -> None:
        """Combine at least one member; all have the same labels, in any order.

        `weights` say how much each counts; by default all count the same.
        """
        self.labels, self.temperature = members[0].labels, 1.0
        self._weights = weights or [1.0] * len(members)
        self._members = [(member, [member.labels.index(label) for label in self.labels]) for member in members]

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Send (claim, text) pairs ahead to the members that can read many at once.

        Raises:
            ModelError: a member failed.
        """
        for member, _ in self._members:
            announce = getattr(member, "prefetch", None)
            if announce:
                announce(pairs)

    def logits(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        """Return mean log-probabilities, shape (rows, labels); like logits, rows are not normalised.

        Raises:
            ModelError: a member failed.
        """
        found = [_log_softmax(member.logits(rows)[:, order] / member.temperature) for member, order in self._members]
        mean: NDArray[np.float32] = np.average(found, axis=0, weights=self._weights).astype(np.float32)
        return mean

    def probabilities(self, *texts: str) -> dict[str, float]:
        """Return stance label -> probability for a claim and a text; they sum to 1.

        Raises:
            ModelError: a member failed.
        """
        logits = self.logits([texts])[0].astype(np.float64)
        odds = np.exp(logits - logits.max())
        return dict(zip(self.labels, (odds / odds.sum()).tolist(), strict=True))


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    found: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
