"""Fit the numbers that the catalogue keeps beside a weight, on held-out data and with the very file that ships.

python -m models.training.calibrate stance --data DIR --model stance.gguf
python -m models.training.calibrate claim-type --claims FILE.jsonl --model claim-type.gguf
python -m models.training.calibrate relevance --scores dev.json

A classifier gets a temperature, by which its logits are divided (Guo et al., ICML 2017). The cross-encoder gets a scale and
an offset, so that its score is the log-odds that a text is relevant when half of all texts are (Platt, 1999).
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from tqdm import tqdm

from models.encoder_classifier import EncoderClassifier
from models.training.claim_type import LABELS as CLAIM_TYPES
from models.training.claim_type import read_claims
from models.training.data import DEV, NOT_ENOUGH_INFO, REFUTES, SUPPORTS, load_pairs
from models.training.stance import LABELS as STANCES

_STANCE_OF = {SUPPORTS: "SUPPORTS", REFUTES: "REFUTES", NOT_ENOUGH_INFO: "NOT ENOUGH INFO"}


def temperature_of(log_probabilities: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    """The temperature under which the true labels are likeliest; inputs of shape (rows, labels) and (rows,)."""

    def loss(temperature: float) -> float:
        scaled = log_probabilities / temperature
        scaled = scaled - np.log(np.exp(scaled).sum(1, keepdims=True))
        return float(-scaled[np.arange(len(truth)), truth].mean())

    return float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x)


def expected_calibration_error(probabilities: NDArray[np.float64], truth: NDArray[np.int64], bins: int = 10) -> float:
    """Mean distance between confidence and accuracy over equal bins of confidence, weighted by their size."""
    sure, right = probabilities.max(1), probabilities.argmax(1) == truth
    which = np.minimum((sure * bins).astype(int), bins - 1)
    parts = [
        abs(sure[which == b].mean() - right[which == b].mean()) * (which == b).mean()
        for b in range(bins)
        if (which == b).any()
    ]
    return float(sum(parts))


def classifier_report(model: EncoderClassifier, rows: Sequence[tuple[tuple[str, ...], str]]) -> dict[str, float]:
    """Temperature, accuracy, and calibration error before and after."""
    log_p = np.array([np.log(np.maximum(list(model.probabilities(*texts).values()), 1e-9)) for texts, _ in tqdm(rows)])
    truth = np.array([model.labels.index(label) for _, label in rows])
    temperature = temperature_of(log_p, truth)
    after = np.exp(log_p / temperature)
    after /= after.sum(1, keepdims=True)
    return {
        "rows": len(rows),
        "accuracy": float((log_p.argmax(1) == truth).mean()),
        "temperature": temperature,
        "calibration error before": expected_calibration_error(np.exp(log_p), truth),
        "calibration error after": expected_calibration_error(after, truth),
    }


def relevance_report(scores: Path) -> dict[str, float]:
    """Scale and offset, and how well 0.3 on the common scale separates."""
    rows = json.loads(scores.read_text(encoding="utf-8"))
    raw, truth = np.array([row["raw"] for row in rows]), np.array([row["relevant"] for row in rows])
    weight = np.where(truth, 0.5 / truth.mean(), 0.5 / (1 - truth.mean()))

    def loss(parameters: NDArray[np.float64]) -> float:
        logit = parameters[0] * raw + parameters[1]
        return float((weight * np.logaddexp(0, np.where(truth, -logit, logit))).mean())

    scale, offset = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    logit = scale * raw + offset
    kept = logit >= 0.3
    return {
        "rows": len(rows),
        "scale": float(scale),
        "offset": float(offset),
        "recall at 0.3": float(kept[truth].mean()),
        "false keeps at 0.3": float(kept[~truth].mean()),
        "recall at 1.0": float((logit >= 1.0)[truth].mean()),
        "false keeps at 1.0": float((logit >= 1.0)[~truth].mean()),
    }


def main() -> None:
    """Fit one model's numbers and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", choices=("stance", "claim-type", "relevance"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--claims", type=Path)
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--rows", type=int, default=4_000)
    args = parser.parse_args()
    if args.role == "relevance":
        report = relevance_report(args.scores)
    elif args.role == "stance":
        pairs = [pair for pair in load_pairs(args.data)[DEV] if pair.label in _STANCE_OF]
        random.Random(0).shuffle(pairs)
        rows = [((pair.claim, pair.evidence), _STANCE_OF[pair.label]) for pair in pairs[: args.rows]]
        report = classifier_report(EncoderClassifier(args.model, 1, STANCES), rows)
    else:
        found = read_claims(args.claims)
        report = classifier_report(
            EncoderClassifier(args.model, 1, CLAIM_TYPES), [((text,), label) for text, label in found]
        )
    tqdm.write(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
