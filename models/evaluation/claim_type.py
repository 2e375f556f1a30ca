"""Claim type: accuracy on the claims written for testing and, where a data folder is given, on public news sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.data.claim_types import HAND_WRITTEN, read_claims, read_news_sentences
from models.encoder_classifier import EncoderClassifier
from models.evaluation.diagram import draw
from models.evaluation.figures import Figure
from models.evaluation.metrics import accuracy, expected_calibration_error, macro_f1, softmax


def evaluate(model: EncoderClassifier, data: Path | None = None, diagram: Path | None = None) -> list[Figure]:
    """Four-way figures on the claims written for testing; subjective against objective on CLEF 2025's news sentences."""
    rows = read_claims(HAND_WRITTEN)
    probabilities = _judged(model, [text for text, _ in rows], "hand-written claims")
    truth = np.array([model.labels.index(label) for _, label in rows])
    guess = probabilities.argmax(1)
    name, count = "hand-written claims", len(rows)
    if diagram:
        draw(probabilities, truth, f"Claim type, {name}", diagram)
    figures = [
        Figure("type", name, count, "accuracy", accuracy(guess, truth)),
        Figure("type", name, count, "macro-F1", macro_f1(guess, truth)),
        Figure("type", name, count, "calibration error", expected_calibration_error(probabilities, truth)),
    ]
    for i, label in enumerate(model.labels):
        there = truth == i
        figures.append(
            Figure("type", f"{name}, {label}", int(there.sum()), "accuracy", float((guess[there] == i).mean()))
        )
    return figures + (_news_sentences(model, read_news_sentences(data, "test_en_labeled")) if data else [])


def _judged(model: EncoderClassifier, texts: Sequence[str], name: str) -> NDArray[np.float64]:
    logits = [model.logits(text) for text in tqdm(texts, desc=name, mininterval=2)]
    return softmax(np.array(logits, dtype=np.float64) / model.temperature)


def _news_sentences(model: EncoderClassifier, rows: Sequence[tuple[str, bool]]) -> list[Figure]:
    """OPINION or MIXED counts as subjective."""
    if not rows:
        return []
    probabilities = _judged(model, [text for text, _ in rows], "news sentences")
    subjective = [model.labels.index("OPINION"), model.labels.index("MIXED")]
    guess = np.isin(probabilities.argmax(1), subjective).astype(np.int64)
    truth = np.array([int(is_subjective) for _, is_subjective in rows])
    name = "CLEF 2025 subjectivity, English test"
    return [
        Figure("type", name, len(rows), "accuracy", accuracy(guess, truth)),
        Figure("type", name, len(rows), "macro-F1", macro_f1(guess, truth)),
    ]
