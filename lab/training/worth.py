"""Fit how much a sentence deserves a check, and write `verifier/document/worth.json`.

python -m lab.training.worth

It fits our own sentences alone. Public sets may be measured on, not fitted to:
`python -m lab.evaluation worth --data DIR`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import exit_status
from verifier.build import load_claim_type
from verifier.document.worth import FEATURES, FILE, features_of
from verifier.interfaces import Classifier
from verifier.settings import Settings

SENTENCES = Path(__file__).with_name("check_worthy.jsonl")
"""Written for this, in the manner of speeches, articles and chatbots."""
_PENALTY = 60.0
"""Chosen by 500 rows of ClaimBuster that are not held out.

Average precision was 0.788, with no score needlessly near 0 or 1.
"""
_STEPS = 50

Numbers = NDArray[np.float64]


def read_sentences(path: Path = SENTENCES) -> list[tuple[str, int]]:
    """Read (sentence, 1 if it deserves a check, else 0) rows."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["sentence"], row["worth"]) for row in rows]


def fit(values: Numbers, truth: Numbers, penalty: float = _PENALTY) -> tuple[Numbers, float]:
    """Fit the weights and bias that make the truth likeliest, less a penalty on weights.

    Uses Newton's method, on features scaled to one width; `values` has the shape (rows, features).
    """
    mean, width = values.mean(0), values.std(0) + 1e-9
    rows = np.hstack([(values - mean) / width, np.ones((len(values), 1))])
    shrink = np.diag([penalty] * values.shape[1] + [0.0])
    found = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (chance - truth) + shrink @ found
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + shrink + 1e-9 * np.eye(len(found))
        found -= np.linalg.solve(bend, slope)
    weights = found[:-1] / width
    return weights, float(found[-1] - weights @ mean)


def values_of(sentences: Sequence[str], model: Classifier) -> Numbers:
    """The features of sentences, shape (sentences, features)."""
    return np.array([features_of(text, model.probabilities(text)) for text in sentences])


def _write() -> None:
    rows = read_sentences()
    values = values_of([text for text, _ in rows], load_claim_type(Settings.from_env()))
    weights, bias = fit(values, np.array([worth for _, worth in rows], dtype=np.float64))
    table = {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)}
    FILE.write_text(json.dumps({"weights": table, "bias": round(bias, 4)}, indent=1) + "\n", encoding="utf-8")
    print(f"{len(rows)} sentences: {FILE} written")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after printing an error in one line."""
    argparse.ArgumentParser(prog="python -m lab.training.worth", description=__doc__).parse_args(arguments)
    return exit_status(_write, "stopped")


if __name__ == "__main__":
    sys.exit(main())
