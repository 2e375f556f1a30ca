"""Stance: accuracy, macro-F1 and calibration error on held-out parts of public sets, for any GGUF stance model."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from models.data.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair, load_set, there
from models.evaluation.classifier import Classifier, figures_of, probabilities_of
from models.evaluation.diagram import draw
from models.evaluation.figures import Figure

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
            found[Path(path).name] = rows
    if not found:
        raise FileNotFoundError(f"no {split} rows of any of {', '.join(SETS)}")
    return found


def evaluate(
    model: Classifier, data: Path, split: str = "test", limit: int | None = None, diagram: Path | None = None
) -> list[Figure]:
    """The figures of every set, and of all rows together; of the latter also a reliability diagram if asked for."""
    figures, everything = [], []
    for name, pairs in held_out(data, split, limit).items():
        probabilities = probabilities_of(model, [(pair.claim, pair.evidence) for pair in pairs], name)
        truth = np.array([model.labels.index(STANCE_OF[pair.label]) for pair in pairs])
        everything.append((probabilities, truth))
        figures += figures_of("stance", f"{name} {split}", probabilities, truth)
    probabilities, truth = (np.concatenate(parts) for parts in zip(*everything, strict=True))
    if diagram:
        draw(probabilities, truth, f"Stance, all {split} rows", diagram)
    return figures + figures_of("stance", f"all {split} rows", probabilities, truth)
