"""Mine hard negatives: texts near a query that are not its own.

They are near in meaning (by the embedder) or in words (BM25).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from torch.nn import functional
from tqdm import tqdm

from lab.data.pairs import load_set
from lab.data.ranking import read_questions
from lab.training.network import MeanPooledEncoder, batches
from models.pairs import DEV, SUPPORTS, TEST, TRAIN, split_of

BM25_K1, BM25_B = 1.2, 0.75
"""Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009)."""
NEAR_RANKS = (2, 20)
"""Ranks of hard negatives: other texts at the first two too often settle the claim."""
SCIENCE_RANKS = (0, 20)
"""Ranks from 0: SciFact's makers looked for every abstract that settles a claim.

So even the nearest of the others do not settle it.
"""
QUESTION_SET = "nli/qnli_dev_relevance"

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> unit vectors of shape (texts, 384)."""


def unit_vectors(model: MeanPooledEncoder, ids: Sequence[list[int]]) -> NDArray[np.float32]:
    """Unit vectors of shape (rows, hidden) of rows of token ids."""
    out = np.zeros((len(ids), model.encoder.config.hidden_size), dtype=np.float32)
    with torch.inference_mode(), tqdm(total=len(ids), desc="embedding", mininterval=10) as bar:
        for rows in batches([len(row) for row in ids], 64, None):
            out[rows] = functional.normalize(model.mean([ids[i] for i in rows]), dim=-1).cpu().numpy()
            bar.update(len(rows))
    return out


def bm25(texts: Sequence[str], queries: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
    """Return matrices (queries, words) and (texts, words).

    Their product gives the BM25 score of every text for every query.
    """
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
    """Draw a position among the best-scored that is not in `own`.

    It lies between the two ranks, counted without `own`.
    """
    nearest = np.argpartition(-scores, ranks[1])[: ranks[1]]
    usable: list[int] = [i for i in nearest[np.argsort(-scores[nearest])].tolist() if i not in own]
    return rng.choice(usable[ranks[0] :])


@dataclass(frozen=True, slots=True)
class Ranked:
    """A query, a text, and whether the text bears on the query."""

    query: str
    text: str
    relevant: bool
    kind: str


def mined_negatives(
    positives: Sequence[tuple[str, str]],
    pool: Sequence[str],
    vectors: Vectors,
    seed: int,
    ranks: tuple[int, int] = NEAR_RANKS,
    turns: int = 1,
) -> list[Ranked]:
    """For every query, draw texts of `pool` near in meaning, near in words, and random.

    One of each is drawn `turns` times. The near ones are never the query's own.
    """
    rng = random.Random(seed)
    own = owned(positives, {text: i for i, text in enumerate(pool)})
    queries = sorted(own)
    here, there = vectors(queries), vectors(pool)
    here_words, there_words = bm25(pool, queries)
    rows = []
    for start in tqdm(range(0, len(queries), 256), desc="mining"):
        meaning = here[start : start + 256] @ there.T
        wording = (here_words[start : start + 256] @ there_words.T).toarray()
        for query, by_meaning, by_words in zip(queries[start : start + 256], meaning, wording, strict=True):
            for _ in range(turns):
                for kind, scores in (("near in meaning", by_meaning), ("near in words", by_words)):
                    rows.append(Ranked(query, pool[near_but_not_own(scores, own[query], ranks, rng)], False, kind))
                rows.append(Ranked(query, rng.choice(pool), False, "random"))
    return rows


def question_rows(folder: Path) -> dict[str, list[Ranked]]:
    """Return questions with sentences that answer them or not; SelQA's test is left for testing."""
    rows: dict[str, list[Ranked]] = {TRAIN: [], DEV: [], TEST: []}
    for question, sentences, answers in read_questions(folder, "dev"):
        others = [i for i in range(len(sentences)) if i not in answers][:3]
        part = rows[DEV if split_of("selqa", question) == DEV else TRAIN]
        part += [Ranked(question, sentences[i], i in answers, "question") for i in (*sorted(answers), *others)]
    for pair in load_set(folder, QUESTION_SET):
        rows[pair.split].append(Ranked(pair.claim, pair.evidence, pair.label == SUPPORTS, "question"))
    return rows
