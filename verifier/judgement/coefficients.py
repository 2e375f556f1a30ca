"""Load the fitted numbers of the combiner from `coefficients.json`.

`python -m lab.evaluation.fit` fits `stance` and `verdict`, then `python -m lab.evaluation.sureness` fits the other two.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "coefficients.json"


@dataclass(frozen=True, slots=True)
class Logistic:
    """A multinomial logistic regression: P(class) = softmax(weights x features + bias).

    `weights` has a row per class and a column per feature, in the order of `features`.
    """

    classes: tuple[str, ...]
    features: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    bias: tuple[float, ...]

    def probabilities(self, values: Sequence[float]) -> dict[str, float]:
        """Compute class -> probability; they sum to 1."""
        scores = [
            sum(w * v for w, v in zip(row, values, strict=True)) + b
            for row, b in zip(self.weights, self.bias, strict=True)
        ]
        top = max(scores)
        odds = [math.exp(score - top) for score in scores]
        return {name: value / sum(odds) for name, value in zip(self.classes, odds, strict=True)}


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The fitted regressions.

    They give one text's stance, the verdict from all stances, and how likely a verdict and an open claim are right.
    """

    stance: Logistic
    verdict: Logistic
    decided: Logistic
    left_open: Logistic


@lru_cache(maxsize=1)
def coefficients() -> Coefficients:
    """Load the fitted numbers; they ship with the code."""
    values = json.loads(FILE.read_text(encoding="utf-8"))
    return Coefficients(*(_logistic(values[field.name]) for field in fields(Coefficients)))


def _logistic(values: dict[str, list[str] | dict[str, list[float]] | list[float]]) -> Logistic:
    table = values["weights"]
    assert isinstance(table, dict)
    classes = tuple(str(name) for name in values["classes"])
    return Logistic(
        classes,
        tuple(table),
        tuple(tuple(table[feature][i] for feature in table) for i in range(len(classes))),
        tuple(float(value) for value in values["bias"]),
    )
