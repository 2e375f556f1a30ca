"""Tell what a sentence denies: the claim, or only another value than the claim's.

"Mozart was not born in Vienna" says nothing of a birth in Salzburg, and "independence did not come in 1945" nothing of 1947.
"""

from __future__ import annotations

import re

from verifier.claim.clauses import subject_of
from verifier.claim.parsed import Statement
from verifier.text.figures import Figure
from verifier.text.forms import are_forms_of_one, words_of
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
_IS_DENIED = re.compile(
    r"^ (?:(?:is|are|was|were|do|does|did|has|have|had|can|could) (?:not|never)\b|never\b|cannot\b|\w+n['\u2019]t\b)",
    re.IGNORECASE,
)
"""What follows a subject of which something is denied."""
_NOT = frozenset({"not", "never"})
_DOES = frozenset("do does did".split())
_SHORT = 3
"""Letters of a word that tells little by itself."""


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
    return (
        _other_names(claim, sentence, denied)
        or _other_figures(claim, sentence)
        or _another_object(claim, sentence)
        or _another_subject(claim, sentence)
    )


def _other_names(claim: Statement, sentence: str, denied: list[str]) -> bool:
    known, said = claim.text.lower(), sentence.lower()
    missing = [word for word in claim.name_words - name_words(claim.subject) if word not in said]
    # A small word before each stretch keeps its first word from being taken for the opening of a sentence.
    others = [name for stretch in denied for name in names_of(f"in {stretch.strip()}")]
    return bool(missing) and any(not words_in_names([name]) & set(re.findall(r"\w+", known)) for name in others)


def _another_object(claim: Statement, sentence: str) -> bool:
    """Whether the claim's words stand there with a denial, but another end: "Birds are not descended from pterosaurs", of dinosaurs."""
    asked, said = words_of(claim.text.rstrip(" .!")), words_of(sentence)
    for at in (at for at, word in enumerate(said) if word in _NOT):
        head = said[: at - 1 if said[at - 1 : at] and said[at - 1] in _DOES else at]
        before = next((n for n in range(len(asked), 0, -1) if _alike(asked[:n], head[-n:])), 0)
        shared = 0
        while _alike(asked[before + shared : before + shared + 1], said[at + 1 + shared : at + 2 + shared]):
            shared += 1
        left = [word for word in asked[before + shared :] if len(word) > _SHORT]
        if before and shared and left and not any(are_forms_of_one(word, other) for word in left for other in said):
            return True
    return False


def _another_subject(claim: Statement, sentence: str) -> bool:
    """Whether something is denied of another named subject: "Mick Jagger was never a member", of John Lennon."""
    told = subject_of(sentence)[0]
    if not told or not _IS_DENIED.match(sentence[len(told) :]):
        return False
    # A small word in front keeps the first word from being taken for the opening of a sentence.
    own, other = name_words(f"in {claim.subject}"), name_words(f"in {told}")
    clause = re.split(r"[;:]|, (?:because|but|and|since|which|who) ", sentence)[0].lower()
    return bool(own) and bool(other) and not own & set(re.findall(r"\w+", clause))


def _alike(words: list[str], others: list[str]) -> bool:
    return bool(words) and len(words) == len(others) and all(map(are_forms_of_one, words, others))


def _other_figures(claim: Statement, sentence: str) -> bool:
    said = [found.figure for found in measured_figures(sentence)]
    others = [figure for figure in said if is_denied(sentence, figure)]
    asked = [found.figure for found in claim.figures]
    return any(
        figure.kind == other.kind and figure.value not in {found.value for found in said if found.kind == figure.kind}
        for figure in asked
        for other in others
    )
