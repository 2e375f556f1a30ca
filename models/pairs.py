"""Labelled (claim, evidence) pairs: the record, our own written ones, and how rows of files are read.

Every set is split by group, so that no page stands on both sides.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

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


_WRITTEN = Path(__file__).parent / "written"


_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":"}


_TOKENISED = (
    (re.compile(r"``|''"), '"'),
    (re.compile(r"\s+([.,;:?!%)\]])"), r"\1"),
    (re.compile(r"([(\[$])\s+"), r"\1"),
    (re.compile(r"\s+('s|'re|'ve|'ll|'d|n't|')(?=\s|$)"), r"\1"),
    (re.compile(r"\s+"), " "),
)


def open_text(path: Path) -> TextIO:
    """The text file at `path`, or at `path`.gz.

    Raises:
        FileNotFoundError: neither is there.
    """
    zipped = path.with_name(path.name + ".gz")
    if zipped.exists():
        return gzip.open(zipped, "rt", encoding="utf-8")
    if path.exists():
        return path.open(encoding="utf-8")
    raise FileNotFoundError(f"no {zipped.name} or {path.name} in {path.parent}")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of the JSON-lines file `path`.jsonl, gzipped or not.

    Raises:
        FileNotFoundError: it is not there.
    """
    with open_text(path.with_name(path.name + ".jsonl")) as lines:
        yield from map(json.loads, lines)


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


def own_pairs() -> list[Pair]:
    """Our own passages, each with claims that it supports, refutes or leaves open, split by passage."""
    return _ours("stance_pairs", "own")


def news_pairs() -> list[Pair]:
    """Our own invented news, each with claims in other words, in contrasting pairs of S and R, split by passage."""
    return _ours("news_pairs", "news")


def fact_pairs() -> list[Pair]:
    """Our own short facts, each with plain claims in few words, of which three are of something else; split by passage."""
    return _ours("fact_pairs", "facts")


def reader_pairs() -> list[Pair]:
    """Our own passages on what small models read past: roles, subjects, comparison, rank, order, exclusion, negation, number."""
    return _ours("reader_pairs", "reader")


def retellings() -> list[Pair]:
    """Our own pairs of passages for one claim: one states it, one does not.

    The other only retells, asks, plans, imagines or denies it.

    All of them train; they are tested on others of their kind.
    """
    return _ours("retellings", "retellings", TRAIN)


def _ours(file: str, source: str, split: str = "") -> list[Pair]:
    rows = map(json.loads, (_WRITTEN / f"{file}.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Pair(claim, row["passage"], label, source, split or split_of("own", normalised(row["passage"])))
        for row in rows
        for claim, label in row["claims"]
    ]
