"""Find the figures that a sentence denies.

"Independence did not come in 1945" says nothing about 1947.
"""

from __future__ import annotations

import re

from verifier.text.figures import Figure

_DENIAL = re.compile(
    r"(?:\b(?:not|never|nor|neither|no)\b|n['\u2019]t\b)([^.,;:!?]*?)(?=\bbut\b|[.,;:!?]\s|[.!?]?$)", re.IGNORECASE
)
"""A negation and its scope, which goes to the end of its clause."""
_LIMITS = re.compile(
    r"\b(?:until|till|only|just|merely|before|after|since|more|less|fewer|later|earlier|exceed\w*|over|under|above|below|alone|than|yet|again|"
    r"so|as|to|because)\b",
    re.IGNORECASE,
)
"""Words that make a denial set a limit rather than deny the value: "not until 1950", "no more than 12"."""


def reaches(sentence: str) -> list[tuple[int, int]]:
    """Return start and end of each stretch of a sentence within a negation's scope.

    A negation that only sets a limit has no scope.
    """
    found = (match.span(1) for match in _DENIAL.finditer(sentence))
    return [(start, end) for start, end in found if not _LIMITS.search(sentence, start, end)]


def is_denied(sentence: str, figure: Figure) -> bool:
    """Return whether a figure lies within a negation's scope: "did not come in 1945"."""
    return any(start <= figure.span[0] < end for start, end in reaches(sentence))
