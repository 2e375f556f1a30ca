"""Labelled (claim, evidence) pairs for training and measuring, split by group so that no page stands on both sides.

Rows come from a folder of JSON-lines files (one object a line: src, split, id, group, claim, evidence, label; plain
or gzipped). `MIXTURE` names each set, how many of its rows may be used and under which licence it is published; a set
whose repository states no licence, or a non-commercial one, is not in it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUPPORTS, REFUTES, NOT_ENOUGH_INFO, NOT_SUPPORTED = "S", "R", "N", "X"
"""Row labels. X is "refuted or not enough info": two-way sets do not say which."""

TRAIN, DEV, TEST = "train", "dev", "test"


@dataclass(frozen=True, slots=True)
class Pair:
    """One labelled row: does `evidence` support `claim`?"""

    claim: str
    evidence: str
    label: str
    source: str
    split: str


@dataclass(frozen=True, slots=True)
class SourceSet:
    """One public set: where it lies, how many rows of it may train (None: all), and its licence."""

    path: str
    cap: int | None
    licence: str


MIXTURE: tuple[SourceSet, ...] = (
    SourceSet("pairs/vitaminc_real", 24_000, "CC BY-SA 3.0"),
    SourceSet("pairs/vitaminc_synthetic", 8_000, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_dev_gold", None, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_nli", None, "CC BY-SA 3.0"),
    SourceSet("pairs/fever_symmetric", None, "MIT"),
    SourceSet("pairs/scifact", None, "CC BY 4.0, abstracts ODC-By"),
    SourceSet("pairs/citint", 2_000, "MIT"),
    SourceSet("pairs/factcheckgpt_stance", None, "Apache-2.0"),
    SourceSet("pairs/conjnli", 1_000, "MIT"),
    SourceSet("pairs/cad_nli", 8_000, "Apache-2.0"),
    SourceSet("pairs/breaking_nli", 1_000, "CC BY-SA 4.0"),
    SourceSet("pairs/summedits", 700, "Apache-2.0"),
    SourceSet("nli/snli_devtest", 14_000, "CC BY-SA 4.0"),
    SourceSet("nli/mnli_dev", None, "MIT"),
    SourceSet("nli/taxinli_mnli_train", None, "C-UDA"),
    SourceSet("nli/mnli_mm_one_annotator", None, "MIT"),
    SourceSet("nli/infotabs", 4_000, "Apache-2.0"),
    SourceSet("nli/tabfact_pairs", 1_000, "MIT"),
    SourceSet("nli/scitab", None, "MIT"),
    SourceSet("nli/pubhealthtab", None, "MIT"),
    SourceSet("nli/negation_nli", None, "MIT"),
    SourceSet("nli/scone", 2_000, "CC0"),
    SourceSet("nli/drop_nli", 2_000, "MIT"),
    SourceSet("nli/monotonicity_infer", 2_000, "MIT"),
    SourceSet("nli/tracie_temporal", 1_000, "MIT"),
    SourceSet("nli/curriculum_lexical", 1_000, "MIT"),
    SourceSet("nli/add_one_rte", 1_000, "MIT"),
    SourceSet("nli/entailment_tree_nli", None, "MIT"),
    SourceSet("nli/contractnli", 1_000, "CC BY 4.0"),
    SourceSet("nli/fnc1", 2_500, "Apache-2.0"),
    SourceSet("nli/semantic_fragments", 1_000, "MIT"),
    SourceSet("nli/q2_wow", None, "Apache-2.0"),
)

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":"}
_TOKENISED = (
    (re.compile(r"``|''"), '"'),
    (re.compile(r"\s+([.,;:?!%)\]])"), r"\1"),
    (re.compile(r"([(\[$])\s+"), r"\1"),
    (re.compile(r"\s+('s|'re|'ve|'ll|'d|n't|')(?=\s|$)"), r"\1"),
    (re.compile(r"\s+"), " "),
)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON-lines file, gzipped or not.

    Raises:
        FileNotFoundError: neither `path`.jsonl.gz nor `path`.jsonl exists.
    """
    zipped, plain = path.with_name(path.name + ".jsonl.gz"), path.with_name(path.name + ".jsonl")
    if zipped.exists():
        with gzip.open(zipped, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    elif plain.exists():
        with plain.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    else:
        raise FileNotFoundError(f"no {zipped.name} or {plain.name} in {path.parent}")


def detokenise(text: str) -> str:
    """Undo the spacing and bracket names that tokenised corpora carry ("Soul Food -LRB- 1997 -RRB- ." -> "Soul Food (1997).")."""
    for token, mark in _BRACKETS.items():
        text = text.replace(token, mark)
    for pattern, replacement in _TOKENISED:
        text = pattern.sub(replacement, text)
    return text.strip()


def normalised(text: str) -> str:
    """Letters and digits of `text` in lower case: equal for the same sentence in two corpora."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def split_of(source: str, group: str) -> str:
    """The split of a group: 90% train, 5% dev, 5% test, fixed by a hash so that it never moves."""
    bucket = int(hashlib.sha256(f"{source}\n{group}".encode()).hexdigest()[:8], 16) % 100
    return TRAIN if bucket < 90 else DEV if bucket < 95 else TEST


def load_set(folder: Path, entry: SourceSet) -> list[Pair]:
    """All rows of one set, cleaned and split by group."""
    name = entry.path.rsplit("/", 1)[1]
    pairs = []
    for row in read_rows(folder / entry.path):
        claim, evidence = detokenise(row["claim"]), detokenise(row["evidence"])
        if claim and evidence:
            group = normalised(row["group"] or row["claim"])
            pairs.append(Pair(claim, evidence, row["label"], name, split_of(name, group)))
    return pairs


def load_pairs(folder: Path, mixture: Iterable[SourceSet] = MIXTURE, seed: int = 0) -> dict[str, list[Pair]]:
    """The mixture as {train, dev, test}: claims of dev and test are dropped from train, train sets are capped."""
    everything = [(entry, load_set(folder, entry)) for entry in mixture]
    held_out = {normalised(pair.claim) for _, pairs in everything for pair in pairs if pair.split != TRAIN}
    splits: dict[str, list[Pair]] = {TRAIN: [], DEV: [], TEST: []}
    for entry, pairs in everything:
        train = [pair for pair in pairs if pair.split == TRAIN and normalised(pair.claim) not in held_out]
        random.Random(seed).shuffle(train)
        splits[TRAIN] += train[: entry.cap]
        for name in (DEV, TEST):
            splits[name] += [pair for pair in pairs if pair.split == name]
    return splits
