"""Train the reader: (claim, text) -> stance and relevance, in one pass.

The stances are SUPPORTS / REFUTES / NOT ENOUGH INFO. A text that refutes is as relevant as one that supports. A text on
the same topic that settles nothing teaches the stance head alone: whether it helps is a matter of degree. A question
with the sentence that answers it teaches relevance alone.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kb.store.evidence_store import Embed
from lab.data.pairs import MIXTURE, UNLICENSED, load_pairs, read_split_sentences
from lab.data.ranking import cited_abstracts, read_corpus
from lab.training.contrasts import make_contrasts, plain_sentences
from lab.training.import_onnx import load_start
from lab.training.low_rank import add_low_rank, heads_of, keep_share, merged_state
from lab.training.mining import SCIENCE_RANKS, mined_negatives, question_rows
from lab.training.mixes import (
    EVERYTHING,
    LATER_PASSES,
    PASSES,
    REPLAYED,
    SECOND_STRETCH,
    WIDE_MIXTURE,
    Makings,
    planned,
    shared_out,
)
from lab.training.network import Job, encode, label_loss, load_tokenizer
from lab.training.passages import long_passages, near_topic_negatives
from lab.training.reader_network import ReaderNetwork, ReaderRecipe, fit_by_the_clock, read_pairs
from lab.training.starter import starter_pairs
from lab.training.structures import make_structures
from lab.training.written import text_claims
from models.adapter import adapters_of
from models.catalogue import WEIGHTS, Role
from models.encoders.embedder import Embedder
from models.files import checked_path
from models.metrics import softmax
from models.pairs import (
    DEV,
    NOT_ENOUGH_INFO,
    NOT_SUPPORTED,
    REFUTES,
    SUPPORTS,
    TRAIN,
    Pair,
    fact_pairs,
    news_pairs,
    own_pairs,
    reader_pairs,
    retellings,
)
from models.reader import NETWORK

CODES = (SUPPORTS, REFUTES, NOT_ENOUGH_INFO)
"""The stances, in the order of the logits."""
_BEARING = (
    "vitaminc",
    "fever",
    "scifact",
    "factcheck",
    "citint",
    "news",
    "facts",
    "own",
    "reader",
    "retellings",
    "made",
    "written",
)
"""Sets of real claims and evidence: a text that settles a claim is relevant."""
_LEFT_OPEN = ("beside", "made_moved")
"""Sets of texts that should not say the claim, though some do in other words."""
_SAID_ALREADY = 0.6
"""Such a row is left out if the starting reader supports it with this probability."""


@dataclass(frozen=True, slots=True)
class Row:
    """A claim and a text: right stances (empty: not known) and relevance (None: not known)."""

    claim: str
    text: str
    stances: frozenset[str]
    relevant: bool | None
    source: str


def row_of(pair: Pair) -> Row:
    """What a labelled pair teaches each head."""
    stances = frozenset(
        code for code in CODES if code == pair.label or (pair.label == NOT_SUPPORTED and code != SUPPORTS)
    )
    bears = pair.label in {SUPPORTS, REFUTES} and pair.source.startswith(_BEARING)
    return Row(pair.claim, pair.evidence, stances, True if bears else None, pair.source)


def unrelated(pair: Pair) -> Row:
    """A claim with an unrelated text, which settles nothing and does not bear on it."""
    return Row(pair.claim, pair.evidence, frozenset({NOT_ENOUGH_INFO}), False, pair.source)


def _some(pairs: Sequence[Pair], count: int, rng: random.Random) -> list[Pair]:
    return rng.sample(pairs, min(count, len(pairs)))


def training_rows(splits: dict[str, list[Pair]], job: Job, makings: Makings) -> list[Row]:
    """Public rows, rows of our own, and rows made of both."""
    rng = random.Random(job.seed)
    public = splits[TRAIN]
    once = list(dict.fromkeys(public))
    own, news, facts, written = (
        [pair for pair in pairs if pair.split == TRAIN]
        for pairs in (own_pairs(), news_pairs(), fact_pairs(), reader_pairs())
    )
    sentences = plain_sentences(read_split_sentences(job.data) or [(pair.evidence, [pair.evidence]) for pair in once])
    stated = [
        *public,
        *_some(own, makings.own, rng),
        *_some(news, makings.news, rng),
        *_some(facts, makings.facts, rng),
        *_some(retellings(), makings.retold, rng),
        *written * makings.written_passes,
        *make_contrasts(sentences, makings.contrasts, job.seed),
        *make_structures(makings.structures, job.seed),
        *long_passages(once, makings.long, job.seed),
    ]
    near = near_topic_negatives([*once, *facts], makings.near, job.seed)
    near += _at_random([*once, *own, *news, *facts], makings.unrelated, rng)
    embed = Embedder(checked_path(WEIGHTS[Role.EMBEDDER]), 1).embed
    of_facts, beside = starter_pairs(makings, embed, job.seed)
    stated += [*of_facts, *(text_claims() if makings.written else [])]
    return [*map(row_of, stated), *map(unrelated, near + beside), *_ranking_rows(once, job, embed, makings.mined)]


def _at_random(pairs: Sequence[Pair], count: int, rng: random.Random) -> list[Pair]:
    """Claims, each with the text of another."""
    bearing = [pair for pair in pairs if pair.source.startswith(_BEARING)]
    drawn = [(rng.choice(bearing), rng.choice(bearing)) for _ in range(count)]
    return [
        Pair(one.claim, other.evidence, NOT_ENOUGH_INFO, "random", TRAIN)
        for one, other in drawn
        if one.evidence != other.evidence
    ]


def _ranking_rows(once: Sequence[Pair], job: Job, embed: Embed, mined_claims: int) -> list[Row]:
    """Make rows of texts near a claim, abstracts that scientists cited, and answers to questions.

    The near texts are not the claim's own.
    """
    pool = [pair for pair in once if pair.source.startswith(_BEARING) and pair.label in {SUPPORTS, REFUTES}]
    settled = _some(pool, mined_claims, random.Random(job.seed))
    texts = [(pair.claim, pair.evidence) for pair in settled]
    mined = mined_negatives(texts, sorted({text for _, text in texts}), embed, job.seed)
    rows = [Row(row.query, row.text, frozenset({NOT_ENOUGH_INFO}), False, "mined") for row in mined]
    rows += [Row(row.query, row.text, frozenset(), row.relevant, "question") for row in question_rows(job.data)[TRAIN]]
    corpus = read_corpus(job.data)
    cited = cited_abstracts(corpus, job.data)
    near = mined_negatives(cited, sorted(set(corpus.values())), embed, job.seed, SCIENCE_RANKS)
    rows += [Row(claim, text, frozenset(), True, "abstract") for claim, text in cited]
    return rows + [Row(row.query, row.text, frozenset({NOT_ENOUGH_INFO}), False, "abstract") for row in near]


def cached_rows(job: Job) -> list[Row]:
    """Make the training rows once, and keep them in the run's folder.

    So a resumed run starts at once.
    """
    kept = job.out / "rows.jsonl"
    if not kept.exists():
        splits = load_pairs(job.data, WIDE_MIXTURE if job.rank else MIXTURE, job.seed, UNLICENSED)
        rows = training_rows(splits, job, EVERYTHING if job.rank else Makings())
        rows = list(dict.fromkeys(rows)) if job.rank else rows
        lines = (json.dumps([row.claim, row.text, sorted(row.stances), row.relevant, row.source]) for row in rows)
        fresh = kept.with_suffix(".new")
        fresh.write_text("\n".join(lines), encoding="utf-8")
        fresh.replace(kept)
    read = (json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines())
    return [Row(claim, text, frozenset(stances), relevant, source) for claim, text, stances, relevant, source in read]


def recipe_of(job: Job) -> ReaderRecipe:
    """Return the recipe for a job.

    There is one for a first stretch, a gentler one from trained weights, and one for a low-rank change.
    """
    recipe = ReaderRecipe(job.hours)
    if job.rank:
        recipe = ReaderRecipe(
            job.hours, 5e-4, 3e-4, 192, 256, warmup=0.03, decay=0.85, frozen_layers=0, rank=job.rank, dropout=0.1
        )
    elif job.start:
        recipe = ReaderRecipe(job.hours, rate=3e-5, head_rate=1e-4, max_tokens=128, frozen_layers=6)
    asked: dict[str, Any] = {"rate": job.rate, "batch": job.batch, "frozen_layers": job.frozen}
    return replace(recipe, **{name: value for name, value in asked.items() if value is not None})


def train(job: Job, recipe: ReaderRecipe) -> tuple[ReaderNetwork, dict[str, Any]]:
    """Train for the recipe's hours, write `model.pt`, and return the network and a report.

    The report has the accuracy on held-out rows of every set. A low-rank change builds on the reader in `job.start`
    with its adapters. If there are some, their inner head stays, so that the next adapter need not hold it.
    """
    torch.manual_seed(job.seed)
    rows = cached_rows(job)
    shares = {**(SECOND_STRETCH if job.start and not recipe.rank else {}), **job.shares}
    rows = [rows[place] for place in shared_out([row.source for row in rows], shares, job.seed)]
    model = ReaderNetwork(job.encoder, recipe.frozen_layers, recipe.dropout)
    if job.start:
        load_start(model, job.start)
    ids = encode(load_tokenizer(job.encoder), [(row.claim, row.text) for row in rows], recipe.max_tokens)
    later = bool(recipe.rank and job.start and adapters_of(job.start / NETWORK))
    plan = _plan(rows, job, recipe, later, _said_already(model, rows, ids) if later else set())
    heads = heads_of(model)
    if recipe.rank:
        add_low_rank(model.encoder, recipe.rank)
        model.dense.requires_grad_(not later)
    loss = _loss_of(model, rows, ids, recipe)
    lengths = [len(ids[place]) for place in plan]
    steps = fit_by_the_clock(model, lengths, lambda batch: loss([plan[i] for i in batch]), recipe, job.out, job.seed)
    if recipe.rank:
        keep_share(model, job.keep, {name: head.to(model.device) for name, head in heads.items()})
    torch.save(merged_state(model), job.out / "model.pt")
    sources = Counter(rows[place].source for place in plan)
    report: dict[str, Any] = {"steps": steps, "rows": len(plan), "by source": dict(sources)}
    return model, report | {"dev": held_out_accuracy(model, job, DEV)}


def _plan(rows: Sequence[Row], job: Job, recipe: ReaderRecipe, later: bool, without: set[int]) -> list[int]:
    """Return the positions of rows to train on, each as often as it is used."""
    sources = [row.source for row in rows]
    if later:
        plan = planned(sources, LATER_PASSES, job.seed, REPLAYED)
    else:
        plan = planned(sources, PASSES if recipe.rank else {}, job.seed)
    return [place for place in plan if place not in without]


def _said_already(model: ReaderNetwork, rows: Sequence[Row], ids: Sequence[list[int]]) -> set[int]:
    """Find rows that should stay open but that the model takes for supported.

    Most say the claim in other words. Their positions are returned.
    """
    places = [place for place, row in enumerate(rows) if row.source in _LEFT_OPEN]
    if not places:
        return set()
    stances = softmax(read_pairs(model, [ids[place] for place in places])[:, :3].astype(np.float64))
    return {place for place, stance in zip(places, stances, strict=True) if stance[0] >= _SAID_ALREADY}


def _loss_of(
    model: ReaderNetwork, rows: Sequence[Row], ids: Sequence[list[int]], recipe: ReaderRecipe
) -> Callable[[list[int]], Tensor]:
    """Return the loss function of a batch of row positions."""
    allowed = torch.tensor([[code in row.stances or not row.stances for code in CODES] for row in rows])
    weight = torch.tensor([float(row.relevant is not None) for row in rows])
    target = torch.tensor([float(bool(row.relevant)) for row in rows])
    told = torch.tensor([bool(row.stances) for row in rows])

    def loss_of(batch: list[int]) -> Tensor:
        logits = model([ids[i] for i in batch])
        known = told[batch].to(model.device)
        stance = label_loss(logits[known][:, :3], allowed[batch].to(model.device)[known], recipe.smoothing)
        each = functional.binary_cross_entropy_with_logits(
            logits[:, 3], target[batch].to(model.device), weight=weight[batch].to(model.device)
        )
        return (stance if bool(known.any()) else 0.0) + recipe.relevance_weight * each

    return loss_of


def held_out_accuracy(model: ReaderNetwork, job: Job, split: str, cap: int = 300) -> dict[str, float]:
    """Three-way accuracy on up to `cap` rows of every source with exact labels."""
    splits = load_pairs(job.data, MIXTURE, job.seed, UNLICENSED)
    ours = [pair for pair in (*own_pairs(), *news_pairs(), *fact_pairs(), *reader_pairs()) if pair.split == split]
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in [*splits[split], *ours]:
        if pair.label in CODES and len(by_source[pair.source]) < cap:
            by_source[pair.source].append(pair)
    tokenizer = load_tokenizer(job.encoder)
    scores = {}
    for source, rows in sorted(by_source.items()):
        ids = encode(tokenizer, [(pair.claim, pair.evidence) for pair in rows], 256)
        guess = read_pairs(model, ids)[:, :3].argmax(-1)
        scores[source] = round(float((guess == [CODES.index(pair.label) for pair in rows]).mean()), 4)
    return scores
