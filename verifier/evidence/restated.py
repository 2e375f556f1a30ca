"""Recognise a sentence that states the claim outright, or rules it out.

It must do so in plain words, with nothing between them that changes what they say.
"""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.claim.wordings import wordings_of
from verifier.text.forms import are_forms_of_one, words_of

_ASIDE = re.compile(r" \([^()]*\)|(?:,| and|, and) not [^,;.]*$|[:;] (?:it|they|he|she) (?:has|have|had) no [^,:;.]*$")
"""What a sentence adds in brackets, and what it rejects or lacks at its end.

Examples: "the Earth orbits the Sun, not the other way round", "Chad is landlocked: it has no sea coast".
"""
_GIVEN_NAMES = re.compile(
    r"(^|[,;:] )(?!(?:Some|Most|Many|All|No|Few|Several|Both|Other|Young|Old|Ancient|Modern|Early|Late|New|North|South|East|West|Northern|"
    r"Southern|Eastern|Western|Central|Upper|Lower|Great|Greater|Little|San|Saint|St|Lake|Mount|Cape|Port|Fort|Fake|False|Anti|Non)\b)"
    r"(?:[A-Z][a-z]+ ){1,2}$"
)
"""What may come before a surname at the start of a clause: "Christopher" before "Columbus"."""
_LEFT_OUT = frozenset("the a an".split())
_BETWEEN = frozenset(
    "in on world world's world\u2019s earth the a an also far much very indeed officially now still today own very usually generally typically botanically technically scientifically".split()
)
"""Words that may stand between the claim's without changing what they say.

Example: "Light travels far faster than sound".
"""
_IN_BETWEEN = 4
"""Most such words in one gap."""
_DENIES = frozenset({"not", "never"})
_DOES = frozenset("do does did".split())
_NO_AFTER = frozenset("has have had contains contain is are was were".split())
"""Verbs whose "no" is a denial: "Snakes have no eyelids"."""
_BEGINS = frozenset(",;:.")
_GOES_ON = frozenset(
    "museum river in on at of by from with for to and while whereas although though as since because when where which who , ; : . ! ?".split()
)
"""What may follow the claim's last word.

A noun would change its meaning: "planet", "planet hunters".
"""
_ENDS = frozenset("while whereas although though since because but , ; : . ! ?".split())
"""What may follow if the claim is ruled out.

A narrower sentence does not rule it out: "Fish cannot breathe out of water".
"""
_SETS_ASIDE = frozenset(", and but".split())
"""What comes before the "not" of something that a sentence rejects."""
_ANYONE = dict.fromkeys("you people persons humans human".split(), "person")
"""Words for people in general.

Examples: "gives you a cold", "gives a person a cold"; "anyone" and "someone" are not the same.
"""
_FEWEST = 3
"""Fewest words of a claim that do not occur in order by accident."""


def without_asides(sentence: str) -> str:
    """Remove what the sentence puts in brackets or rejects at its end."""
    return _ASIDE.sub("", sentence.rstrip(". "))


def said_outright(claim: Statement, sentence: str) -> bool | None:
    """Return whether a clause states the claim (True) or rules it out (False).

    It must do so word for word; otherwise None. The clause begins with the words of the claim, or of one of its
    wordings, in order and with hardly a word between them. The frame of the sentence (a report, a question) is not
    examined here.
    """
    if claim.subject and _is_a_clause_of(_words(claim.text.rstrip(" .!")), _words(sentence)):
        return True
    said = _words(_by_surname(claim, without_asides(sentence)))
    for wording in wordings_of(claim.text):
        told = _tells(_words(wording.text), said, wording.holds)
        if told is not None:
            return told
    return False if _is_set_aside(_words(claim.text.rstrip(" .!")), _words(sentence)) else None


def _words(text: str) -> list[str]:
    return [_ANYONE.get(word, word) for word in words_of(text)]


