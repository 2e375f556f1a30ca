"""Train the relevance cross-encoder: does a text bear on a claim at all, for or against it?

python -m models.training.relevance --data DIR --encoder DIR --embedder FILE.gguf --out DIR

Positives are texts that settle a claim (supported or refuted) and sentences that answer a question. Hard negatives
are the texts nearest to a claim, by the embedder and by TF-IDF, that belong to another page; easy ones are drawn at
random.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from models.embedder import Embedder
from models.training.data import (
    DEV,
    REFUTES,
    SUPPORTS,
    TEST,
    TRAIN,
    Pair,
    SourceSet,
    detokenise,
    load_pairs,
    load_set,
    split_of,
)
from models.training.network import MeanPooledClassifier, Recipe, encode, fit, load_tokenizer, predict

_CLAIM_SETS = (
    SourceSet("pairs/vitaminc_real", 14_000, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_dev_gold", None, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_symmetric", None, "MIT"),
    SourceSet("pairs/scifact", None, "CC BY 4.0, abstracts ODC-By"),
    SourceSet("pairs/factcheckgpt_stance", None, "Apache-2.0"),
)
_QUESTION_SET = SourceSet("nli/qnli_dev_relevance", None, "MIT")


@dataclass(frozen=True, slots=True)
class Row:
    """A query, a text, and whether the text bears on the query."""

    query: str
    text: str
    relevant: bool
    kind: str


def mined_negatives(pairs: Sequence[Pair], embedder: Embedder, seed: int) -> list[Row]:
    """For every claim one text near in meaning, one near in words and one at random, none from a row with the same claim or text.

    Nearness ranks 3 to 20 are used: ranks 1 and 2 too often hold another text that does settle the claim.
    """
    rng = random.Random(seed)
    texts = sorted({pair.evidence for pair in pairs})
    claims = sorted({pair.claim for pair in pairs})
    own: dict[str, set[str]] = {}
    for pair in pairs:
        own.setdefault(pair.claim, set()).add(pair.evidence)
    there = _embedded(texts, embedder, "embedding texts")
    here = _embedded(claims, embedder, "embedding claims")
    words = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    there_words = words.fit_transform(texts)
    here_words = words.transform(claims)
    rows = []
    for start in tqdm(range(0, len(claims), 256), desc="mining"):
        meaning = here[start : start + 256] @ there.T
        wording = (here_words[start : start + 256] @ there_words.T).toarray()
        for claim, by_meaning, by_words in zip(claims[start : start + 256], meaning, wording, strict=True):
            for kind, scores in (("near in meaning", by_meaning), ("near in words", by_words)):
                nearest = np.argpartition(-scores, 20)[:20]
                ranked = [texts[i] for i in nearest[np.argsort(-scores[nearest])] if texts[i] not in own[claim]][2:]
                rows.append(Row(claim, rng.choice(ranked), False, kind))
            rows.append(Row(claim, rng.choice(texts), False, "random"))
    return rows


def _embedded(texts: Sequence[str], embedder: Embedder, name: str) -> NDArray[np.float32]:
    return np.vstack([embedder.embed([text]) for text in tqdm(texts, desc=name, mininterval=10)])


def question_rows(folder: Path) -> list[tuple[str, Row]]:
    """(split, row) of questions with sentences that do and do not answer them."""
    found = []
    for name in ("dev", "test"):
        with gzip.open(folder / "ranking" / "selqa" / f"selqa-ass-{name}.json.gz", "rt", encoding="utf-8") as file:
            for item in json.load(file):
                question, sentences = detokenise(item["question"]), item["candidates"]
                others = [i for i in range(len(sentences)) if i not in item["answers"]][:3]
                for i in (*item["answers"], *others):
                    row = Row(question, detokenise(sentences[i]), i in item["answers"], "question")
                    found.append((split_of("selqa", question), row))
    for pair in load_set(folder, _QUESTION_SET):
        found.append((pair.split, Row(pair.claim, pair.evidence, pair.label == SUPPORTS, "question")))
    return found


def build_rows(folder: Path, embedder: Embedder, seed: int) -> dict[str, list[Row]]:
    """Rows of each split; claims and groups never cross splits."""
    splits = load_pairs(folder, _CLAIM_SETS, seed)
    questions = question_rows(folder)
    rows = {}
    for name in (TRAIN, DEV, TEST):
        settled = [pair for pair in splits[name] if pair.label in {SUPPORTS, REFUTES}]
        if name != TRAIN:
            settled = random.Random(seed).sample(settled, min(2_000, len(settled)))
        positives = [Row(pair.claim, pair.evidence, True, "settles") for pair in settled]
        rows[name] = (
            positives + mined_negatives(settled, embedder, seed) + [row for split, row in questions if split == name]
        )
    return rows


def main() -> None:
    """Train, save `model.pt`, and the held-out logits that scale and offset are fitted on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    recipe = Recipe()
    torch.manual_seed(recipe.seed)
    rows = build_rows(args.data, Embedder(args.embedder, 2), recipe.seed)
    tokenizer = load_tokenizer(args.encoder)
    model = MeanPooledClassifier(args.encoder, ("relevance",))
    model.freeze_word_embeddings()
    ids = {
        name: encode(tokenizer, [(row.query, row.text) for row in part], recipe.max_tokens)
        for name, part in rows.items()
    }
    target = torch.tensor([float(row.relevant) for row in rows[TRAIN]])

    def loss_of(logits: Tensor, batch: list[int]) -> Tensor:
        return functional.binary_cross_entropy_with_logits(logits.squeeze(-1), target[batch])

    fit(model, ids[TRAIN], loss_of, recipe, "relevance", args.out / "checkpoint.pt")
    torch.save(model.state_dict(), args.out / "model.pt")
    for name in (DEV, TEST):
        raw = predict(model, ids[name])[:, 0]
        table = [
            {"kind": row.kind, "relevant": row.relevant, "raw": float(value)}
            for row, value in zip(rows[name], raw, strict=True)
        ]
        (args.out / f"{name}.json").write_text(json.dumps(table))


if __name__ == "__main__":
    main()
