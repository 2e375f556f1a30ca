"""Rows written for the starter facts: claims as people type them, each with what one fact says of it.

Four claims or so for a fact: one that holds in other words than the fact's, one that the fact rules out without a denial, one on the same
subject that it leaves open and a careless reader would not, and one with a twist (roles, ranks, bounds, a part that is
wrong). Written by a language model, each with the fact alone in view; claims of the test sets were left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kb.record import content_hash
from models.pairs import NOT_ENOUGH_INFO, REFUTES, SUPPORTS, TRAIN, Pair, read_rows

WRITTEN = Path(__file__).parent / "written_claims"
"""A fact a line: the beginning of its content hash, and its claims by label."""
_KEY = 12


def written_pairs(passages: Sequence[str], path: Path = WRITTEN) -> list[Pair]:
    """The claims, each with its passage. A passage that was changed since has none: its labels may hold no longer."""
    known = {content_hash(passage)[:_KEY]: passage for passage in passages}
    return [
        Pair(claim, known[key], label, "facts_written", TRAIN)
        for row in read_rows(path)
        if (key := row["fact"]) in known
        for label in (SUPPORTS, REFUTES, NOT_ENOUGH_INFO)
        for claim in row[label]
    ]
