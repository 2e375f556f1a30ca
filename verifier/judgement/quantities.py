"""Do the figures of a claim and of a text agree? Decided by code, since small models are poor at it.

Every figure is read with what it counts: a year, a day, a share, an amount of money, or a number with its noun or unit.
Two figures are compared only where they are of one kind, so "12 crew" says nothing about "14 ships".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "m": 1e6, "bn": 1e9}
_MONTHS = "january february march april may june july august september october november december".split()
_WORD_NUMBERS = {word: float(value) for value, word in enumerate(_SMALL)} | {w: float(v) for w, v in _TENS.items()}
_NUMBER_WORD = rf"(?:(?:{'|'.join(_TENS)})-(?:{'|'.join(_SMALL[1:10])})|{'|'.join([*_TENS, *_SMALL[2:]])}|a dozen)"
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" if len(month) > 3 else month for month in _MONTHS)
_DAY = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})|(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))\b",
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(rf"\b(?:{'|'.join(m.capitalize() for m in _MONTHS)})\b")
_FIGURE = re.compile(
    rf"(?P<money>[$\u20ac\u00a3\u00a5])?\s?(?<![\w.,:])(?P<number>\d{{1,3}}(?:[, ]\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\b{_NUMBER_WORD}\b)(?!:\d)"
    rf"(?:[ -]?(?P<scale>hundred|thousand|million|billion|trillion|bn|m)\b(?! (?:high|long|wide|tall|deep)))?"
    rf"(?P<share>\s?%|\s?per ?cent\b)?(?P<after>(?:[ -](?!and\b|or\b|to\b|of\b|in\b|at\b|on\b|for\b|by\b)[a-z]+){{0,3}})?",
    re.IGNORECASE,
)
_CURRENCY = re.compile(
    r"^[ -]?(?:dollars?|euros?|pounds?|crowns?|francs?|yen|rupees?|pesos?|lira|krone[rn]?)\b", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:more than|over|at least|above|exceed\w*|upwards of|no fewer than|no less than)\s*[$\u20ac\u00a3\u00a5]?$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:less than|fewer than|under|below|at most|up to|no more than)\s*[$\u20ac\u00a3\u00a5]?$", re.IGNORECASE
)
_ROUGH = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|approximately|close to|just (?:over|under))\s*[$\u20ac\u00a3\u00a5]?$",
    re.IGNORECASE,
)
_ROUGHLY = 0.08
"""How far apart two figures may lie of which one is rounded."""
_UNITS = {
    "km": "kilomet", "kms": "kilomet", "kilometre": "kilomet", "kilometer": "kilomet", "m": "metre", "meter": "metre", "metre": "metre",
    "kg": "kilogr", "kilo": "kilogr", "tonne": "tonne", "ton": "tonne", "hr": "hour", "hrs": "hour", "min": "minute", "people": "person",
    "persons": "person", "yr": "year", "children": "child", "pupil": "student", "men": "man", "women": "woman", "lives": "life",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in a text: its kind ("year", "day", "month", "share", "money", or the stem of what is counted) and value.

    `bound` is +1 for "more than", -1 for "less than", 0 otherwise.
    """

    kind: str
    value: float
    shown: str
    nouns: frozenset[str] = frozenset()
    bound: int = 0
    rough: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """Which figures of the claim the text holds, and which it states otherwise: ("12 crew", "14 crew")."""

    same: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()


def compare(claim: str, text: str, closest: str) -> Agreement:
    """How the figures of `claim` stand against those of `text`.

    Args:
        claim: what is checked.
        text: the whole piece of evidence; a figure that stands anywhere in it agrees.
        closest: its sentence nearest to the claim; only there does another figure of the same kind contradict.
    """
    there, near = list(figures(text)), list(figures(closest))
    same, other = [], []
    for asked in figures(claim):
        if any(_equal(asked, found) for found in there):
            same.append(asked.shown)
            continue
        rivals = [found for found in near if _comparable(asked, found)]
        if rivals:
            other.append((asked.shown, rivals[0].shown))
    return Agreement(tuple(same), tuple(other))


def figures(text: str) -> Iterator[Figure]:
    """The figures of a text, in reading order of their kinds."""
    rest = text
    for match in _DAY.finditer(text):
        month, day = (match["m1"] or match["m2"])[:3].lower(), int(match["d1"] or match["d2"])
        number = next(i for i, name in enumerate(_MONTHS) if name.startswith(month))
        yield Figure("day", number * 100 + day, match[0])
        rest = rest[: match.start()] + " " * len(match[0]) + rest[match.end() :]
    for match in _MONTH_ONLY.finditer(rest):
        yield Figure("month", float(_MONTHS.index(match[0].lower())), match[0])
    for match in _FIGURE.finditer(rest):
        yield _figure(match, rest[: match.start("number")].rstrip("$\u20ac\u00a3\u00a5"))


def _figure(match: re.Match[str], before: str) -> Figure:
    metres = match["scale"] in {"m", "M"} and not match["money"]
    value = _value(match["number"]) * (1.0 if metres else _SCALES.get((match["scale"] or "").lower(), 1.0))
    after = "metres" if metres else match["after"] or ""
    bound = 1 if _MORE.search(before) else -1 if _LESS.search(before) else 0
    shown = " ".join(match[0].split()[:3])
    if match["share"]:
        kind, nouns = "share", frozenset[str]()
    elif match["money"] or _CURRENCY.match(after):
        kind, nouns = "money", frozenset[str]()
    elif re.fullmatch(r"1[0-9]{3}|20[0-9]{2}", match["number"]) and not match["scale"] and not _counted(before, after):
        return Figure("year", value, match["number"])
    else:
        nouns = frozenset(_stem(word) for word in re.findall(r"[a-z]+", after.lower()))
        kind = "count"
    return Figure(kind, value, shown, nouns, bound, bool(_ROUGH.search(before)))


def _counted(before: str, after: str) -> bool:
    """Whether a number that looks like a year counts something: "1200 workers", but "in 1932 the bridge"."""
    if re.search(
        r"\b(?:in|since|until|by|from|of|during|before|after|year|to|and|late|early)\s*$", before, re.IGNORECASE
    ):
        return False
    return bool(after.strip())


def _value(number: str) -> float:
    text = number.lower()
    if text[0].isdigit():
        return float(text.replace(",", "").replace(" ", ""))
    if text == "a dozen":
        return 12.0
    return sum(_WORD_NUMBERS[part] for part in text.split("-"))


def _stem(word: str) -> str:
    return _UNITS.get(word, _UNITS.get(word.rstrip("s"), word.rstrip("s")[:6]))


def _comparable(asked: Figure, found: Figure) -> bool:
    """Of one kind; of two numbers that count, one must name what the other does."""
    if asked.kind != found.kind:
        return False
    return asked.kind != "count" or bool(asked.nouns & found.nouns)


def _equal(asked: Figure, found: Figure) -> bool:
    if asked.kind != found.kind or (asked.nouns and found.nouns and not asked.nouns & found.nouns):
        return False
    if asked.bound and not found.bound:
        return (found.value - asked.value) * asked.bound >= 0
    tolerance = _ROUGHLY if asked.rough or found.rough else 0.0
    return math.isclose(asked.value, found.value, rel_tol=max(tolerance, 1e-6))
