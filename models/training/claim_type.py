"""Train the claim-type model: text -> FACTUAL / OPINION / MIXED / AMBIGUOUS.

python -m models.training.claim_type --claims FILE.jsonl --encoder DIR --out DIR [--data DIR]

The claims are our own (models/training/claim_types.jsonl). With --data, plain statements of public sets are added as
FACTUAL, so that length alone does not speak for MIXED.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from models.training.data import SourceSet, load_set
from models.training.network import MeanPooledClassifier, Recipe, encode, fit, load_tokenizer, predict

LABELS = ("FACTUAL", "OPINION", "MIXED", "AMBIGUOUS")
SMOOTHING = 0.05
_STATEMENTS = (
    SourceSet("pairs/fever_dev_gold", None, "CC BY-SA 3.0"),
    SourceSet("pairs/vitaminc_real", None, "CC BY-SA 3.0"),
)


def read_claims(path: Path) -> list[tuple[str, str]]:
    """(claim, type) rows of a JSON-lines file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["claim"], row["type"]) for row in rows]


def plain_statements(folder: Path, each: int, seed: int) -> list[tuple[str, str]]:
    """Claims and evidence sentences of public verification sets (6-40 words), as FACTUAL."""
    rng = random.Random(seed)
    found = []
    for entry in _STATEMENTS:
        pairs = load_set(folder, entry)
        for texts in ({pair.claim for pair in pairs}, {pair.evidence for pair in pairs}):
            usable = sorted(text for text in texts if 6 <= len(text.split()) <= 40 and text[0].isupper())
            found += rng.sample(usable, min(each, len(usable)))
    return [(text, "FACTUAL") for text in found]


def augmented(rows: Sequence[tuple[str, str]], rng: random.Random) -> list[tuple[str, str]]:
    """The rows, each also once as people type them: no full stop, lower case or another end mark."""
    extra = []
    for text, label in rows:
        bare = text.rstrip(".!")
        extra.append(
            (rng.choice((bare, bare.lower(), bare + ".", bare + "!", bare[0].upper() + bare[1:] + ".")), label)
        )
    return [*rows, *extra]


def main() -> None:
    """Train on 80%, report accuracy on the other 20% and on further files, save `model.pt`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--test", type=Path, nargs="*", default=[], help="further labelled files to measure on")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    rows = read_claims(args.claims)
    rng.shuffle(rows)
    cut = len(rows) // 5
    held, kept = rows[:cut], augmented(rows[cut:], rng)
    if args.data:
        kept += plain_statements(args.data, 150, args.seed)
    tokenizer = load_tokenizer(args.encoder)
    model = MeanPooledClassifier(args.encoder, LABELS)
    model.freeze_word_embeddings()
    recipe = Recipe(epochs=5, rate=1e-4, batch=16, max_tokens=128, seed=args.seed)
    target = torch.tensor([LABELS.index(label) for _, label in kept])

    def loss_of(logits: Tensor, batch: list[int]) -> Tensor:
        return functional.cross_entropy(logits, target[batch], label_smoothing=SMOOTHING)

    ids = encode(tokenizer, [(text,) for text, _ in kept], recipe.max_tokens)
    fit(model, ids, loss_of, recipe, "claim type", args.out / "checkpoint.pt")
    report = {}
    for name, test in [("held out", held), *((str(path), read_claims(path)) for path in args.test)]:
        logits = predict(model, encode(tokenizer, [(text,) for text, _ in test], recipe.max_tokens))
        guess = [LABELS[i] for i in logits.argmax(-1)]
        confusion = Counter((truth, found) for (_, truth), found in zip(test, guess, strict=True))
        report[name] = {
            "rows": len(test),
            "accuracy": round(sum(n for (a, b), n in confusion.items() if a == b) / len(test), 4),
            "confusion": {f"{a} as {b}": n for (a, b), n in sorted(confusion.items())},
        }
        np.save(args.out / f"logits_{len(report)}.npy", logits)
    torch.save(model.state_dict(), args.out / "model.pt")
    (args.out / "report.json").write_text(json.dumps(report, indent=1))
    tqdm.write(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
