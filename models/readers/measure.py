"""Measure and fit a reader on the user's machine, on our own pairs.

No bundled model trained on these pairs.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.metrics import accuracy, expected_calibration_error, macro_f1, softmax
from models.pairs import DEV, NOT_ENOUGH_INFO, REFUTES, SUPPORTS, Pair, fact_pairs, news_pairs, own_pairs, reader_pairs
from models.reader import PairReader
from models.readers.classifier import AddedReader, Classifier, Fit
from models.readers.fitting import fit_scale, temperature_of
from models.readers.record import Figures

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> unit vectors of shape (texts, 384)."""

PER_KIND = 150
"""Pairs of each of the four kinds: passages, news, short facts, and pairs on structure."""
NEAR = 100
"""Claims of each half that are also read with an unrelated text."""
NEAR_RANKS = (2, 20)
"""Such a text's ranks by nearness: the nearest of all too often settles the claim as well."""
_CODES = (SUPPORTS, REFUTES, NOT_ENOUGH_INFO)
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs (claim, text) with their true stances (positions in `LABELS`).

    `contrasts` holds positions: of a pair whose text settles the claim, and of that claim with another text.
    """

    pairs: tuple[tuple[str, str], ...]
    truth: NDArray[np.int64]
    contrasts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Readings:
    stance: NDArray[np.float64]
    relevance: NDArray[np.float64]
    speed: float


def development_pairs() -> list[Pair]:
    """Return a fixed sample of our own held-out pairs, up to 150 of each kind."""
    rng = random.Random(0)
    kinds = (
        [pair for pair in pairs if pair.split == DEV and pair.label in _CODES]
        for pairs in (own_pairs(), news_pairs(), fact_pairs(), reader_pairs())
    )
    return [pair for pairs in kinds for pair in rng.sample(pairs, min(PER_KIND, len(pairs)))]


def halves(pairs: Iterable[Pair], vectors: Vectors) -> tuple[Sample, Sample]:
    """Split the pairs into halves, to fit and to compare on, that share no text."""
    parts: tuple[list[Pair], list[Pair]] = [], []
    for pair in pairs:
        parts[_half(pair.evidence)].append(pair)
    return _sample(parts[0], vectors), _sample(parts[1], vectors)


def _half(text: str) -> int:
    return zlib.crc32(text.encode()) % 2


def _sample(pairs: Sequence[Pair], vectors: Vectors) -> Sample:
    """Return the pairs, and for some settled claims an unrelated text, which settles nothing."""
    rng = random.Random(0)
    settled = [i for i, pair in enumerate(pairs) if pair.label != NOT_ENOUGH_INFO]
    chosen = sorted(rng.sample(settled, min(NEAR, len(settled))))
    texts = sorted({pair.evidence for pair in pairs})
    nearness = vectors([pairs[i].claim for i in chosen]) @ vectors(texts).T
    rows = [(pair.claim, pair.evidence) for pair in pairs]
    for i, scores in zip(chosen, nearness, strict=True):
        others = [texts[j] for j in np.argsort(-scores) if texts[j] != pairs[i].evidence]
        rows.append((pairs[i].claim, rng.choice(others[slice(*NEAR_RANKS)] or others)))
    truth = [_CODES.index(pair.label) for pair in pairs] + [_CODES.index(NOT_ENOUGH_INFO)] * len(chosen)
    contrasts = [(i, len(pairs) + number) for number, i in enumerate(chosen)]
    return Sample(tuple(rows), np.array(truth), np.array(contrasts))


def measure(reader: PairReader, sample: Sample, name: str) -> Figures:
    """Measure `reader` as it is fitted, with a progress bar called `name`.

    Raises:
        ModelError: the reader failed on a pair.
    """
    found = _read(reader, sample, name)
    probabilities = softmax(found.stance / reader.temperature)
    guess, rows = probabilities.argmax(1), len(sample.truth)
    true = probabilities[np.arange(rows), sample.truth]
    settles, other = found.relevance[sample.contrasts].T
    return Figures(
        rows,
        accuracy(guess, sample.truth),
        macro_f1(guess, sample.truth),
        float(-np.log(true + 1e-12).mean()),
        expected_calibration_error(probabilities, sample.truth),
        float((settles > other).mean()),
        found.speed,
    )


def fit(classifier: Classifier, sample: Sample) -> Fit:
    """Fit which text comes first, the temperature, and the relevance scale and offset.

    Inference sets put the text first, some sets of facts the claim. No configuration says which, so both are tried.

    Raises:
        ModelError: the classifier failed on a pair.
    """
    tried = {
        first: _read(AddedReader(classifier, Fit(first)), sample, f"fitting, {'text' if first else 'claim'} first")
        for first in (True, False)
    }
    right = {first: accuracy(found.stance.argmax(1), sample.truth) for first, found in tried.items()}
    text_first = right[True] >= right[False]
    found = tried[text_first]
    scaled = fit_scale(found.relevance, sample.truth != _CODES.index(NOT_ENOUGH_INFO))
    temperature = temperature_of(found.stance, sample.truth)
    return Fit(text_first, temperature, scaled["scale"], scaled["offset"])


def _read(reader: PairReader, sample: Sample, name: str) -> _Readings:
    begin, found = time.monotonic(), []
    with tqdm(total=len(sample.pairs), desc=name, unit="pair") as bar:
        for start in range(0, len(sample.pairs), _AT_ONCE):
            part = sample.pairs[start : start + _AT_ONCE]
            found += reader.read(part)
            bar.update(len(part))
    speed = len(found) / max(time.monotonic() - begin, 1e-9)
    stance = np.array([reading.stance for reading in found], dtype=np.float64)
    return _Readings(stance, np.array([reading.relevance for reading in found], dtype=np.float64), speed)
