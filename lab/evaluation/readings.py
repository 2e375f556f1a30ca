"""Keep an instruct model's readings of texts in a file, calibrate, pool and measure them.

They are pooled with those of the small models.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.llm.generator import Generator
from verifier.llm.assistant import Limits, load_prompt
from verifier.llm.likelihood import Calibration, read_text

SEED = 23
_SECONDS = 300.0
_DRAWS, _STEPS = 4_000, 3_000
_PENALTY = 0.1
_STANCES = 3

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Text:
    """A labelled text: small models' stance chances, instruct model's readings, and the true stance's index."""

    ours: Array
    readings: Array
    truth: int


class Readings:
    """What the model said, kept in a file of JSON lines."""

    def __init__(self, path: Path, load: Callable[[], Generator]) -> None:
        """`load` makes the model when something is asked that the file does not hold."""
        self._path, self._load = path, load
        self._model: Generator | None = None
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._known = {(row["claim"], row["text"]): np.array(row["read"]) for row in map(json.loads, lines)}

    def __call__(self, claim: str, text: str) -> Array:
        """The likelihoods, from the file or from the model."""
        if (claim, text) not in self._known:
            self._model = self._model or self._load()
            found = read_text(self._model, load_prompt("stance"), claim, text, Limits(_SECONDS))
            self._known[claim, text] = found
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"claim": claim, "text": text, "read": found.round(6).tolist()}) + "\n")
        return self._known[claim, text]


def fit_calibration(texts: Sequence[Text]) -> Calibration:
    """Fit the temperature and bias that make the true stances likeliest, with stances weighted equally.

    Gradient descent on the cross-entropy and a penalty for leaving the model's own likelihoods. The stances are
    balanced because the small models' chances, with which these are pooled, already hold how common each is.
    """
    logs = np.array([np.log(np.maximum(text.readings, 1e-9)).mean(axis=0) for text in texts])
    labels = [text.truth for text in texts]
    truth = np.eye(_STANCES)[labels]
    share = 1 / np.bincount(labels, minlength=_STANCES)[labels]
    share = (share / share.sum())[:, None]
    scale, bias = 1.0, np.zeros(_STANCES)
    for _ in range(_STEPS):
        odds = np.exp(logs * scale + bias)
        error = share * (odds / odds.sum(axis=1, keepdims=True) - truth)
        scale = max(scale - 0.1 * (float((error * logs).sum()) + _PENALTY * (scale - 1)), 0.05)
        bias = bias - 0.1 * (error.sum(axis=0) + _PENALTY * bias)
    supports, refutes, neutral = (bias - bias.mean()).round(3).tolist()
    return Calibration(round(1 / scale, 3), (supports, refutes, neutral))


def chances(texts: Sequence[Text], calibration: Calibration) -> tuple[Array, Array]:
    """The small models' stances and the instruct model's, shape (texts, stances) each."""
    found = [calibration.stance(text.readings) for text in texts]
    return np.array([text.ours for text in texts]), np.array([[s.supports, s.refutes, s.neutral] for s in found])


def pooled(ours: Array, theirs: Array, weight: float) -> Array:
    """Both as `verifier.judgement.cascade` pools them."""
    odds = np.maximum(ours, 1e-9) * np.maximum(theirs, 1e-6) ** weight
    shares: Array = odds / odds.sum(axis=1, keepdims=True)
    return shares


def loss(shares: Array, truth: Sequence[int]) -> float:
    """The cross-entropy, in nats per text."""
    return float(-np.log(shares[np.arange(len(truth)), list(truth)]).mean())


def difference(before: Sequence[bool], after: Sequence[bool]) -> tuple[float, float, float]:
    """Return the gain in the share of right verdicts, and its 95% interval.

    The interval is by a paired bootstrap over claims.
    """
    gains = np.array(after, float) - np.array(before, float)
    draws = np.random.default_rng(SEED).choice(gains, (_DRAWS, len(gains))).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(gains.mean()), float(low), float(high)
