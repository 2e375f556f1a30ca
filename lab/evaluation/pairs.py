"""Measure accuracy on 600 pairs written to be hard, by kind.

The kinds are who did what to whom, which subject, comparison, order, and negation.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from lab.evaluation.classifier import Classifier, figures_of, probabilities_of
from lab.evaluation.figures import Figure
from lab.evaluation.stance import STANCE_OF

WRITTEN = Path(__file__).parents[2] / "tests" / "data" / "reader_pairs.jsonl"
"""One object per line: kind, claim, evidence, label (S, R or N).

Written apart from all training rows.
"""


def evaluate(model: Classifier, path: Path = WRITTEN) -> list[Figure]:
    """Three-way accuracy, macro-F1 and calibration error of all pairs, then the accuracy of each kind.

    Raises:
        FileNotFoundError: the pairs are not there.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    probabilities = probabilities_of(model, [(row["claim"], row["evidence"]) for row in rows], "pairs")
    truth = np.array([model.labels.index(STANCE_OF[row["label"]]) for row in rows])
    kinds = np.array([row["kind"] for row in rows])
    right = probabilities.argmax(1) == truth
    by_kind = [
        Figure("pairs", kind, int((kinds == kind).sum()), "accuracy", float(right[kinds == kind].mean()))
        for kind in dict.fromkeys(kinds.tolist())
    ]
    return figures_of("pairs", "all kinds", probabilities, truth) + by_kind
