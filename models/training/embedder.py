"""Tune the embedder for claim -> evidence: what settles a claim, for or against it, should lie close to it.

Contrastive training (InfoNCE, van den Oord et al., 2018) with the other rows of a batch and one mined passage as
negatives. The result is averaged with the original weights, so that general likeness stays (Wortsman et al., "Robust
fine-tuning of zero-shot models", CVPR 2022).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedTokenizerBase

from models.data.pairs import REFUTES, SUPPORTS, TRAIN, load_pairs
from models.data.ranking import read_corpus, read_questions, read_scientific_claims
from models.training.network import Job, MeanPooledEncoder, Recipe, batches, encode, fit, load_tokenizer, save
from models.training.relevance import CLAIM_SETS

RECIPE = Recipe(epochs=1, rate=5e-5, batch=32, max_tokens=256)
SCALE = 20.0
"""Cosines are multiplied by it before the softmax, as in the original's own training."""
NEGATIVE_RANKS = (2, 30)
"""Hard negatives come from these ranks: the first two too often hold another passage that settles the claim."""
SCIENCE_PASSES = 3
SHARE = 0.7
"""Weight of the tuned weights in the average with the original's."""

Positive = tuple[str, str]
"""A claim or question, and a passage that settles it."""


def positives(job: Job) -> dict[str, list[Positive]]:
    """Pool -> its pairs; a negative comes from the pair's own pool.

    Of the claims on one passage one is kept: two in a batch would be taken for each other's negatives.
    """
    corpus = read_corpus(job.data)
    science = [
        (claim, corpus[name])
        for claim, names in read_scientific_claims(job.data, "train")
        for name in sorted(names)
        if name in corpus
    ]
    settled = [pair for pair in load_pairs(job.data, CLAIM_SETS, job.seed)[TRAIN] if pair.label in {SUPPORTS, REFUTES}]
    questions = [
        (question, sentences[i])
        for question, sentences, answers in read_questions(job.data, "dev")
        for i in sorted(answers)
    ]
    return {
        "science": science,
        "claims": sorted({pair.evidence: (pair.claim, pair.evidence) for pair in settled}.values()),
        "questions": questions,
    }


def embedded(model: MeanPooledEncoder, ids: Sequence[list[int]]) -> NDArray[np.float32]:
    """Unit vectors of shape (rows, hidden)."""
    out = np.zeros((len(ids), model.encoder.config.hidden_size), dtype=np.float32)
    with torch.inference_mode():
        for rows in batches([len(row) for row in ids], 64, None):
            out[rows] = functional.normalize(model.mean([ids[i] for i in rows]), dim=-1).cpu().numpy()
    return out


def hard_negatives(
    model: MeanPooledEncoder,
    queries: Sequence[list[int]],
    passages: Sequence[list[int]],
    own: Sequence[set[int]],
    seed: int,
) -> list[int]:
    """For each query a near passage that is not one of its own, by the vectors of the untuned model."""
    rng = random.Random(seed)
    here, there = embedded(model, queries), embedded(model, passages)
    chosen = []
    for start in range(0, len(queries), 512):
        similar = here[start : start + 512] @ there.T
        nearest = np.argpartition(-similar, NEGATIVE_RANKS[1], axis=1)[:, : NEGATIVE_RANKS[1]]
        for offset, row in enumerate(nearest):
            ranked = row[np.argsort(-similar[offset, row])].tolist()
            usable = [i for i in ranked if i not in own[start + offset]][NEGATIVE_RANKS[0] :]
            chosen.append(rng.choice(usable))
    return chosen


def train(job: Job) -> dict[str, Any]:
    """Tune, average with the original weights, and save `model.pt`."""
    torch.manual_seed(job.seed)
    tokenizer = load_tokenizer(job.encoder)
    model = MeanPooledEncoder(job.encoder)
    model.to(model.device).eval()
    original = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    rows: list[tuple[list[int], list[int], list[int]]] = []
    for pool, pairs in positives(job).items():
        rows += _with_negatives(model, tokenizer, pairs, job.seed) * (SCIENCE_PASSES if pool == "science" else 1)

    def loss_of(batch: list[int]) -> Tensor:
        query, right, wrong = (
            functional.normalize(model.mean([rows[i][part] for i in batch]), dim=-1) for part in range(3)
        )
        scores = SCALE * query @ torch.cat((right, wrong)).T
        return functional.cross_entropy(scores, torch.arange(len(batch), device=model.device))

    fit(model, [sum(map(len, row)) for row in rows], loss_of, RECIPE, job, "embedder")
    tuned = model.state_dict()
    model.load_state_dict({name: (1 - SHARE) * original[name] + SHARE * tuned[name] for name in original})
    save(model, job.out)
    return {"rows": len(rows)}


def _with_negatives(
    model: MeanPooledEncoder, tokenizer: PreTrainedTokenizerBase, pairs: Sequence[Positive], seed: int
) -> list[tuple[list[int], list[int], list[int]]]:
    texts = sorted({text for _, text in pairs})
    number = {text: i for i, text in enumerate(texts)}
    own: dict[str, set[int]] = {}
    for claim, text in pairs:
        own.setdefault(claim, set()).add(number[text])
    queries = encode(tokenizer, [(claim,) for claim, _ in pairs], RECIPE.max_tokens)
    passages = encode(tokenizer, [(text,) for text in texts], RECIPE.max_tokens)
    wrong = hard_negatives(model, queries, passages, [own[claim] for claim, _ in pairs], seed)
    return [
        (query, passages[number[text]], passages[i]) for query, (_, text), i in zip(queries, pairs, wrong, strict=True)
    ]
