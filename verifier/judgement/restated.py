"""Tell a sentence that states the claim outright: its words, in its order, with nothing between them that changes what they say."""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.text.stems import LENGTH, stems_and_figures

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+(?:['\u2019-][^\W_]+)*|[^\w\s]")
_ASIDE = re.compile(r" \([^()]*\)|, not [^,;.]*$")
"""What a sentence adds in brackets, and what it sets aside at its end: "the Earth orbits the Sun, not the other way round"."""
_LEFT_OUT = frozenset("the a an".split())
_BETWEEN = frozenset(
    "in on world world's world\u2019s earth the a an also far much very indeed officially now still today own very botanically technically scientifically".split()
)
"""Words that may stand between the claim's without changing what they say: "Light travels far faster than sound"."""
_IN_BETWEEN = 4
"""Such words in one gap, at most."""
_BEGINS = frozenset(",;:.")
_GOES_ON = frozenset(
    "museum river in on at of by from with for to and while whereas although though as since because when where which who , ; : . ! ?".split()
)
"""What may follow the claim's last word. A noun would make another of it: "planet", "planet hunters"."""
_FEWEST = 3
"""Words of a claim from which meeting them in order is no accident."""


def has_same_words(claim: Statement, sentence: str) -> bool:
    """Whether a sentence holds all words of the claim, in its order, and at most half as many again."""
    said = stems_and_figures(sentence)
    rest = iter(said)
    return all(word in rest for word in claim.stems) and len(said) <= 1.5 * len(claim.stems)


def without_asides(sentence: str) -> str:
    """The sentence without what it puts in brackets or sets aside at its end."""
    return _ASIDE.sub("", sentence.rstrip(". "))


def is_stated(claim: Statement, sentence: str) -> bool:
    """Whether a clause of a sentence begins with the claim: all its words, in order, with hardly one between them.

    What frames the sentence (a report, a question, a denial) is not looked at here.
    """
    asked, said = _words(claim.text.rstrip(".!")), _words(without_asides(sentence))
    wanted = [word for word in asked if word not in _LEFT_OUT]
    if len(wanted) < _FEWEST or not all(word[0].isalnum() for word in wanted):
        return False
    starts = (at for at, word in enumerate(said) if _alike(word, wanted[0]) and _may_begin(said, at))
    return any(_follows(wanted, said, at) for at in starts)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _may_begin(said: list[str], at: int) -> bool:
    """Whether a clause may begin with word `at`, an article or an owner apart: "Leonardo's Mona Lisa"."""
    while at and said[at - 1] in _LEFT_OUT:
        at -= 1
    return not at or said[at - 1] in _BEGINS or said[at - 1].endswith(("'s", "\u2019s"))


def _follows(wanted: list[str], said: list[str], at: int) -> bool:
    """Whether the wanted words stand in order from word `at` on."""
    gap = 0
    left = list(reversed(wanted))
    while left and at < len(said):
        if _alike(said[at], left[-1]):
            left.pop()
            gap = 0
        elif said[at] in _BETWEEN and gap < _IN_BETWEEN:
            gap += 1
        else:
            return False
        at += 1
    return not left and (at == len(said) or said[at] in _GOES_ON)


def _alike(said: str, wanted: str) -> bool:
    """Whether two words are forms of one: long ones by their stem."""
    if said == wanted:
        return True
    return min(len(said), len(wanted)) > LENGTH and said.isalpha() and said[: LENGTH + 1] == wanted[: LENGTH + 1]
