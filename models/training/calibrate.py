"""Fit the numbers that the catalogue keeps beside a weight, on held-out data and with the very file that ships.

A classifier gets a temperature, by which its logits are divided (Guo et al., ICML 2017). The cross-encoder gets a scale and
an offset, so that its score is the log-odds that a text is relevant when half of all texts are (Platt, 1999).
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar

from models.data.pairs import DEV
from models.encoder_classifier import EncoderClassifier
from models.evaluation.classifier import logits_of
from models.evaluation.diagram import draw
from models.evaluation.metrics import expected_calibration_error, softmax
from models.evaluation.stance import STANCE_OF, held_out
from models.training.claim_type import own_claims
from models.training.network import Job

ROWS_PER_SET = 500


def temperature_of(logits: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    """The temperature under which the true labels are likeliest; inputs of shape (rows, labels) and (rows,)."""

    def loss(temperature: float) -> float:
        return float(-np.log(softmax(logits / temperature)[np.arange(len(truth)), truth] + 1e-12).mean())

    return float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x)


def stance_rows(job: Job) -> list[tuple[tuple[str, ...], str]]:
    """Up to 500 development rows of every set, so that no large set decides alone."""
    found = held_out(job.data, DEV, ROWS_PER_SET)
    return [((pair.claim, pair.evidence), STANCE_OF[pair.label]) for pairs in found.values() for pair in pairs]


def claim_type_rows(job: Job) -> list[tuple[tuple[str, ...], str]]:
    """The fifth of our own claims that did not train."""
    return [((text,), label) for text, label in own_claims(random.Random(job.seed))[1]]


def fit_temperature(model: EncoderClassifier, rows: list[tuple[tuple[str, ...], str]]) -> dict[str, float]:
    """Temperature, accuracy, and calibration error before and after."""
    logits = logits_of(model, [texts for texts, _ in rows], "calibrating")
    truth = np.array([model.labels.index(label) for _, label in rows])
    temperature = temperature_of(logits, truth)
    return {
        "calibration rows": len(rows),
        "accuracy": float((logits.argmax(1) == truth).mean()),
        "temperature": temperature,
        "calibration error before": expected_calibration_error(softmax(logits), truth),
        "calibration error after": expected_calibration_error(softmax(logits / temperature), truth),
    }


def _read_scores(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(raw score, whether relevant) of every row."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return np.array([row["raw"] for row in rows]), np.array([row["relevant"] for row in rows])


def fit_scale(scores: Path) -> dict[str, float]:
    """Scale and offset for raw scores of held-out rows, and how well 0.3 and 1.0 on the common scale separate."""
    raw, truth = _read_scores(scores)
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


def draw_scale(scores: Path, scale: float, offset: float, path: Path) -> None:
    """Reliability diagram of the scaled scores of held-out rows."""
    raw, truth = _read_scores(scores)
    logits = np.stack([np.zeros(len(raw)), scale * raw + offset], axis=1)
    draw(softmax(logits), truth.astype(np.int64), "Relevance, held-out rows", path)
