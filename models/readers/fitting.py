"""Fit what turns raw scores into probabilities: temperature, and relevance scale and offset.

They are fitted on held-out rows. Logits are divided by the temperature (Guo et al., ICML 2017). Scale and offset make
the relevance score the log-odds that a text is relevant when half of all texts are (Platt, 1999).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar

from models.metrics import softmax


def temperature_of(logits: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    """Find the temperature that makes the true labels likeliest.

    Inputs have shapes (rows, labels) and (rows,).
    """

    def loss(temperature: float) -> float:
        return float(-np.log(softmax(logits / temperature)[np.arange(len(truth)), truth] + 1e-12).mean())

    return float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x)


def fit_scale(raw: NDArray[np.float64], truth: NDArray[np.bool_]) -> dict[str, float]:
    """Fit scale and offset to raw scores of held-out rows.

    Also reports how well 0.3 and 1.0 on the common scale separate.

    Args:
        raw: relevance logits, shape (rows,).
        truth: whether each text is relevant to its claim, shape (rows,).
    """
    weight = np.where(truth, 0.5 / truth.mean(), 0.5 / (1 - truth.mean()))

    def loss(parameters: NDArray[np.float64]) -> float:
        logit = parameters[0] * raw + parameters[1]
        return float((weight * np.logaddexp(0, np.where(truth, -logit, logit))).mean())

    scale, offset = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    logit = scale * raw + offset
    report = {"calibration rows": len(raw), "scale": float(scale), "offset": float(offset)}
    for bound in (0.3, 1.0):
        report[f"recall at {bound}"] = float((logit >= bound)[truth].mean())
        report[f"false keeps at {bound}"] = float((logit >= bound)[~truth].mean())
    return report
