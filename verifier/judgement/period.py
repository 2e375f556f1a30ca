"""Read when something began and ended from the years of its period.

Example: "The war was fought from 1914 to 1918". A model accepts either year, whichever of the two the claim is about.
Code judges only claims that say in which year something began or ended.
"""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.judgement.signals import NEGATION
from verifier.text.names import name_words
from verifier.text.stems import stems_and_figures

_BEGAN = r"(?:began|begun|begins?|started|starts?|broke out)"
_ENDED = r"(?:ended|ends?|finished|was over|came to an end)"
_ASKED = re.compile(
    rf"^(?P<what>.+?) (?:(?P<began>{_BEGAN})|(?P<ended>{_ENDED})) in (?:the year )?(?P<year>\d{{3,4}})$"
)
_PERIOD = re.compile(r"\b(?:from|between) (?P<first>\d{3,4}) (?:to|until|till|and) (?P<last>\d{3,4})\b")
_SAYS_BEGAN = re.compile(rf"\b(?:{_BEGAN}|beginning|start of|outbreak)\b", re.IGNORECASE)
_SAYS_ENDED = re.compile(rf"\b(?:{_ENDED}|ending|end of|armistice|surrender\w*)\b", re.IGNORECASE)


def is_in_period(claim: Statement, sentence: str) -> bool | None:
    """Return whether a sentence confirms the claimed year of the beginning or end.

    False if that year is the other of the two. None where the claim or the sentence gives neither, or the sentence is
    about something else.
    """
    asked = _ASKED.match(claim.text.rstrip(" .!"))
    if asked is None or NEGATION.search(sentence) or not _is_of(asked["what"], sentence):
        return None
    for found in _PERIOD.finditer(sentence):
        own, other = found.group("first", "last") if asked["began"] else found.group("last", "first")
        if asked["year"] == own:
            return True
        if asked["year"] == other:
            return False
    return None


def tells_other_end(claim: Statement, sentence: str) -> bool:
    """Return whether a sentence gives only the end for a claimed beginning, or the reverse."""
    asked = _ASKED.match(claim.text.rstrip(" .!"))
    if asked is None:
        return False
    wanted, other = (_SAYS_BEGAN, _SAYS_ENDED) if asked["began"] else (_SAYS_ENDED, _SAYS_BEGAN)
    return bool(other.search(sentence)) and not wanted.search(sentence) and not _PERIOD.search(sentence)


def _is_of(what: str, sentence: str) -> bool:
    # A small word in front keeps the first word from being read as the start of a sentence.
    names = name_words(f"in {what}")
    if names:
        return bool(names & set(re.findall(r"\w+", sentence.lower())))
    return set(stems_and_figures(what)) <= set(stems_and_figures(sentence)) and bool(stems_and_figures(what))
