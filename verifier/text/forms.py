"""Recognise forms of one word, and split a sentence into words that can be compared.

Forms are plurals, "is" and "are", British and American spellings.
"""

from __future__ import annotations

import re
from functools import lru_cache

from models.spelling import american
from verifier.text.latin import without_accents
from verifier.text.stems import LENGTH

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:['\u2019-][^\W_]+)*|[^\w\s]")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b(?:in|on) (?:\d{{1,2}} )?(?:{_MONTH})(?: \d{{1,2}},?)? (\d{{4}})\b")
_CONTRACTED = re.compile(r"\b(?:(ca)n|(wo)n|(\w+)n)['\u2019]t\b|\bcannot\b", re.IGNORECASE)
_SAME = ("is are", "was were", "has have")
_FORMS = {form: forms.split()[0] for forms in _SAME for form in forms.split()}


def words_of(text: str) -> list[str]:
    """List the words and marks of a sentence in lower case and American spelling.

    Accents are removed. "can't" becomes "can not", a day its year.
    """
    text = _CONTRACTED.sub(_uncontracted, _DATE.sub(r"in \1", text))
    return [_as_compared(word) for word in _WORD.findall(text)]


def are_forms_of_one(word: str, other: str) -> bool:
    """Return whether two words from `words_of` are forms of one.

    They are equal except for a plural or, from six letters on, for the ending.
    """
    if _FORMS.get(word, word) == _FORMS.get(other, other):
        return True
    if not (word.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((word, other), key=len)
    if len(shorter) > 2 and longer in {f"{shorter}s", f"{shorter}es", f"{shorter[:-1]}ies"}:
        return True
    return len(shorter) > LENGTH and word[: LENGTH + 1] == other[: LENGTH + 1]


def _uncontracted(match: re.Match[str]) -> str:
    can, will, other = match.groups()
    return f"{other or (will and 'will') or 'can'} not"


@lru_cache(maxsize=4_096)  # in one check, the claim's words recur with every sentence
def _as_compared(word: str) -> str:
    return american(without_accents(word.lower()))
