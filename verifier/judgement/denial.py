"""Tell which figures a sentence denies: "independence did not come in 1945" says nothing of 1947."""

from __future__ import annotations

import re

from verifier.text.figures import Figure

_DENIAL = re.compile(
    r"(?:\b(?:not|never|nor|neither|no)\b|n['\u2019]t\b)([^.,;:!?]*?)(?=\bbut\b|[.,;:!?]\s|[.!?]?$)", re.IGNORECASE
)
"""A negation, and what it reaches: to the end of its clause."""
_LIMITS = re.compile(
    r"\b(?:until|till|only|just|merely|before|after|since|more|less|fewer|later|earlier|exceed\w*|over|under|above|below|alone|than|yet|again|"
    r"so|as|to|because)\b",
    re.IGNORECASE,
)
"""Words by which a denial sets a limit, and so does not deny the value: "not until 1950", "no more than 12"."""


def reaches(sentence: str) -> list[tuple[int, int]]:
    """Where a negation reaches in a sentence: start and end of each stretch; a negation that only sets a limit has none."""
    found = (match.span(1) for match in _DENIAL.finditer(sentence))
    return [(start, end) for start, end in found if not _LIMITS.search(sentence, start, end)]


def is_denied(sentence: str, figure: Figure) -> bool:
    """Whether a negation reaches a figure of a sentence: "did not come in 1945"."""
    return any(start <= figure.span[0] < end for start, end in reaches(sentence))
