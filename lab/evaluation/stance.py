"""Measure stance accuracy, macro-F1 and calibration error on held-out parts of public sets.

Takes any GGUF stance model.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from lab.data.pairs import load_set, there
from lab.evaluation.classifier import Classifier, figures_of, probabilities_of
from lab.evaluation.diagram import draw
from lab.evaluation.figures import Figure
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair

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
"""AVeriTeC is non-commercial and never trains.

Its official development part, with gold answers as evidence, is a test here.
"""
_TOPIC_SETS = ("vitaminc_real", "fever_nli", "scifact")
"""Sets whose unsettled rows are on the claim's own topic."""
_UNRELATED = 500
STANCE_OF = {SUPPORTS: "SUPPORTS", REFUTES: "REFUTES", NOT_ENOUGH_INFO: "NOT ENOUGH INFO"}


def held_out(data: Path, split: str, limit: int | None = None) -> dict[str, list[Pair]]:
    """Return set -> its rows of `split` ("dev" or "test").

    Where there are more than `limit`, it is a fixed sample of that many.

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
    """Return the figures of every set, and of all rows together.

    A reliability diagram of all rows is drawn if asked for.
    """
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


def decisive(model: Classifier, data: Path, split: str = "test", limit: int | None = None) -> list[Figure]:
    """Measure how often the model takes a side on unrelated and on unsettled same-topic texts."""
    found = held_out(data, split, limit)
    rows = [pair for pairs in found.values() for pair in pairs]
    rng = random.Random(0)
    claims, texts = (rng.sample(rows, min(_UNRELATED, len(rows))) for _ in range(2))
    unrelated = [
        (one.claim, other.evidence) for one, other in zip(claims, texts, strict=True) if one.source != other.source
    ]
    same = [
        (pair.claim, pair.evidence)
        for name in _TOPIC_SETS
        for pair in found.get(name, ())
        if pair.label == NOT_ENOUGH_INFO
    ]
    figures = []
    for name, texts_read in (("unrelated pairs", unrelated), ("same topic, unsettled", same)):
        if texts_read:
            guess = probabilities_of(model, texts_read, name).argmax(1)
            share = float((guess != model.labels.index(STANCE_OF[NOT_ENOUGH_INFO])).mean())
            figures.append(Figure("stance", f"{name}, {split}", len(texts_read), "taken for decisive", share))
    return figures
