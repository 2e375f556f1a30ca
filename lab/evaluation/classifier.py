"""Compute what all classifier suites share: logits on many texts, and figures from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lab.evaluation.figures import Figure
from models.metrics import accuracy, expected_calibration_error, macro_f1, softmax

_AT_ONCE = 64


class Classifier(Protocol):
    """What is measured: texts, or pairs of texts -> logits, which `temperature` divides."""

    labels: tuple[str, ...]
    temperature: float

    def logits(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        """Shape (rows, labels)."""


def logits_of(model: Classifier, texts: Sequence[tuple[str, ...]], name: str) -> NDArray[np.float64]:
    """Logits of shape (texts, labels), with a progress bar."""
    starts = tqdm(range(0, len(texts), _AT_ONCE), desc=name, mininterval=2)
    return np.concatenate([model.logits(texts[start : start + _AT_ONCE]) for start in starts]).astype(np.float64)


def probabilities_of(model: Classifier, texts: Sequence[tuple[str, ...]], name: str) -> NDArray[np.float64]:
    """Probabilities of shape (texts, labels), at the model's temperature."""
    return softmax(logits_of(model, texts, name) / model.temperature)


def figures_of(suite: str, split: str, probabilities: NDArray[np.float64], truth: NDArray[np.int64]) -> list[Figure]:
    """Accuracy, macro-F1 and calibration error."""
    guess, rows = probabilities.argmax(1), len(truth)
    return [
        Figure(suite, split, rows, "accuracy", accuracy(guess, truth)),
        Figure(suite, split, rows, "macro-F1", macro_f1(guess, truth)),
        Figure(suite, split, rows, "calibration error", expected_calibration_error(probabilities, truth)),
    ]
