"""Stance: accuracy, macro-F1 and calibration error on held-out parts of public sets, for any GGUF stance model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.data.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair, load_set, there
from models.encoder_classifier import EncoderClassifier
from models.evaluation.diagram import draw
from models.evaluation.figures import Figure
from models.evaluation.metrics import accuracy, expected_calibration_error, macro_f1, softmax

SETS = (
    "pairs/vitaminc_real",
    "pairs/vitaminc_synthetic",
    "pairs/fever_dev_gold",
    "pairs/fever_nli",
    "pairs/fever_symmetric",
    "pairs/healthver",
    "pairs/scifact",
    "pairs/climate_fever",
    "pairs/factcheckgpt_stance",
    "eval_only/averitec",
)
"""AVeriTeC is non-commercial and never trains: its official development part, gold answers as evidence, is a test here."""
STANCE_OF = {SUPPORTS: "SUPPORTS", REFUTES: "REFUTES", NOT_ENOUGH_INFO: "NOT ENOUGH INFO"}


def held_out(data: Path, split: str, limit: int | None = None) -> dict[str, list[Pair]]:
    """Set -> its rows of `split` ("dev" or "test"), a fixed sample of `limit` where there are more.

    Raises:
        FileNotFoundError: the folder holds none of the sets.
    """
    found = {}
    for path in (path for path in SETS if there(data, path)):
        rows = [pair for pair in load_set(data, path) if pair.split == split and pair.label in STANCE_OF]
        if limit and len(rows) > limit:
            rows = random.Random(0).sample(rows, limit)
        if rows:
            found[path.rsplit("/", 1)[1]] = rows
    if not found:
        raise FileNotFoundError(f"no {split} rows of any of {', '.join(SETS)}")
    return found


def judged(model: EncoderClassifier, pairs: Sequence[Pair], name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Probabilities of shape (rows, labels), and the index of each row's true label."""
    logits = [model.logits(pair.claim, pair.evidence) for pair in tqdm(pairs, desc=name, mininterval=2)]
    truth = [model.labels.index(STANCE_OF[pair.label]) for pair in pairs]
    return softmax(np.array(logits, dtype=np.float64) / model.temperature), np.array(truth)


def evaluate(
    model: EncoderClassifier, data: Path, split: str = "test", limit: int | None = None, diagram: Path | None = None
) -> list[Figure]:
    """The figures of every set, and of all rows together; of the latter also a reliability diagram if asked for."""
    figures, everything = [], []
    for name, pairs in held_out(data, split, limit).items():
        result = judged(model, pairs, name)
        everything.append(result)
        figures += _figures(f"{name} {split}", *result)
    probabilities, truth = (np.concatenate(parts) for parts in zip(*everything, strict=True))
    if diagram:
        draw(probabilities, truth, f"Stance, all {split} rows", diagram)
    return figures + _figures(f"all {split} rows", probabilities, truth)


def _figures(name: str, probabilities: NDArray[np.float64], truth: NDArray[np.int64]) -> list[Figure]:
    guess, rows = probabilities.argmax(1), len(truth)
    return [
        Figure("stance", name, rows, "accuracy", accuracy(guess, truth)),
        Figure("stance", name, rows, "macro-F1", macro_f1(guess, truth)),
        Figure("stance", name, rows, "calibration error", expected_calibration_error(probabilities, truth)),
    ]
