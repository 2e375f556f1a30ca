"""Train the claim-type model: text -> FACTUAL / OPINION / MIXED / AMBIGUOUS.

The claims are our own (claim_types.jsonl). Two kinds of public rows are added:

- plain statements as FACTUAL, so that length alone does not suggest MIXED;
- news sentences of CLEF 2025, whose labels say less: a subjective one is OPINION or MIXED, an objective one is FACTUAL
  or, without its article, AMBIGUOUS.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from lab.data.claim_types import HAND_WRITTEN, TRAINING, read_claims, read_news_sentences
from lab.data.pairs import load_set, there
from lab.training.network import Job, MeanPooledClassifier, Recipe, classify, encode, load_tokenizer, predict, save

LABELS = ("FACTUAL", "OPINION", "MIXED", "AMBIGUOUS")
STATEMENTS = ("pairs/fever_dev_gold", "pairs/vitaminc_real")
"""Sets (CC BY-SA 3.0) of plain statements: claims and evidence, 150 of each kind."""
RECIPE = Recipe(epochs=5, rate=1e-4, batch=16, max_tokens=128)
_SUBJECTIVE, _OBJECTIVE = ("OPINION", "MIXED"), ("FACTUAL", "AMBIGUOUS")

Row = tuple[str, tuple[str, ...]]
"""A text and the types that it may have."""


def plain_statements(folder: Path, each: int, seed: int) -> list[Row]:
    """Claims and evidence sentences of public verification sets (6-40 words), as FACTUAL."""
    rng = random.Random(seed)
    found: list[str] = []
    for path in (path for path in STATEMENTS if there(folder, path)):
        pairs = load_set(folder, path)
        for texts in ({pair.claim for pair in pairs}, {pair.evidence for pair in pairs}):
            usable = sorted(text for text in texts if 6 <= len(text.split()) <= 40 and text[0].isupper())
            found += rng.sample(usable, min(each, len(usable)))
    return [(text, ("FACTUAL",)) for text in found]


def news_sentences(folder: Path) -> list[Row]:
    """The training part of CLEF 2025's subjectivity task (CC BY 4.0)."""
    rows = read_news_sentences(folder, "train_en")
    return [(text, _SUBJECTIVE if is_subjective else _OBJECTIVE) for text, is_subjective in rows]


def augmented(rows: Iterable[tuple[str, str]], rng: random.Random) -> list[Row]:
    """Return each row twice: as it is, and as people type it.

    The second lacks its full stop, is in lower case or has another end mark.
    """
    both: list[Row] = []
    for text, label in rows:
        bare = text.rstrip(".!")
        typed = rng.choice((bare, bare.lower(), bare + ".", bare + "!", bare[0].upper() + bare[1:] + "."))
        both += [(text, (label,)), (typed, (label,))]
    return both


def own_claims(rng: random.Random) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Split our own (claim, type) rows: four fifths for training, one for calibration and choosing."""
    rows = read_claims(TRAINING)
    rng.shuffle(rows)
    cut = len(rows) // 5
    return rows[cut:], rows[:cut]


def train(job: Job) -> dict[str, Any]:
    """Train on 80% of our own claims and the public rows, and save `model.pt`.

    Returns:
        Accuracy on the rest and on the test claims.
    """
    torch.manual_seed(job.seed)
    rng = random.Random(job.seed)
    kept, held = own_claims(rng)
    rows = augmented(kept, rng) + plain_statements(job.data, 150, job.seed) + news_sentences(job.data)
    tokenizer = load_tokenizer(job.encoder)
    model = MeanPooledClassifier(job.encoder, LABELS)
    allowed = torch.tensor([[label in labels for label in LABELS] for _, labels in rows])
    ids = encode(tokenizer, [(text,) for text, _ in rows], RECIPE.max_tokens)
    classify(model, ids, allowed, RECIPE, job, "claim type")
    save(model, job.out)
    report: dict[str, Any] = {"rows": len(rows)}
    for name, test in (("held out", held), ("hand-written test", read_claims(HAND_WRITTEN))):
        logits = predict(model, encode(tokenizer, [(text,) for text, _ in test], RECIPE.max_tokens))
        report[name] = _confusion(test, [LABELS[i] for i in logits.argmax(-1)])
    return report


def _confusion(test: Sequence[tuple[str, str]], guess: Sequence[str]) -> dict[str, Any]:
    pairs = Counter((truth, found) for (_, truth), found in zip(test, guess, strict=True))
    right = sum(count for (truth, found), count in pairs.items() if truth == found)
    errors = {f"{truth} as {found}": count for (truth, found), count in sorted(pairs.items()) if truth != found}
    return {"rows": len(test), "accuracy": round(right / len(test), 4), **errors}
