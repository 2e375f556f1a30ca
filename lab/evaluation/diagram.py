"""Reliability diagrams: how often a model is right at each level of confidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from models.metrics import expected_calibration_error, reliability


def draw(probabilities: NDArray[np.float64], truth: NDArray[np.int64], title: str, path: Path) -> None:
    """Write a PNG of accuracy against confidence in ten bins.

    The dots are as large as their share of the rows.

    Args:
        probabilities: shape (rows, labels).
        truth: the true labels, shape (rows,).
        title: what was measured.
        path: the file.

    Raises:
        InputError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as exc:
        raise InputError("diagrams need matplotlib; run: pip install -r requirements-dev.txt") from exc
    sure, right, rows = np.array(reliability(probabilities, truth)).T
    error = expected_calibration_error(probabilities, truth)
    figure = Figure(figsize=(4.5, 4.5), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    axes.plot(sure, right, color="#1f5fa8", linewidth=1)
    axes.scatter(sure, right, s=400 * rows / rows.sum() + 12, color="#1f5fa8")
    axes.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_title(f"{title}\n{len(truth):,} rows, calibration error {error:.3f}", fontsize=10)
    figure.savefig(path)
