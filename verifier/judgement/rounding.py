"""Read a claim with the text's figure where the claim rounds it.

A stance model takes "3.14" for another figure than "3.14159". `text.figures` and `text.measures` decide which figures
have the same kind, unit and measure. A year, a day or a rank is never rounded, nor is a figure given as a bound ("more
than 42 km") or as exact.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from verifier.claim.parsed import Statement
from verifier.text.measures import Measured, measured_figures

_KINDS = frozenset({"count", "share", "money"})
_NEAR, _CUT, _ROUGHLY = 0.01, 0.001, 0.02
"""How far a figure that is rounded, cut off, or given roughly ("about 23 million") may be from the exact one."""
_LARGE = 10_000
"""From here on, zeros at the end do not count as digits: 384,000 has three."""
_NOISE = ".12g"
"""Digits kept in a product with "million" or "billion"."""
_EXACT = re.compile(
    r"\b(?:exactly|precisely|only|just|all|the|its|their|his|her|these|those|number|no\.?|type|version)\s*$",
    re.IGNORECASE,
)
"""What precedes a figure that is not rounded, or where an added "about" would not fit."""
_STATED = re.compile(
    r"\b(?:is|are|was|were|equals|about|around|roughly|nearly|almost|approximately)\s*$", re.IGNORECASE
)
"""What precedes a figure without a noun that is a value ("pi is 3.14"), and not part of a name ("Python 3.1")."""
_BEFORE = 20
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


def is_rounded(short: float, exact: float) -> bool:
    """Return whether `short` is `exact` with fewer digits.

    It must be within a hundredth: 8,849 is 8,848.86, and 5 is not 5.4. A figure cut off rather than rounded, like
    8,848, must be within a thousandth. Zeros at the end show that a large number is rounded: 384,000 is 384,400. 8,850
    is not 8,848.86.
    """
    off = abs(exact - short)
    if off > _NEAR * abs(exact) or not math.isfinite(exact):
        return False
    places = _places(short)
    last = 10.0**-places
    cut = off <= _CUT * abs(exact) and off < last and abs(short) < abs(exact)
    return places < _places(exact) and (cut or off <= last / 2 * (1 + 1e-6))


def with_figures_of(claim: Statement, text: str) -> str:
    """Rewrite `claim` with the figures of `text` where it rounds or roughly gives them.

    A figure that has an "about" in the text gets one. One that may be any of several in the text stays.
    """
    there = measured_figures(text) if claim.figures else ()
    written = claim.text
    for asked in sorted(claim.figures, key=lambda figure: -figure.figure.span[0]):
        start, end = asked.figure.span
        found = {
            _as_told(written[start:end], asked, other, text) for other in there if _is_meant(claim.text, asked, other)
        }
        if len(found) == 1:
            written = written[:start] + found.pop() + written[end:]
    return written


def _is_meant(claim: str, asked: Measured, found: Measured) -> bool:
    """Return whether the claim's figure is the text's, rounded or given roughly."""
    one, other = asked.figure, found.figure
    before = claim[max(0, one.span[0] - _BEFORE) : one.span[0]]
    alike = one.kind == other.kind and one.kind in _KINDS and one.difference == other.difference and asked.fits(found)
    if not alike or one.bound or other.bound or _EXACT.search(before):
        return False
    named = bool(one.nouns & other.nouns) or (one.kind == "share" and not one.nouns and not other.nouns)
    if not named and (one.nouns or other.nouns or not _STATED.search(before)):
        return False
    near = math.isclose(one.value, other.value, rel_tol=_ROUGHLY if one.rough else 1e-9)
    return near or is_rounded(one.value, other.value)


def _as_told(written: str, asked: Measured, found: Measured, text: str) -> str:
    """Write the claim's figure with the digits of the text's.

    If either has a scale ("million"), it takes the text's words.
    """
    told = text[slice(*found.figure.span)]
    own, others = _DIGITS.search(written), _DIGITS.search(told)
    about = "about " if found.figure.rough and not asked.figure.rough else ""
    if own and others and _is_plain(own[0], asked) and _is_plain(others[0], found):
        return about + written[: own.start()] + others[0] + written[own.end() :]
    return about + told if own and others else written


def _is_plain(digits: str, figure: Measured) -> bool:
    return math.isclose(float(digits.replace(",", "")), abs(figure.figure.value))


def _places(number: float) -> int:
    """Count a number's decimals; below 0 for zeros at the end of a large one."""
    exponent = Decimal(format(number, _NOISE)).normalize().as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    return places if abs(number) >= _LARGE else max(0, places)
