"""Define labelled (claim, evidence) pairs, load our own, and read rows of files.

Every set is split by group, so that no page is in two splits.
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
"""Row labels. X is "refuted or not enough info", for two-way sets that do not say which."""


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
    """Open the text file at `path`, or at `path`.gz.

    Raises:
        FileNotFoundError: neither exists.
    """
    zipped = path.with_name(path.name + ".gz")
    if zipped.exists():
        return gzip.open(zipped, "rt", encoding="utf-8")
    if path.exists():
        return path.open(encoding="utf-8")
    raise FileNotFoundError(f"no {zipped.name} or {path.name} in {path.parent}")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read the rows of the JSON-lines file `path`.jsonl, gzipped or not.

    Raises:
        FileNotFoundError: it does not exist.
    """
    with open_text(path.with_name(path.name + ".jsonl")) as lines:
        yield from map(json.loads, lines)


def detokenise(text: str) -> str:
    """Undo the spacing and bracket names of tokenised corpora.

    "Soul Food -LRB- 1997 -RRB- ." becomes "Soul Food (1997).".
    """
    for token, mark in _BRACKETS.items():
        text = text.replace(token, mark)
    for pattern, replacement in _TOKENISED:
        text = pattern.sub(replacement, text)
    return text.strip()


def normalised(text: str) -> str:
    """Reduce `text` to lower-case letters and digits, so that a sentence matches across corpora."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def split_of(source: str, group: str) -> str:
    """Return a group's split: 90% train, 5% dev, 5% test; a hash keeps it fixed."""
    bucket = int(hashlib.sha256(f"{source}\n{group}".encode()).hexdigest()[:8], 16) % 100
    return TRAIN if bucket < 90 else DEV if bucket < 95 else TEST


def own_pairs() -> list[Pair]:
    """Load our own passages, with claims they support, refute or leave open; split by passage."""
    return _ours("stance_pairs", "own")


def news_pairs() -> list[Pair]:
    """Load our own invented news, each with reworded claims; split by passage.

    The claims form contrasting pairs of S and R.
    """
    return _ours("news_pairs", "news")


def fact_pairs() -> list[Pair]:
    """Load our own short facts, each with short plain claims; split by passage.

    Three of the claims are about something else.
    """
    return _ours("fact_pairs", "facts")


def reader_pairs() -> list[Pair]:
    """Load our own passages on what small models overlook.

    That is roles, subjects, comparison, rank, order, exclusion, negation and number.
    """
    return _ours("reader_pairs", "reader")


def retellings() -> list[Pair]:
    """Load our own pairs of passages for one claim: one states it, one does not.

    The other only retells, asks, plans, imagines or denies it. All of them are for training; the tests use others of
    their kind.
    """
    return _ours("retellings", "retellings", TRAIN)


def _ours(file: str, source: str, split: str = "") -> list[Pair]:
    rows = map(json.loads, (_WRITTEN / f"{file}.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Pair(claim, row["passage"], label, source, split or split_of("own", normalised(row["passage"])))
        for row in rows
        for claim, label in row["claims"]
    ]
