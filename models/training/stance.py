"""Train the stance model: (claim, evidence) -> SUPPORTS / REFUTES / NOT ENOUGH INFO.

Rows come from public sets (`MIXTURE`), from our own passages, and from pairs made of public sentences whose label follows
from how they were made.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedTokenizerBase

from models.data.pairs import (
    DEV,
    MIXTURE,
    NOT_ENOUGH_INFO,
    NOT_SUPPORTED,
    REFUTES,
    SUPPORTS,
    TEST,
    TRAIN,
    UNLICENSED,
    Pair,
    fact_pairs,
    load_pairs,
    news_pairs,
    own_pairs,
    read_split_sentences,
    retellings,
)
from models.training.contrasts import make_contrasts, plain_sentences
from models.training.export_gguf import read_back
from models.training.network import (
    Job,
    MeanPooledClassifier,
    Recipe,
    classify,
    encode,
    load_tokenizer,
    predict,
    save,
)
from models.training.passages import long_passages, near_topic_negatives

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
RECIPE = Recipe(epochs=1, rate=1.5e-4, batch=32, max_tokens=256)
CONTINUED = Recipe(epochs=1, rate=1e-4, batch=32, max_tokens=224)
"""For a run that goes on from weights of ours."""
CONTRASTS, NEGATIVES, LONG = 30_000, 15_000, 8_000
"""How many pairs are made of each kind."""
OWN_PASSES, NEWS_PASSES, FACT_PASSES, RETELLING_PASSES = 2, 2, 2, 2
FACT_NEGATIVES = 3_500
REPEATED_PUBLIC, REPEATED_OWN, REPEATED_NEGATIVES, REPEATED_LONG = 18_000, 8_000, 2_500, 2_000
"""How many rows of each kind a run that goes on repeats against unlearning."""
_CODES = (SUPPORTS, REFUTES, NOT_ENOUGH_INFO)


@dataclass(frozen=True, slots=True)
class Ours:
    """Training pairs of our own: general passages, passages as checkers find them, and short facts."""

    passages: list[Pair]
    news: list[Pair]
    facts: list[Pair]

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Ours:
        """Sort the pairs by where they come from."""
        return cls(*([pair for pair in pairs if pair.source == source] for source in ("own", "news", "facts")))


def training_rows(public: Sequence[Pair], ours: Ours, job: Job) -> list[Pair]:
    """The public rows, our own, and what is made of both; a sample of the public ones for a run that goes on from weights."""
    once, own = list(dict.fromkeys(public)), ours.passages
    written = [
        *ours.news * NEWS_PASSES,
        *ours.facts * FACT_PASSES,
        *near_topic_negatives(ours.facts, FACT_NEGATIVES, job.seed),
        *retellings() * RETELLING_PASSES,
    ]
    if job.start:
        rng = random.Random(job.seed)
        return [
            *rng.sample(public, min(REPEATED_PUBLIC, len(public))),
            *rng.sample(own, min(REPEATED_OWN, len(own))),
            *near_topic_negatives(once, REPEATED_NEGATIVES, job.seed),
            *long_passages(once, REPEATED_LONG, job.seed),
            *written,
        ]
    sentences = plain_sentences(read_split_sentences(job.data) or [(pair.evidence, [pair.evidence]) for pair in once])
    return [
        *public,
        *make_contrasts(sentences, CONTRASTS, job.seed),
        *near_topic_negatives(once, NEGATIVES, job.seed),
        *long_passages(once, LONG, job.seed),
        *own * OWN_PASSES,
        *written,
    ]


def train(job: Job, unlicensed: bool = False) -> dict[str, Any]:
    """Train, save `model.pt`, and report the accuracy on the held-out groups of every set.

    Args:
        job: where to read and write.
        unlicensed: train also on the sets whose repositories state no licence, to learn what leaving them out costs.
    """
    torch.manual_seed(job.seed)
    mixture, only_measured = ((*MIXTURE, *UNLICENSED), ()) if unlicensed else (MIXTURE, UNLICENSED)
    splits = load_pairs(job.data, mixture, job.seed, only_measured)
    ours = [*own_pairs(), *news_pairs(), *fact_pairs()]
    rows = training_rows(splits[TRAIN], Ours.of([pair for pair in ours if pair.split == TRAIN]), job)
    tokenizer = load_tokenizer(job.encoder)
    model = MeanPooledClassifier(job.encoder, LABELS)
    if job.start:
        model.load_state_dict(read_back(job.start))
    recipe = CONTINUED if job.start else RECIPE
    ids = encode(tokenizer, [(pair.claim, pair.evidence) for pair in rows], recipe.max_tokens)
    allowed = torch.tensor([[_allows(pair.label, code) for code in _CODES] for pair in rows])
    classify(model, ids, allowed, recipe, job, "stance")
    save(model, job.out)
    report: dict[str, Any] = {"rows": len(rows)}
    for name in (DEV, TEST):
        held_out = splits[name] + [pair for pair in ours if pair.split == name]
        report[name] = accuracy_by_source(model, tokenizer, held_out)
    return report


def _allows(label: str, code: str) -> bool:
    return label == code or (label == NOT_SUPPORTED and code != SUPPORTS)


def accuracy_by_source(
    model: MeanPooledClassifier, tokenizer: PreTrainedTokenizerBase, pairs: Sequence[Pair], cap: int = 1_500
) -> dict[str, float]:
    """Three-way accuracy on up to `cap` rows of each source that has exact labels (two-way where the set has no third)."""
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.label != NOT_SUPPORTED and len(by_source[pair.source]) < cap:
            by_source[pair.source].append(pair)
    scores = {}
    for source, rows in sorted(by_source.items()):
        ids = encode(tokenizer, [(pair.claim, pair.evidence) for pair in rows], RECIPE.max_tokens)
        guess = predict(model, ids).argmax(-1)
        scores[source] = round(float((guess == [_CODES.index(pair.label) for pair in rows]).mean()), 4)
    return scores
