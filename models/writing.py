"""Write a claim as its text does, since spelling changes what a reader says.

A reader takes "1412" and "1,412" for different figures, and does not match hemoglobin with haemoglobin. Spelling
decides more than it should: with "Human blood is red because of haemoglobin", the reader alone gives "Blood is red
because of haemoglobin" P(supports) 0.81, and the same claim with "hemoglobin" 0.22. So does a full stop: of 626
development claims, nearly all typed with one, 0.863 come out as expected with it and 0.844 without.
"""

from __future__ import annotations

import re

from models.spelling import american

_NUMBER = re.compile(r"(?<![\d.,])(?:[1-9]\d{3,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?![\d,]*\d)")
_YEAR = re.compile(r"\b(?:in|since|until|by|from|year|of|before|after|around|and|to)\s$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{4,}")
_ENDED = re.compile(r"[.!?\u2026][\"')\]\u2019\u201d]*$")


def written_as(claim: str, text: str) -> str:
    """Return `claim` with thousands separators and spelling as in `text`.

    Anything that `text` writes as the claim does, or does not have, stays. So does a four-digit number after a word
    such as "in", which may be a year.
    """
    return _with_its_spelling(_with_its_separators(claim, text), text)


def ended(claim: str) -> str:
    """Return `claim` with a full stop, unless it already ends like a sentence."""
    return claim if _ENDED.search(claim) else f"{claim}."


def _with_its_separators(claim: str, text: str) -> str:
    written = set(_NUMBER.findall(text))

    def alike(found: re.Match[str]) -> str:
        number = found[0]
        other = number.replace(",", "") if "," in number else f"{int(number):,}"
        if number in written or other not in written:
            return number
        year = len(number) == 4 and _YEAR.search(claim, 0, found.start())
        return number if year else other

    return _NUMBER.sub(alike, claim) if written else claim


def _with_its_spelling(claim: str, text: str) -> str:
    words = set(_WORD.findall(text.lower()))
    unlike = {word for word in _WORD.findall(claim.lower()) if word not in words}
    if not unlike:
        return claim
    spelt: dict[str, str] = {american(word): word for word in sorted(words)}

    def alike(found: re.Match[str]) -> str:
        word: str = found[0]
        other = spelt.get(american(word.lower())) if word.lower() in unlike else None
        if other is None:
            return word
        return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other

    return _WORD.sub(alike, claim)
