"""Measure whether the embedder finds the abstracts that settle a scientific claim among 5,183.

Also measure whether it still knows general likeness. The claims are SciFact's development set with the abstracts that
their makers cited, as in the BEIR benchmark. The questions are SelQA's, far from any claim: an embedder that forgot
general likeness loses there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lab.data.ranking import read_corpus, read_questions, read_scientific_claims
from lab.evaluation.figures import Figure
from models.encoders.embedder import Embedder
from models.metrics import ndcg_at, recall_at, reciprocal_rank


@dataclass(frozen=True, slots=True)
class Ranked:
    """A claim, the documents that its makers cited, and those found, best first."""

    claim: str
    relevant: frozenset[str]
    found: tuple[str, ...]


def embedded(embedder: Embedder, texts: Sequence[str], name: str) -> NDArray[np.float32]:
    """Unit vectors of shape (texts, 384), with a progress bar."""
    return np.vstack([embedder.embed([text]) for text in tqdm(texts, desc=name, mininterval=2)])


def ranked(embedder: Embedder, corpus: Mapping[str, str], data: Path, depth: int) -> list[Ranked]:
    """Every development claim with its `depth` nearest documents by cosine."""
    names = list(corpus)
    claims = read_scientific_claims(data, "dev")
    documents = embedded(embedder, list(corpus.values()), "embedding abstracts")
    queries = embedded(embedder, [claim for claim, _ in claims], "embedding claims")
    order = np.argsort(-(queries @ documents.T), axis=1)[:, :depth]
    return [
        Ranked(claim, relevant, tuple(names[i] for i in row))
        for (claim, relevant), row in zip(claims, order, strict=True)
    ]


def evaluate(embedder: Embedder, data: Path) -> list[Figure]:
    """Return corpus-wide recall and nDCG, and the mean reciprocal rank of answers to questions."""
    corpus = read_corpus(data)
    results = ranked(embedder, corpus, data, 100)
    measures: dict[str, Callable[[Ranked], float]] = {
        "recall@5": lambda r: recall_at(5, r.found, r.relevant),
        "recall@20": lambda r: recall_at(20, r.found, r.relevant),
        "recall@100": lambda r: recall_at(100, r.found, r.relevant),
        "nDCG@10": lambda r: ndcg_at(10, r.found, r.relevant),
        "MRR": lambda r: reciprocal_rank(r.found, r.relevant),
    }
    split = f"SciFact dev, {len(corpus):,} abstracts"
    return [
        Figure("retrieval", split, len(results), name, float(np.mean([measure(result) for result in results])))
        for name, measure in measures.items()
    ] + _answers(embedder, data)


def _answers(embedder: Embedder, data: Path) -> list[Figure]:
    found = []
    for question, sentences, answers in tqdm(list(read_questions(data, "test")), desc="questions", mininterval=2):
        order = np.argsort(-(embedder.embed(sentences) @ embedder.embed([question])[0]))
        found.append(reciprocal_rank(order.tolist(), answers))
    return [Figure("retrieval", "SelQA test", len(found), "MRR", float(np.mean(found)))]
