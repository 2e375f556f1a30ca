"""Train the stance model: (claim, evidence) -> SUPPORTS / REFUTES / NOT ENOUGH INFO.

python -m models.training.stance --data DIR --encoder DIR --out DIR

A checkpoint is written every few hundred steps; the same command goes on from it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm
from transformers import PreTrainedTokenizerBase

from models.training.contrasts import make_contrasts, plain_sentences
from models.training.data import (
    DEV,
    NOT_ENOUGH_INFO,
    NOT_SUPPORTED,
    REFUTES,
    SUPPORTS,
    TEST,
    TRAIN,
    Pair,
    detokenise,
    load_pairs,
    normalised,
    split_of,
)
from models.training.export_gguf import read_back
from models.training.network import MeanPooledClassifier, Recipe, encode, fit, load_tokenizer, predict

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
_INDEX = {SUPPORTS: 0, REFUTES: 1, NOT_ENOUGH_INFO: 2, NOT_SUPPORTED: 3}


SMOOTHING = 0.05
CONTRASTS, NEGATIVES = 15_000, 12_000
OWN_PAIRS = Path(__file__).parent / "stance_pairs.jsonl"
"""Passages of our own, each with claims that it supports, refutes or leaves open."""


def near_topic_negatives(pairs: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """Claims beside evidence of another page on a like subject (TF-IDF cosine 0.08 to 0.4): not enough info.

    A fifth of them get any other evidence at all, however far.
    """
    rng = random.Random(seed)
    pool = [p for p in pairs if p.source.startswith(("fever", "vitaminc", "scifact", "factcheck"))]
    claims = rng.sample(pool, min(count, len(pool)))
    passages = rng.sample(pool, min(12_000, len(pool)))
    vectorizer = TfidfVectorizer(stop_words="english", max_features=60_000, sublinear_tf=True)
    there = vectorizer.fit_transform([p.evidence for p in passages])
    here = vectorizer.transform([p.claim for p in claims])
    made = []
    for start in tqdm(range(0, len(claims), 500), desc="near-topic negatives"):
        similar = (here[start : start + 500] @ there.T).toarray()
        for claim, row in zip(claims[start : start + 500], similar, strict=True):
            near = np.flatnonzero((row > 0.08) & (row < 0.4)) if rng.random() < 0.8 else np.arange(len(passages))
            if len(near):
                made.append(
                    Pair(
                        claim.claim,
                        passages[int(rng.choice(near.tolist()))].evidence,
                        NOT_ENOUGH_INFO,
                        "made_negative",
                        TRAIN,
                    )
                )
    return made


def own_pairs(path: Path = OWN_PAIRS) -> list[Pair]:
    """Our own pairs, split by passage."""
    pairs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        split = split_of("own", normalised(row["passage"]))
        pairs += [Pair(claim, row["passage"], label, "own", split) for claim, label in row["claims"]]
    return pairs


def read_split_sentences(folder: Path) -> list[tuple[str, list[str]]]:
    """(whole sentence, its parts) of the sentence-splitting corpus under `folder`."""
    rows = []
    for path in sorted(folder.glob("*.tsv.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                whole, parts = line.rstrip("\n").split("\t")
                rows.append((detokenise(whole), [detokenise(part) for part in parts.split("<::::>")]))
    return rows


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy with label smoothing; a "not supported" row is scored by -log(P(refutes) + P(not enough info))."""
    log_p = functional.log_softmax(logits, dim=-1)
    exact = labels < 3
    total = logits.new_zeros(())
    if exact.any():
        total = total + functional.cross_entropy(
            logits[exact].float(), labels[exact], label_smoothing=SMOOTHING, reduction="sum"
        )
    if (~exact).any():
        total = total - torch.logsumexp(log_p[~exact][:, 1:], dim=-1).sum()
    return total / len(labels)


def accuracy_by_source(
    model: MeanPooledClassifier,
    tokenizer: PreTrainedTokenizerBase,
    pairs: Sequence[Pair],
    max_tokens: int,
    cap: int = 1_500,
) -> dict[str, float]:
    """Three-way accuracy on up to `cap` rows of each source that has exact labels (two-way where the set has no third)."""
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.label != NOT_SUPPORTED and len(by_source[pair.source]) < cap:
            by_source[pair.source].append(pair)
    scores = {}
    for source, rows in sorted(by_source.items()):
        ids = encode(tokenizer, [(p.claim, p.evidence) for p in rows], max_tokens)
        guess = predict(model, ids).argmax(-1)
        scores[source] = round(float((guess == [_INDEX[p.label] for p in rows]).mean()), 4)
    return scores


def main() -> None:
    """Train, measure on the held-out groups, and save `model.pt` and `report.json` to the output folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs/, nli/ and split/")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of the pretrained encoder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="exported GGUF file to go on from, with a fresh learning rate")
    parser.add_argument("--public-share", type=float, default=1.0, help="share of the public and made rows to use")
    parser.add_argument("--own-repeats", type=int, default=2, help="how often each of our own pairs is used")
    parser.add_argument("--epochs", type=float, default=Recipe().epochs)
    parser.add_argument("--rate", type=float, default=Recipe().rate)
    args = parser.parse_args()
    recipe = Recipe(epochs=args.epochs, rate=args.rate)
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(recipe.seed)
    splits = load_pairs(args.data, seed=recipe.seed)
    sentences = plain_sentences(read_split_sentences(args.data / "split" / "wikisplit"))
    rows = splits[TRAIN] + make_contrasts(sentences, CONTRASTS, recipe.seed)
    rows += near_topic_negatives(splits[TRAIN], NEGATIVES, recipe.seed)
    rows = random.Random(recipe.seed).sample(rows, int(len(rows) * args.public_share))
    own = own_pairs()
    rows += [pair for pair in own if pair.split == TRAIN] * args.own_repeats
    tokenizer = load_tokenizer(args.encoder)
    model = MeanPooledClassifier(args.encoder, LABELS)
    if args.start:
        model.load_state_dict(read_back(args.start))
    model.freeze_word_embeddings()
    ids = encode(tokenizer, [(p.claim, p.evidence) for p in rows], recipe.max_tokens)
    target = torch.tensor([_INDEX[p.label] for p in rows])
    fit(model, ids, lambda logits, batch: loss_of(logits, target[batch]), recipe, "stance", args.out / "checkpoint.pt")
    torch.save(model.state_dict(), args.out / "model.pt")
    report = {}
    for name in (DEV, TEST):
        held_out = splits[name] + [pair for pair in own if pair.split == name]
        report[name] = accuracy_by_source(model, tokenizer, held_out, recipe.max_tokens)
    (args.out / "report.json").write_text(json.dumps({"rows": len(rows), **report}, indent=1))


if __name__ == "__main__":
    main()
