"""Group evidence by independent sources: different publishers whose texts are not copies of each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifier.evidence.repetition import repeats
from verifier.schema import Evidence

_COPIED = 0.5
"""Lowest share of common word triples at which the shorter text counts as copied."""
_RATER = re.compile(r"^(.{1,80}?) rated the claim \u201c")


def independent(evidence: Sequence[Evidence]) -> list[tuple[str, list[Evidence]]]:
    """List independent sources with name and pieces, in the order of their first piece.

    A publisher is one source. Texts that copy each other are one source under any publisher; so are texts of unknown
    publishers that say the same in similar words.
    """
    groups: list[list[tuple[str, Evidence]]] = []
    for number, piece in enumerate(evidence):
        source = piece.voice or f"text {number + 1}"
        same = [
            group
            for group in groups
            if any(source == name or is_copy(piece.text, p.text) or repeats(piece, p) for name, p in group)
        ]
        if not same:
            groups.append([])
            same = groups[-1:]
        for other in same[1:]:  # a publisher with its own text that also copies another
            same[0].extend(other)
            groups.remove(other)
        same[0].append((source, piece))
    return [(group[0][0], [piece for _, piece in group]) for group in groups]


def is_copy(a: str, b: str) -> bool:
    """Return whether half of the shorter text's word triples are in the longer.

    Texts of under eight words never count. Two fact-checks quote the claim that they rate in the same words: they are
    copies only if they are by one checker.
    """
    raters = _RATER.match(a), _RATER.match(b)
    if raters[0] and raters[1] and raters[0][1].lower() != raters[1][1].lower():
        return False
    first, second = sorted((triples(a), triples(b)), key=len)
    return len(first) >= 6 and len(first & second) / len(first) >= _COPIED


def triples(text: str) -> set[tuple[str, ...]]:
    """Find every three consecutive words, in lower case."""
    words = re.findall(r"\w+", text.lower())
    return set(zip(words, words[1:], words[2:], strict=False))
