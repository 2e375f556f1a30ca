"""Train the relevance cross-encoder: does a text bear on a claim at all, for or against it?

Positives are texts that settle a claim (supported or refuted), abstracts that scientists cited for it, and sentences that
answer a question. Hard negatives are the texts nearest to a claim, by the embedder and by BM25, that belong to another
page; easy ones are drawn at random.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from models.catalogue import WEIGHTS, Role
from models.data.pairs import DEV, REFUTES, SUPPORTS, TEST, TRAIN, Pair, SourceSet, load_pairs, load_set, split_of
from models.data.ranking import cited_abstracts, read_corpus, read_questions
from models.files import WEIGHTS_FOLDER
from models.training.export_gguf import read_back
from models.training.mining import bm25, near_but_not_own, owned, unit_vectors
from models.training.network import (
    Job,
    MeanPooledClassifier,
    MeanPooledEncoder,
    Recipe,
    encode,
    fit,
    load_tokenizer,
    predict,
    save,
)

CLAIM_SETS = (
    SourceSet("pairs/vitaminc_real", 0.4, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_dev_gold", 1, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_symmetric", 1, "MIT"),
    SourceSet("pairs/scifact", 1, "CC BY 4.0, abstracts ODC-By"),
    SourceSet("pairs/factcheckgpt_stance", 1, "Apache-2.0"),
)
CLAIMS = 15_000
"""How many claims with a text that settles them train."""
QUESTION_SET = "nli/qnli_dev_relevance"
RECIPE = Recipe(epochs=1, rate=1.5e-4, batch=32, max_tokens=192)
SCIENCE_PASSES = 3
NEAR_RANKS = (2, 20)
"""Hard negatives come from these ranks: the first two too often hold another text that does settle the claim."""
SCIENCE_RANKS = (0, 20)
"""SciFact's makers looked for every abstract that settles a claim, so that the very nearest of the others do not."""

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts -> unit vectors of shape (texts, 384)."""


@dataclass(frozen=True, slots=True)
class Row:
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
) -> list[Row]:
    """For every query one text of `pool` near in meaning, one near in words and one at random, as often as `turns` says.

    Nearness never picks a text of the query's own.
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
                    rows.append(Row(query, pool[near_but_not_own(scores, own[query], ranks, rng)], False, kind))
                rows.append(Row(query, rng.choice(pool), False, "random"))
    return rows


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


def science_rows(folder: Path, vectors: Vectors, seed: int) -> list[Row]:
    """SciFact's training claims with the abstracts cited for them, and with abstracts that were not."""
    corpus = read_corpus(folder)
    cited = cited_abstracts(corpus, folder)
    positives = [Row(claim, text, True, "settles") for claim, text in cited]
    negatives = mined_negatives(cited, sorted(set(corpus.values())), vectors, seed, SCIENCE_RANKS, SCIENCE_PASSES)
    return positives * SCIENCE_PASSES + negatives


def build_rows(folder: Path, vectors: Vectors, seed: int) -> dict[str, list[Row]]:
    """Rows of each split; claims and groups never cross splits."""
    splits = load_pairs(folder, CLAIM_SETS, seed)
    rows = question_rows(folder)
    for name, part in rows.items():
        settled: list[Pair] = [pair for pair in splits[name] if pair.label in {SUPPORTS, REFUTES}]
        settled = random.Random(seed).sample(settled, min(CLAIMS if name == TRAIN else 2_000, len(settled)))
        texts = [(pair.claim, pair.evidence) for pair in settled]
        part += [Row(claim, text, True, "settles") for claim, text in texts]
        part += mined_negatives(texts, sorted({text for _, text in texts}), vectors, seed)
    rows[TRAIN] += science_rows(folder, vectors, seed)
    return rows


def train(job: Job) -> dict[str, Any]:
    """Train, save `model.pt`, and the raw scores of the held-out rows to `dev.json` and `test.json`."""
    torch.manual_seed(job.seed)
    tokenizer = load_tokenizer(job.encoder)
    embedder = MeanPooledEncoder(job.encoder)
    embedder.load_state_dict(read_back(WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path))
    embedder.to(embedder.device).eval()
    rows = build_rows(
        job.data,
        lambda texts: unit_vectors(embedder, encode(tokenizer, [(text,) for text in texts], RECIPE.max_tokens)),
        job.seed,
    )
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
