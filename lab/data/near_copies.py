"""Remove from a file the claims that nearly copy what the models trained on.

python -m lab.data.near_copies FILE.jsonl --data DIR [--passages FILE.jsonl] --out FILE.jsonl

A claim is a near-copy of a training text (claim or evidence) if that text holds at least half of the claim's word
triples, and four or more. It is one too if both have the same words. With `--passages`, passages are compared too, and
all claims on the topic of a near-copy are removed. Training texts: the train rows of the public sets in DIR
(`lab.data.pairs.MIXTURE`), and all that was written for training. Counts are printed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lab.data.claim_types import TRAINING, read_claims
from lab.data.pairs import MIXTURE, load_set, there
from lab.training.starter import starter_passages
from lab.training.written import fact_claims, text_claims
from models.pairs import TRAIN, fact_pairs, news_pairs, normalised, own_pairs, reader_pairs, retellings
from verifier.evidence.independence import triples

SHARE, LEAST = 0.5, 4
"""Share and number of word triples, held by a training text, that make a near-copy."""
CHECK_WORTHY = TRAINING.with_name("check_worthy.jsonl")


def near_copies(texts: Sequence[str], training: Iterable[tuple[str, str]]) -> dict[int, str]:
    """Find the texts that nearly copy a training text.

    Args:
        texts: what is compared with the training texts.
        training: (source, text) of every training text.

    Returns:
        Position in `texts` -> the source of the first training text that it copies.
    """
    own = [triples(text) for text in texts]
    where: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, found in enumerate(own):
        for triple in found:
            where[triple].append(position)
    same = {normalised(text): position for position, text in enumerate(texts)}
    copies: dict[int, str] = {}
    for source, text in training:
        shared = Counter(position for triple in triples(text) & where.keys() for position in where[triple])
        for position, count in shared.items():
            if count >= max(LEAST, SHARE * len(own[position])):
                copies.setdefault(position, source)
        if normalised(text) in same:
            copies.setdefault(same[normalised(text)], source)
    return copies


def training_texts(data: Path) -> Iterator[tuple[str, str]]:
    """Yield (source, text) of every claim and evidence text that trains a model.

    These are public rows, and our own.
    """
    written = (
        *(own_pairs(), news_pairs(), fact_pairs(), reader_pairs(), retellings()),
        *(fact_claims(starter_passages()), text_claims()),
    )
    public = (load_set(data, entry.path) for entry in MIXTURE if there(data, entry.path))
    for pairs in (*written, *public):
        rows = [pair for pair in pairs if pair.split == TRAIN]
        yield from ((row.source, row.claim) for row in rows)
        yield from ((source, text) for source, text in dict.fromkeys((row.source, row.evidence) for row in rows))
    yield from ((TRAINING.stem, claim) for claim, _ in read_claims(TRAINING))
    lines = CHECK_WORTHY.read_text(encoding="utf-8").splitlines()
    yield from ((CHECK_WORTHY.stem, json.loads(line)["sentence"]) for line in lines)


def kept(
    claims: Sequence[Mapping[str, Any]], passages: Sequence[Mapping[str, Any]], training: Iterable[tuple[str, str]]
) -> tuple[list[Mapping[str, Any]], Counter[str]]:
    """Keep the claims that copy nothing, of topics whose passages copy nothing.

    The others are counted by what they copy.
    """
    texts = [*(row["claim"] for row in claims), *(row["text"] for row in passages)]
    copies = near_copies(texts, training)
    topics = {row["topic"]: copies[at] for at, row in enumerate(passages, len(claims)) if at in copies}
    reasons = [
        f"claim copies {copies[at]}"
        if at in copies
        else f"passage copies {topics[row['topic']]}"
        if row.get("topic") in topics
        else ""
        for at, row in enumerate(claims)
    ]
    rest = [row for row, reason in zip(claims, reasons, strict=True) if not reason]
    return rest, Counter(reason for reason in reasons if reason)


def main() -> None:
    """Remove near-copies, from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--passages", type=Path, help="the claims' passages, by topic")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    claims, passages = _rows(args.claims), _rows(args.passages) if args.passages else []
    rest, removed = kept(claims, passages, tqdm(training_texts(args.data), desc="training texts"))
    args.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rest), encoding="utf-8")
    print(f"{len(claims)} claims, {len(passages)} passages; {len(rest)} claims kept")
    for reason, count in removed.most_common():
        print(f"{count} removed: {reason}")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
