"""Make texts, vectors and queries for the store benchmark, from a fixed seed (see `store`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
WIDTH, BATCH, TOP = 384, 10_000, 20
ROWS_PER_TOPIC, WORDS, TOPIC_WORDS = 500, 20_000, 200
QUERIES = 210


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of the data set: texts, and their unit vectors of shape (texts, 384)."""

    texts: list[str]
    vectors: Vectors


class World:
    """The data set: topics, and rows and queries drawn from them, always the same ones."""

    def __init__(self, rows: int) -> None:
        """`rows`: how many rows there will be, which decides the number of topics."""
        self.rows = rows
        self._topics = _unit(np.random.default_rng(0).normal(size=(max(20, rows // ROWS_PER_TOPIC), WIDTH)))
        self._words = _words()

    def batches(self) -> Iterator[Batch]:
        """All rows, 10,000 at a time."""
        for start in range(0, self.rows, BATCH):
            yield self._draw(np.random.default_rng((1, start)), min(BATCH, self.rows - start), 20, start)

    def queries(self) -> Batch:
        """Return the queries: drawn like rows, but of 6 words."""
        return self._draw(np.random.default_rng(2), QUERIES, 6, None)

    def _draw(self, rng: np.random.Generator, count: int, words: int, number_from: int | None) -> Batch:
        topics = rng.integers(0, len(self._topics), count)
        noise = rng.normal(scale=WIDTH**-0.5, size=(count, WIDTH))
        common = (WORDS * rng.random((count, words)) ** 4).astype(int)
        own = (topics[:, None] * 37 + (TOPIC_WORDS * rng.random((count, words)) ** 2).astype(int) * 91) % WORDS
        chosen = np.where(rng.random((count, words)) < 0.6, own, common)
        texts = [" ".join(self._words[i] for i in row) for row in chosen]
        if number_from is not None:
            texts = [f"{text} {number_from + i}" for i, text in enumerate(texts)]
        return Batch(texts, _unit(self._topics[topics] + noise))


def _unit(vectors: NDArray[np.float64]) -> Vectors:
    found: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return found


def _words() -> list[str]:
    """20,000 different words of two or three syllables."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
    rng = np.random.default_rng(3)
    found: dict[str, None] = {}
    while len(found) < WORDS:
        found["".join(rng.choice(syllables, int(rng.integers(2, 4))))] = None
    return list(found)


def nearest_of_all(world: World, queries: Vectors) -> list[set[str]]:
    """Return the numbers of each query's 20 nearest rows by cosine, comparing with every row."""
    scores = np.full((len(queries), TOP), -1.0, dtype=np.float32)
    rows = np.zeros((len(queries), TOP), dtype=np.int64)
    for number, batch in enumerate(world.batches()):
        both = np.hstack([scores, queries @ batch.vectors.T])
        places = np.broadcast_to(np.arange(len(batch.texts)) + number * BATCH, (len(queries), len(batch.texts)))
        all_rows = np.hstack([rows, places])
        best = np.argpartition(-both, TOP - 1, axis=1)[:, :TOP]
        scores, rows = np.take_along_axis(both, best, 1), np.take_along_axis(all_rows, best, 1)
    return [{str(row) for row in line} for line in rows.tolist()]
