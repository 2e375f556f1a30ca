"""Tell what a sentence denies: the claim, or only another value than the claim's.

"Mozart was not born in Vienna" says nothing of a birth in Salzburg, and "independence did not come in 1945" nothing of 1947.
"""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.text.figures import Figure
from verifier.text.measures import measured_figures
from verifier.text.names import name_words, names_of, words_in_names

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


def denies_another(claim: Statement, sentence: str) -> bool:
    """Whether a sentence denies another name or figure than the claim's, and does not hold the claim's at all.

    The claim's subject does not count: a sentence may call it "it".
    """
    denied = [sentence[start:end] for start, end in reaches(sentence)]
    if not denied or reaches(claim.text):
        return False
    return _other_names(claim, sentence, denied) or _other_figures(claim, sentence)


def _other_names(claim: Statement, sentence: str, denied: list[str]) -> bool:
    known, said = claim.text.lower(), sentence.lower()
    missing = [word for word in claim.name_words - name_words(claim.subject) if word not in said]
    # A small word before each stretch keeps its first word from being taken for the opening of a sentence.
    others = [name for stretch in denied for name in names_of(f"in {stretch.strip()}")]
    return bool(missing) and any(not words_in_names([name]) & set(re.findall(r"\w+", known)) for name in others)


def _other_figures(claim: Statement, sentence: str) -> bool:
    said = [found.figure for found in measured_figures(sentence)]
    others = [figure for figure in said if is_denied(sentence, figure)]
    asked = [found.figure for found in claim.figures]
    return any(
        figure.kind == other.kind and figure.value not in {found.value for found in said if found.kind == figure.kind}
        for figure in asked
        for other in others
    )
