"""Train the relevance cross-encoder: does a text bear on a claim at all, for or against it?

Positives are texts that settle a claim (supported or refuted), abstracts that scientists cited for it, and sentences that
answer a question. Hard negatives are the texts nearest to a claim, by the embedder and by BM25, that belong to another
page; easy ones are drawn at random.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from models.catalogue import WEIGHTS, Role
from models.data.pairs import DEV, REFUTES, SUPPORTS, TEST, TRAIN, Pair, SourceSet, load_pairs, load_set, split_of
from models.data.ranking import read_corpus, read_questions, read_scientific_claims
from models.embedder import Embedder
from models.files import WEIGHTS_FOLDER
from models.training.network import Job, MeanPooledClassifier, Recipe, encode, fit, load_tokenizer, predict, save

CLAIM_SETS = (
    SourceSet("pairs/vitaminc_real", 0.4, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_dev_gold", 1, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_symmetric", 1, "MIT"),
    SourceSet("pairs/scifact", 1, "CC BY 4.0, abstracts ODC-By"),
    SourceSet("pairs/factcheckgpt_stance", 1, "Apache-2.0"),
)
QUESTION_SET = "nli/qnli_dev_relevance"
RECIPE = Recipe(epochs=1, rate=1.5e-4, batch=32, max_tokens=192)
SCIENCE_PASSES = 3
NEAR_RANKS = (2, 20)
"""Hard negatives come from these ranks: the first two too often hold another text that does settle the claim."""
BM25_K1, BM25_B = 1.2, 0.75
"""Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009)."""


@dataclass(frozen=True, slots=True)
class Row:
    """A query, a text, and whether the text bears on the query."""

    query: str
    text: str
    relevant: bool
    kind: str


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


def mined_negatives(
    positives: Sequence[tuple[str, str]], pool: Sequence[str], embedder: Embedder, seed: int
) -> list[Row]:
    """For every query one text of `pool` near in meaning, one near in words and one at random, none of its own texts."""
    rng = random.Random(seed)
    own: dict[str, set[str]] = {}
    for query, text in positives:
        own.setdefault(query, set()).add(text)
    queries = sorted(own)
    here, there = _embedded(queries, embedder, "embedding claims"), _embedded(pool, embedder, "embedding texts")
    here_words, there_words = bm25(pool, queries)
    rows = []
    for start in tqdm(range(0, len(queries), 256), desc="mining"):
        meaning = here[start : start + 256] @ there.T
        wording = (here_words[start : start + 256] @ there_words.T).toarray()
        for query, by_meaning, by_words in zip(queries[start : start + 256], meaning, wording, strict=True):
            for kind, scores in (("near in meaning", by_meaning), ("near in words", by_words)):
                nearest = np.argpartition(-scores, NEAR_RANKS[1])[: NEAR_RANKS[1]]
                ranked = [pool[i] for i in nearest[np.argsort(-scores[nearest])] if pool[i] not in own[query]]
                rows.append(Row(query, rng.choice(ranked[NEAR_RANKS[0] :]), False, kind))
            rows.append(Row(query, rng.choice(pool), False, "random"))
    return rows


def _embedded(texts: Sequence[str], embedder: Embedder, name: str) -> NDArray[np.float32]:
    return np.vstack([embedder.embed([text]) for text in tqdm(texts, desc=name, mininterval=10)])


def question_rows(folder: Path) -> dict[str, list[Row]]:
    """Questions with sentences that do and do not answer them; SelQA's test is left for testing."""
    rows: dict[str, list[Row]] = {TRAIN: [], DEV: [], TEST: []}
    for question, sentences, answers in read_questions(folder, "dev"):
        others = [i for i in range(len(sentences)) if i not in answers][:3]
        part = rows[DEV if split_of("selqa", question) == DEV else TRAIN]
        part += [Row(question, sentences[i], i in answers, "question") for i in (*sorted(answers), *others)]
    for pair in load_set(folder, QUESTION_SET):
        rows[pair.split].append(Row(pair.claim, pair.evidence, pair.label == SUPPORTS, "question"))
    return rows


def science_rows(folder: Path, embedder: Embedder, seed: int) -> list[Row]:
    """SciFact's training claims with the abstracts cited for them, and three times as many that were not."""
    corpus = read_corpus(folder)
    cited = [
        (claim, corpus[name])
        for claim, names in read_scientific_claims(folder, "train")
        for name in sorted(names)
        if name in corpus
    ]
    positives = [Row(claim, text, True, "settles") for claim, text in cited]
    pool = sorted(corpus.values())
    negatives = [row for turn in range(SCIENCE_PASSES) for row in mined_negatives(cited, pool, embedder, seed + turn)]
    return positives * SCIENCE_PASSES + negatives


def build_rows(folder: Path, embedder: Embedder, seed: int) -> dict[str, list[Row]]:
    """Rows of each split; claims and groups never cross splits."""
    splits = load_pairs(folder, CLAIM_SETS, seed)
    rows = question_rows(folder)
    for name, part in rows.items():
        settled: list[Pair] = [pair for pair in splits[name] if pair.label in {SUPPORTS, REFUTES}]
        if name != TRAIN:
            settled = random.Random(seed).sample(settled, min(2_000, len(settled)))
        texts = [(pair.claim, pair.evidence) for pair in settled]
        part += [Row(claim, text, True, "settles") for claim, text in texts]
        part += mined_negatives(texts, sorted({text for _, text in texts}), embedder, seed)
    rows[TRAIN] += science_rows(folder, embedder, seed)
    return rows


def train(job: Job) -> dict[str, Any]:
    """Train, save `model.pt`, and the raw scores of the held-out rows to `dev.json` and `test.json`."""
    torch.manual_seed(job.seed)
    embedder = Embedder(WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path, 1)
    rows = build_rows(job.data, embedder, job.seed)
    tokenizer = load_tokenizer(job.encoder)
    model = MeanPooledClassifier(job.encoder, ("relevance",))
    ids = {
        name: encode(tokenizer, [(row.query, row.text) for row in part], RECIPE.max_tokens)
        for name, part in rows.items()
    }
    target = torch.tensor([float(row.relevant) for row in rows[TRAIN]], device=model.device)

    def loss_of(batch: list[int]) -> Tensor:
        logits = model([ids[TRAIN][i] for i in batch]).squeeze(-1)
        return functional.binary_cross_entropy_with_logits(logits, target[batch])

    fit(model, [len(row) for row in ids[TRAIN]], loss_of, RECIPE, job, "relevance")
    save(model, job.out)
    for name in (DEV, TEST):
        raw = predict(model, ids[name])[:, 0]
        table = [
            {"kind": row.kind, "relevant": row.relevant, "raw": float(value)}
            for row, value in zip(rows[name], raw, strict=True)
        ]
        (job.out / f"{name}.json").write_text(json.dumps(table))
    return {name: len(part) for name, part in rows.items()}
