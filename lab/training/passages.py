"""Make pairs with near-topic passages that say nothing, and with long ones that bury evidence."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from tqdm import tqdm

from models.pairs import NOT_ENOUGH_INFO, TRAIN, Pair

NEAR = (0.08, 0.4)
"""TF-IDF cosine of passages on like subjects; above it, they too often settle the claim."""
_POOL = ("fever", "vitaminc", "scifact", "factcheck", "facts")
_LONG_WORDS = 170


def near_topic_negatives(pairs: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """Pair claims with another page's passage, four in five near the topic: not enough info."""
    rng = random.Random(seed)
    return [
        Pair(
            pair.claim, rng.choice(near if rng.random() < 0.8 else everything), NOT_ENOUGH_INFO, "made_negative", TRAIN
        )
        for pair, near, everything in _with_near_passages(pairs, count, rng)
    ]


def long_passages(pairs: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """Put a pair's evidence into up to 170 words of near-topic passages; its label stays."""
    rng = random.Random(seed)
    short = [pair for pair in pairs if len(pair.evidence.split()) <= 60]
    made = []
    for pair, near, _ in _with_near_passages(short, count, rng):
        texts = [pair.evidence]
        for text in rng.sample(near, min(5, len(near))):
            if sum(len(t.split()) for t in texts) + len(text.split()) <= _LONG_WORDS:
                texts.insert(rng.randint(0, len(texts)), text)
        made.append(Pair(pair.claim, " ".join(texts), pair.label, "made_long", TRAIN))
    return made


def _with_near_passages(
    pairs: Sequence[Pair], count: int, rng: random.Random
) -> Iterator[tuple[Pair, list[str], list[str]]]:
    """(pair, passages near its claim, all passages) for up to `count` pairs that have any."""
    pool = [pair for pair in pairs if pair.source.startswith(_POOL)]
    chosen = rng.sample(pool, min(count, len(pool)))
    passages = sorted({pair.evidence for pair in rng.sample(pool, min(12_000, len(pool)))})
    vectorizer = TfidfVectorizer(stop_words="english", max_features=60_000, sublinear_tf=True)
    there = vectorizer.fit_transform(passages)
    here = vectorizer.transform([pair.claim for pair in chosen])
    for start in tqdm(range(0, len(chosen), 500), desc="passages near the topic"):
        similar: NDArray[np.float64] = (here[start : start + 500] @ there.T).toarray()
        for pair, row in zip(chosen[start : start + 500], similar, strict=True):
            near = [passages[i] for i in np.flatnonzero((row > NEAR[0]) & (row < NEAR[1]))]
            if near:
                yield pair, near, passages
