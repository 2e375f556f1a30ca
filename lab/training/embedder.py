"""Tune the embedder so that texts for or against a claim lie close to it.

Contrastive training (InfoNCE, van den Oord et al., 2018) uses the other rows of a batch and one mined passage as
negatives. The result is averaged with the original weights (see `average`), so that it still knows general likeness.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedTokenizerBase

from lab.data.pairs import SourceSet, load_pairs
from lab.data.ranking import cited_abstracts, read_corpus, read_questions
from lab.training.mining import near_but_not_own, owned, unit_vectors
from lab.training.network import Job, MeanPooledEncoder, Recipe, encode, fit, load_tokenizer, save
from models.pairs import REFUTES, SUPPORTS, TRAIN

CLAIM_SETS = (
    SourceSet("pairs/vitaminc_real", 0.4, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_dev_gold", 1, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_symmetric", 1, "MIT"),
    SourceSet("pairs/scifact", 1, "CC BY 4.0, abstracts ODC-By"),
    SourceSet("pairs/factcheckgpt_stance", 1, "Apache-2.0"),
)
RECIPE = Recipe(epochs=1, rate=5e-5, batch=32, max_tokens=256)
SCALE = 20.0
"""Cosines are multiplied by it before the softmax, as in the original's own training."""
NEGATIVE_RANKS = (2, 30)
"""Ranks of hard negatives: other passages at the first two too often settle the claim."""
SCIENCE_PASSES = 3
SHARE = 0.7
"""Weight of the tuned weights in the average with the original's."""

Positive = tuple[str, str]
"""A claim or question, and a passage that settles it."""


def positives(job: Job) -> dict[str, list[Positive]]:
    """Pool -> its pairs; a negative comes from the pair's own pool.

    Only one claim per passage is kept: two in a batch would serve as each other's negatives.
    """
    settled = [pair for pair in load_pairs(job.data, CLAIM_SETS, job.seed)[TRAIN] if pair.label in {SUPPORTS, REFUTES}]
    questions = [
        (question, sentences[i])
        for question, sentences, answers in read_questions(job.data, "dev")
        for i in sorted(answers)
    ]
    return {
        "science": cited_abstracts(read_corpus(job.data), job.data),
        "claims": sorted({pair.evidence: (pair.claim, pair.evidence) for pair in settled}.values()),
        "questions": questions,
    }


def hard_negatives(
    model: MeanPooledEncoder,
    queries: Sequence[list[int]],
    passages: Sequence[list[int]],
    own: Sequence[set[int]],
    seed: int,
) -> list[int]:
    """Choose a near passage for each query, by the vectors of the untuned model.

    It is never one of the query's own.
    """
    rng = random.Random(seed)
    here, there = unit_vectors(model, queries), unit_vectors(model, passages)
    chosen: list[int] = []
    for start in range(0, len(queries), 512):
        similar = here[start : start + 512] @ there.T
        chosen += [
            near_but_not_own(row, mine, NEGATIVE_RANKS, rng)
            for row, mine in zip(similar, own[start : start + 512], strict=True)
        ]
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
    model.load_state_dict(average(original, model.state_dict(), SHARE))
    save(model, job.out)
    return {"rows": len(rows)}


def _with_negatives(
    model: MeanPooledEncoder, tokenizer: PreTrainedTokenizerBase, pairs: Sequence[Positive], seed: int
) -> list[tuple[list[int], list[int], list[int]]]:
    texts = sorted({text for _, text in pairs})
    number = {text: i for i, text in enumerate(texts)}
    own = owned(pairs, number)
    queries = encode(tokenizer, [(claim,) for claim, _ in pairs], RECIPE.max_tokens)
    passages = encode(tokenizer, [(text,) for text in texts], RECIPE.max_tokens)
    wrong = hard_negatives(model, queries, passages, [own[claim] for claim, _ in pairs], seed)
    return [
        (query, passages[number[text]], passages[i]) for query, (_, text), i in zip(queries, pairs, wrong, strict=True)
    ]


def average(
    first: Mapping[str, torch.Tensor], second: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """(1 - share) x first + share x second, tensor by tensor.

    If the second run continued the first, their average is often better than either on what each was trained for
    (Wortsman et al., "Robust fine-tuning of zero-shot models", CVPR 2022).

    Raises:
        ValueError: the two do not have the same tensors.
    """
    if first.keys() != second.keys():
        raise ValueError(f"not runs of one model; only one of them has {sorted(first.keys() ^ second.keys())[0]}")
    return {name: (1 - share) * first[name].float() + share * second[name].float() for name in first}
