"""Compute measures, each by its published definition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2

import numpy as np
from numpy.typing import NDArray


def accuracy(guess: NDArray[np.int64], truth: NDArray[np.int64]) -> float:
    """Return the share of rows guessed right; both arrays of shape (rows,)."""
    return float((guess == truth).mean())


def macro_f1(guess: NDArray[np.int64], truth: NDArray[np.int64]) -> float:
    """Return the mean of 2 x right / (guessed + true) over the labels in `truth`."""
    scores = [
        2 * ((guess == label) & (truth == label)).sum() / ((guess == label).sum() + (truth == label).sum())
        for label in np.unique(truth)
    ]
    return float(np.mean(scores))


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of shape (rows, labels)."""
    odds = np.exp(logits - logits.max(1, keepdims=True))
    shares: NDArray[np.float64] = odds / odds.sum(1, keepdims=True)
    return shares


def reliability(
    probabilities: NDArray[np.float64], truth: NDArray[np.int64], bins: int = 10
) -> list[tuple[float, float, int]]:
    """Return (mean confidence, accuracy, rows) of each equal confidence bin that has rows."""
    sure, right = probabilities.max(1), probabilities.argmax(1) == truth
    which = np.minimum((sure * bins).astype(int), bins - 1)
    return [
        (float(sure[which == b].mean()), float(right[which == b].mean()), int((which == b).sum()))
        for b in range(bins)
        if (which == b).any()
    ]


def expected_calibration_error(probabilities: NDArray[np.float64], truth: NDArray[np.int64], bins: int = 10) -> float:
    """Return the mean gap between confidence and accuracy over bins, weighted by their rows.

    Source: Guo et al., ICML 2017.
    """
    return sum(abs(sure - right) * rows for sure, right, rows in reliability(probabilities, truth, bins)) / len(truth)


def recall_at(k: int, ranked: Sequence[object], relevant: Collection[object]) -> float:
    """Return the share of relevant documents found among the first `k`."""
    return len(set(ranked[:k]) & set(relevant)) / len(relevant)


def ndcg_at(k: int, ranked: Sequence[object], relevant: Collection[object]) -> float:
    """Normalised discounted cumulative gain with gains of 0 and 1 (Jarvelin and Kekalainen, TOIS 2002)."""
    gain = sum(1 / log2(rank + 1) for rank, name in enumerate(ranked[:k], 1) if name in relevant)
    return gain / sum(1 / log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))


def reciprocal_rank(ranked: Sequence[object], relevant: Collection[object]) -> float:
    """Return 1 / the first relevant document's rank, or 0 if none is listed."""
    return next((1 / rank for rank, name in enumerate(ranked, 1) if name in relevant), 0.0)
