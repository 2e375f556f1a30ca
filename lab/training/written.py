"""Read written rows: claims as people type them, with what one text says of each.

Language models wrote both files. Each text has three kinds of claims. Some hold, half of them in other words than the
text's. Some are ruled out by the text, mostly without a denial. Some are on the same subject and left open, though a
careless reader would miss that. Claims of the test sets were left out.

- `written_claims`: claims for 6,300 of the starter facts, each written with that fact alone in view.
- `written_texts`: claims for 3,451 texts written with them: abstracts, reports, news, questions with answers, leads of
  articles, long passages in which one sentence counts. They are on numbers and comparison, time and order, roles,
  exclusion, health, climate and science, everyday knowledge, and what a text on the very topic leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.record import content_hash
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, TRAIN, Pair, read_rows

CLAIMS = Path(__file__).parent / "written_claims"
"""A fact a line: the beginning of its content hash, and its claims by label."""
TEXTS = Path(__file__).parent / "written_texts"
"""A text a line, with its claims by label."""
_KEY = 12
_LABELS = (SUPPORTS, REFUTES, NOT_ENOUGH_INFO)


def fact_claims(passages: Sequence[str], path: Path = CLAIMS) -> list[Pair]:
    """Return the claims for facts, each with its passage.

    A passage that was changed since has none: its labels may no longer hold.
    """
    known = {content_hash(passage)[:_KEY]: passage for passage in passages}
    rows = (row for row in read_rows(path) if row["fact"] in known)
    return [pair for row in rows for pair in _pairs(row, known[row["fact"]], "facts_written")]


def text_claims(path: Path = TEXTS) -> list[Pair]:
    """The claims for texts, each with its text."""
    return [pair for row in read_rows(path) for pair in _pairs(row, row["text"], "written")]


def _pairs(row: Mapping[str, Any], text: str, source: str) -> list[Pair]:
    return [Pair(claim, text, label, source, TRAIN) for label in _LABELS for claim in row[label]]
