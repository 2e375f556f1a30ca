"""Hard negatives: texts near to a query in meaning (by the embedder) or in words (BM25) that are not its own."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from torch.nn import functional
from tqdm import tqdm

from models.training.network import MeanPooledEncoder, batches

BM25_K1, BM25_B = 1.2, 0.75
"""Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009)."""


def unit_vectors(model: MeanPooledEncoder, ids: Sequence[list[int]]) -> NDArray[np.float32]:
    """Unit vectors of shape (rows, hidden) of rows of token ids."""
    out = np.zeros((len(ids), model.encoder.config.hidden_size), dtype=np.float32)
    with torch.inference_mode(), tqdm(total=len(ids), desc="embedding", mininterval=10) as bar:
        for rows in batches([len(row) for row in ids], 64, None):
            out[rows] = functional.normalize(model.mean([ids[i] for i in rows]), dim=-1).cpu().numpy()
            bar.update(len(rows))
    return out


def bm25(texts: Sequence[str], queries: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
    """(queries, words) and (texts, words) whose product gives the BM25 score of every text for every query."""
    counter = CountVectorizer(stop_words="english")
    counts = csr_matrix(counter.fit_transform(texts), dtype=np.float64)
    lengths = np.asarray(counts.sum(1)).ravel()
    there = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log1p((len(texts) - there + 0.5) / (there + 0.5))
    norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths / lengths.mean())
    per_entry = np.repeat(norm, np.diff(counts.indptr))
    counts.data = counts.data * (BM25_K1 + 1) / (counts.data + per_entry) * rarity[counts.indices]
    return csr_matrix(counter.transform(queries) > 0, dtype=np.float64), counts


def owned(pairs: Iterable[tuple[str, str]], number: Mapping[str, int]) -> dict[str, set[int]]:
    """Query -> the numbers of its own texts."""
    own: dict[str, set[int]] = {}
    for query, text in pairs:
        own.setdefault(query, set()).add(number[text])
    return own


def near_but_not_own(scores: NDArray[Any], own: Collection[int], ranks: tuple[int, int], rng: random.Random) -> int:
    """A position among the best-scored that is not one of `own`: between the two ranks, counted without `own`."""
    nearest = np.argpartition(-scores, ranks[1])[: ranks[1]]
    usable: list[int] = [i for i in nearest[np.argsort(-scores[nearest])].tolist() if i not in own]
    return rng.choice(usable[ranks[0] :])
