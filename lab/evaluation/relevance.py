"""Measure how the cross-encoder improves the embedder's order, and finds answers among sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lab.data.ranking import read_corpus, read_questions
from lab.evaluation.figures import Figure
from lab.evaluation.retrieval import ranked
from models.encoders.embedder import Embedder
from models.metrics import ndcg_at, reciprocal_rank

DEPTH = 20


class Reranker(Protocol):
    """What is measured: a query and texts -> a score of each."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts,)."""


def evaluate(reranker: Reranker, embedder: Embedder, data: Path) -> list[Figure]:
    """Return nDCG@10 of the embedder's first 20 abstracts, as found and reranked.

    Also return the mean reciprocal rank on SelQA's test.
    """
    return _reranked(reranker, embedder, data) + _answers(reranker, data)


def _reranked(reranker: Reranker, embedder: Embedder, data: Path) -> list[Figure]:
    corpus = read_corpus(data)
    before, after = [], []
    for result in tqdm(ranked(embedder, corpus, data, DEPTH), desc="reranking", mininterval=2):
        scores = reranker.scores(result.claim, [corpus[name] for name in result.found])
        before.append(ndcg_at(10, result.found, result.relevant))
        after.append(ndcg_at(10, [result.found[i] for i in np.argsort(-scores)], result.relevant))
    split = "SciFact dev, first 20"
    return [
        Figure("relevance", split, len(before), "nDCG@10 embedder", float(np.mean(before))),
        Figure("relevance", split, len(after), "nDCG@10 reranked", float(np.mean(after))),
    ]


def _answers(reranker: Reranker, data: Path) -> list[Figure]:
    found = []
    for question, sentences, answers in tqdm(list(read_questions(data, "test")), desc="questions", mininterval=2):
        order = np.argsort(-reranker.scores(question, sentences))
        found.append(reciprocal_rank(order.tolist(), answers))
    return [Figure("relevance", "SelQA test", len(found), "MRR", float(np.mean(found)))]
