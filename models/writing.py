"""Write a claim as its text does: a reader takes "1412" and "1,412" for different figures, and a hemoglobin for no haemoglobin.

The spelling decides more than it should: by "Human blood is red because of haemoglobin", the reader alone gives "Blood is red because of
haemoglobin" P(supports) 0.81, and the same claim with "hemoglobin" 0.22. So does a full stop: of 626 development claims, nearly all
typed with one, 0.863 come out as expected with it and 0.844 without. And "Pi is about 3.14" seems to be refuted by "3.14159".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from decimal import Decimal

from models.spelling import american

_NUMBER = re.compile(r"(?<![\d.,])(?:[1-9]\d{3,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?![\d,]*\d)")
_DECIMAL = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})*\.\d+(?![\d,.]*\d)|(?<![\d.,])\d{1,9}(?:,\d{3})*(?![\d,.]*\d)")
"""A number, with or without decimals."""
_NEAR, _CUT, _LARGE = 0.01, 0.001, 10_000
"""How far a number that is rounded, or cut off, may lie from the exact one, and from where on noughts at its end are no digits that count."""
_HEDGE = r"\b(?:about|approximately|roughly|around|nearly|almost|some|circa) "
_HEDGED = re.compile(rf"{_HEDGE}$", re.IGNORECASE)
_ROUGHLY = 0.02
"""How far a number that is told roughly may lie from the exact one; a year is not told so."""
_ANY_YEAR = re.compile(r"1\d{3}|20\d{2}")
_PRICE = re.compile(rf"((?:US)?[$\u20ac\u00a3]?)({_DECIMAL.pattern})")
_ABOUT = re.compile(rf"{_HEDGE}(?:US)?[$\u20ac\u00a3]?({_DECIMAL.pattern})", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:about|approximately|roughly|around|nearly|almost|some|circa|than|exactly|precisely|just|only|least|most|over|under|above|below|between|to|and|"
    r"from|up|in|since|until|by|year)\s$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in|since|until|by|from|year|of|before|after|around|and|to)\s$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{4,}")
_ENDED = re.compile(r"[.!?\u2026][\"')\]\u2019\u201d]*$")


def written_as(claim: str, text: str) -> str:
    """Return `claim`, its numbers with or without thousands separators and its words in the spelling that stands in `text`.

    A number that the claim rounds, or tells roughly, is the one that stands there. What `text` has as the claim writes it, or has not at all, stays.
    So does a number of four digits after a word such as "in", which may be a year.
    """
    return _with_its_spelling(_with_its_about(_with_its_decimals(_with_its_separators(claim, text), text), text), text)


def is_rounded(short: float, exact: float) -> bool:
    """Whether `short` is `exact` with fewer digits, and within a hundredth of it: 8,849 is 8,848.86, and 5 is not 5.4.

    So is 8,848, cut off rather than rounded, where that is within a thousandth. Noughts at the end show that a large number is
    rounded: 384,000 is 384,400. 8,850 is not 8,848.86.
    """
    off = abs(exact - short)
    if off > _NEAR * abs(exact):
        return False
    places = _places(short)
    cut = off <= _CUT * abs(exact) and off < 10.0**-places
    return places < _places(exact) and (cut or math.isclose(round(exact, places), short))


def _places(number: float) -> int:
    """The decimals of a number; of a large one without any, less than 0 for noughts at its end."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    return places if abs(number) >= _LARGE else max(0, places)


def ended(claim: str) -> str:
    """Return `claim` with a full stop, unless it ends as a sentence does."""
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


def _with_its_decimals(claim: str, text: str) -> str:
    written = {number: _value(number) for number in _DECIMAL.findall(text)}

    def alike(found: re.Match[str]) -> str:
        number = found[0]
        if number in written:
            return number
        own, hedged = _value(number), bool(_HEDGED.search(claim, 0, found.start()))
        meant = [
            other for other, value in written.items() if is_rounded(own, value) or (hedged and _is_near(number, other))
        ]
        return meant[0] if len(meant) == 1 else number

    return _DECIMAL.sub(alike, claim) if written else claim


def _with_its_about(claim: str, text: str) -> str:
    counts = Counter(_DECIMAL.findall(text))
    rough = {number for number in _ABOUT.findall(text) if counts[number] == 1}

    def alike(found: re.Match[str]) -> str:
        bare = found[2] in rough and not _BOUND.search(claim, 0, found.start())
        return f"about {found[0]}" if bare else found[0]

    return _PRICE.sub(alike, claim) if rough else claim


def _is_near(number: str, other: str) -> bool:
    """Whether two numbers, neither of which may be a year, are the same but roughly."""
    years = _ANY_YEAR.fullmatch(number) or _ANY_YEAR.fullmatch(other)
    return not years and math.isclose(_value(number), _value(other), rel_tol=_ROUGHLY)


def _value(number: str) -> float:
    return float(number.replace(",", ""))


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
