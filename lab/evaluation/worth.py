"""Measure average precision on debate sentences labelled as worth a check or not (ClaimBuster)."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from errors import InputError
from lab.evaluation.figures import Figure
from models.pairs import open_text
from verifier.document.worth import worth_of
from verifier.interfaces import Classifier

_FOLDER = Path("claim_type") / "claimbuster"
HELD_OUT = "two_class_test.json"
_DEBATES = "clef19_CT19-T1-Test.csv"


def evaluate(model: Classifier, data: Path, limit: int | None = None) -> list[Figure]:
    """Return figures on ClaimBuster's held-out sentences and on CLEF 2019's debates.

    Half of the former are worth a check, and one in fifty of the latter.

    Raises:
        InputError: the data folder lacks the files.
    """
    figures = []
    for name, rows in (("ClaimBuster, held out", _held_out(data)), ("CLEF 2019 task 1, test", _debates(data))):
        chosen = rows[:limit]
        scores = [worth_of(text, model.probabilities(text)) for text, _ in tqdm(chosen, desc=name)]
        truth = np.array([label for _, label in chosen])
        figures.append(Figure("worth", name, len(chosen), "average precision", average_precision(scores, truth)))
        figures.append(Figure("worth", name, len(chosen), "share worth a check", float(truth.mean())))
    return figures


def average_precision(scores: Sequence[float], truth: NDArray[np.int64]) -> float:
    """Return the mean precision at rows worth a check, in order of scores."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    found = truth[order]
    precision = np.cumsum(found) / np.arange(1, len(found) + 1)
    return float(precision[found == 1].mean())


def _held_out(data: Path) -> list[tuple[str, int]]:
    try:
        rows = json.loads((data / _FOLDER / HELD_OUT).read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise InputError(f"{data / _FOLDER} lacks {HELD_OUT} of ClaimBuster: see its repository") from exc
    return [(row["text"], int(row["label"])) for row in rows]


def _debates(data: Path) -> list[tuple[str, int]]:
    with open_text(data / _FOLDER / _DEBATES) as file:
        return [(row["text"], int(row["label"])) for row in csv.DictReader(file)]