def _is_a_clause_of(asked: list[str], said: list[str]) -> bool:
    """Return whether the claim's exact words are a clause of a sentence.

    They include what the claim itself rejects: "Bats are mammals, not birds".
    """
    if len(asked) < _FEWEST:
        return False
    ends = (at + len(asked) for at in range(len(said)) if said[at : at + len(asked)] == asked and _may_begin(said, at))
    return any(end == len(said) or said[end] in _ENDS for end in ends)


def _is_set_aside(asked: list[str], said: list[str]) -> bool:
    """Return whether a sentence says something instead of the claim.

    Examples: "Africa is a continent, not a country", "Rome, not Milan, is the capital".
    """
    for at in (at for at, word in enumerate(said[:-1]) if word == "not" and said[at - 1] in _SETS_ASIDE):
        end = next((i for i in range(at, len(said)) if said[i] in _BEGINS), len(said))
        wanted, other = _plain(asked), _plain(said[at + 1 : end])
        if _tells(asked, said[at + 1 : end] + said[end + 1 :], True) and said[end : end + 1] == [","]:
            return True
        head = wanted[: -len(other)] if other else wanted
        same = len(head) < len(wanted) and all(map(are_forms_of_one, wanted[len(head) :], other))
        if same and len(head) > 1 and any(_begins_with(head, said, start) for start in range(at)):
            return True
    return False


def _begins_with(head: list[str], said: list[str], start: int) -> bool:
    if not (are_forms_of_one(said[start], head[0]) and _may_begin(said, start)):
        return False
    found = _follows(head, said, start)
    return found is not None and not found[1]


def _by_surname(claim: Statement, sentence: str) -> str:
    """Reduce a full name to the surname, if the claim begins with the surname alone."""
    if claim.subject not in claim.names or " " in claim.subject:
        return sentence
    at = sentence.find(f"{claim.subject} ")
    return sentence if at < 0 else _GIVEN_NAMES.sub(r"\1", sentence[:at]) + sentence[at:]


def _tells(asked: list[str], said: list[str], holds: bool) -> bool | None:
    """Return whether words state a wording under which the claim `holds` or not.

    Each denial reverses the result.
    """
    wanted = [word for word in _plain(asked) if word not in _DENIES]
    if len(wanted) < _FEWEST or not all(word[0].isalnum() for word in wanted):
        return None
    denied = sum(word in _DENIES for word in asked)
    for at, word in enumerate(said):
        if not (are_forms_of_one(word, wanted[0]) and _may_begin(said, at)):
            continue
        found = _follows(wanted, said, at)
        if found is None:
            continue
        end, denials = found
        if denials and not holds:  # something that is not a mammal need not be a fish
            continue
        stated = holds is ((denied + denials) % 2 == 0)
        if end == len(said) or said[end] in (_GOES_ON if stated and not denials else _ENDS):
            return stated
    return None


def _plain(words: list[str]) -> list[str]:
    """Remove articles, and "does" before a denial."""
    following = [*words[1:], ""]
    return [
        word
        for word, after in zip(words, following, strict=True)
        if word not in _LEFT_OUT and not (word in _DOES and after in _DENIES)
    ]


def _may_begin(said: list[str], at: int) -> bool:
    """Return whether a clause may begin at word `at`, after articles or an owner.

    Example: "Leonardo's Mona Lisa".
    """
    while at and said[at - 1] in _LEFT_OUT:
        at -= 1
    return not at or said[at - 1] in _BEGINS or said[at - 1].endswith(("'s", "\u2019s"))


def _follows(wanted: list[str], said: list[str], at: int) -> tuple[int, int] | None:
    """Find the wanted words in order from word `at` on.

    Return where they end and how many denials are among them; else None.
    """
    gap = denials = 0
    left = list(reversed(wanted))
    while left and at < len(said):
        if are_forms_of_one(said[at], left[-1]):
            left.pop()
            gap = 0
        elif said[at] in _DENIES or (said[at] == "no" and said[at - 1] in _NO_AFTER):
            denials += 1
        elif said[at] in _DOES and said[at + 1 : at + 2] == ["not"]:
            pass
        elif said[at] in _BETWEEN and gap < _IN_BETWEEN:
            gap += 1
        else:
            return None
        at += 1
    return None if left else (at, denials)
