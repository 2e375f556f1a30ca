"""When two texts say the same: not only alike in meaning, but equal in every name, number and negation.

Likeness of vectors alone is not enough: "4.54 billion years" and "4.45 billion years" lie within 0.98 of each other,
and so may a sentence and its denial. Dropping one of such a pair would hide the very conflict that a check must find.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

SAME_TEXT = 0.98
"""Cosine similarity from which two texts may be one."""
PREFIX = 100
"""Two texts whose first 100 characters agree, whatever their case, are one."""

_FACTS = re.compile(
    r"\d+(?:[.,]\d+)*|\b(?:no|not|never|none|neither|nor|without|false|untrue|myth|cannot)\b|n't\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'-]+")


def same_facts(a: str, b: str) -> bool:
    """Whether two texts carry the same numbers, negations and names (capitalised words inside a sentence)."""
    return _facts(a) == _facts(b)


def _facts(text: str) -> Counter[str]:
    return Counter(word.lower() for word in _FACTS.findall(text)) + Counter(_NAME.findall(text))


def same_prefix(a: str, b: str) -> bool:
    """Whether the first 100 characters agree, case and spacing aside; shorter texts must agree as a whole."""
    return _prefix(a) == _prefix(b)


def _prefix(text: str) -> str:
    return " ".join(text.lower().split())[:PREFIX]


def near_duplicate_of(text: str, candidates: Iterable[tuple[str, str, float]]) -> str | None:
    """The id of the first of the (id, text, cosine) candidates that says the same as `text`."""
    for key, other, similarity in candidates:
        if similarity >= SAME_TEXT and same_facts(text, other):
            return key
    return None
