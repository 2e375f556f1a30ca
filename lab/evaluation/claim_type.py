"""Measure claim-type accuracy on test claims and, with a data folder, on public news sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lab.data.claim_types import HAND_WRITTEN, read_claims, read_news_sentences
from lab.evaluation.classifier import Classifier, figures_of, probabilities_of
from lab.evaluation.diagram import draw
from lab.evaluation.figures import Figure
from models.metrics import accuracy, macro_f1


def evaluate(model: Classifier, data: Path | None = None, diagram: Path | None = None) -> list[Figure]:
    """Return four-way figures on the claims written for testing.

    On CLEF 2025's news sentences, the figures are subjective against objective.
    """
    rows = read_claims(HAND_WRITTEN)
    name = "hand-written claims"
    probabilities = probabilities_of(model, [(text,) for text, _ in rows], name)
    truth = np.array([model.labels.index(label) for _, label in rows])
    if diagram:
        draw(probabilities, truth, f"Claim type, {name}", diagram)
    figures = figures_of("type", name, probabilities, truth)
    for i, label in enumerate(model.labels):
        right = probabilities.argmax(1)[truth == i] == i
        figures.append(Figure("type", f"{name}, {label}", len(right), "accuracy", float(right.mean())))
    return figures + (_news_sentences(model, read_news_sentences(data, "test_en_labeled")) if data else [])


def _news_sentences(model: Classifier, rows: Sequence[tuple[str, bool]]) -> list[Figure]:
    """Count OPINION or MIXED as subjective."""
    if not rows:
        return []
    probabilities = probabilities_of(model, [(text,) for text, _ in rows], "news sentences")
    subjective = [model.labels.index("OPINION"), model.labels.index("MIXED")]
    guess = np.isin(probabilities.argmax(1), subjective).astype(np.int64)
    truth = np.array([int(is_subjective) for _, is_subjective in rows])
    name = "CLEF 2025 subjectivity, English test"
    return [
        Figure("type", name, len(rows), "accuracy", accuracy(guess, truth)),
        Figure("type", name, len(rows), "macro-F1", macro_f1(guess, truth)),
    ]
