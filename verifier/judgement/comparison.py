"""Settle a comparison from two figures in the evidence, one per thing, in code alone.

Words are never used to decide it. A figure counts where a sentence is about that very thing ("The area of Brazil is
...", "Brazil covers ..."), in a unit of the quantity. The claim stays open if figures cannot be read, disagree, or are
too close together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.chunk import sentences
from verifier.claim.comparison import Comparison, Quantity
from verifier.text.figures import figures

_KM, _MILE = 1_000.0, 1_609.344
_LENGTHS = {
    r"kilomet(?:re|er)s?|kms?": _KM,
    r"miles?": _MILE,
    r"met(?:re|er)s?|m": 1.0,
    r"f(?:ee|oo)t|ft": 0.3048,
    r"centimet(?:re|er)s?|cm": 0.01,
    r"inch(?:es)?": 0.0254,
}
_AREAS = {
    r"square kilomet(?:re|er)s?|km\u00b2|sq\.? ?km": _KM**2,
    r"square miles?": _MILE**2,
    r"square met(?:re|er)s?|m\u00b2": 1.0,
    r"hectares?": 1e4,
    r"acres?": 4_046.856,
}
_WEIGHTS = {r"(?:metric )?tonnes?|metric tons?": 1e3, r"kilograms?|kg": 1.0, r"grams?": 1e-3, r"pounds?|lbs?": 0.453592}
_SPEEDS = {r"kilomet(?:re|er)s (?:per|an) hour|km/h": 1.0, r"miles (?:per|an) hour|mph": 1.609344}
_UNITS: dict[Quantity, dict[str, float]] = {
    Quantity.AREA: _AREAS,
    Quantity.POPULATION: {r"(?:people|inhabitants|residents)": 1.0},
    Quantity.LENGTH: _LENGTHS,
    Quantity.COASTLINE: _LENGTHS,
    Quantity.HEIGHT: _LENGTHS,
    Quantity.DEPTH: _LENGTHS,
    Quantity.DIAMETER: _LENGTHS,
    Quantity.DISTANCE: _LENGTHS,
    Quantity.WEIGHT: _WEIGHTS,
    Quantity.SPEED: _SPEEDS,
    Quantity.TEMPERATURE: {r"degrees celsius|\u00b0 ?c|degrees": 1.0},
}
_WORDS = {
    Quantity.AREA: r"area|covers?|surface|extends over|large|size",
    Quantity.POPULATION: r"population|people|inhabitants|residents",
    Quantity.LENGTH: r"long|length|flows|runs|stretch\w*",
    Quantity.COASTLINE: r"coastline|coast",
    Quantity.HEIGHT: r"tall|high|height|elevation|rises|stands|above sea level|(?:mountain|peak|volcano) of",
    Quantity.DEPTH: r"deep|depth",
    Quantity.DIAMETER: r"diameter|across|wide|width",
    Quantity.DISTANCE: r"distance|from the (?:sun|earth)|away",
    Quantity.WEIGHT: r"weigh\w*|mass|weight",
    Quantity.SPEED: r"speed|fast|runs|fl(?:y|ies)",
    Quantity.TEMPERATURE: r"temperature|hot|cold|melts|boils",
    Quantity.BEGINNING: r"founded|built|born|opened|completed|established|independence|began|formed|erected|inaugurated",
}
_NOT_OF_THE_WHOLE = {Quantity.LENGTH: r"coastline|border", Quantity.HEIGHT: r"deep|depth"}
_KINDS = {Quantity.LENGTH: "River", Quantity.HEIGHT: "(?:Mount|Tower)", Quantity.DEPTH: "Lake"}
"""Words that may stand with a name or be left out. Not for areas: a lake of that name would be another thing."""
_SORTS = "(?:planet|moon|comet|element|company|city|island)"
"""What may stand before the name of a thing that something was done to: "Herschel discovered the planet Uranus"."""
_UNIT_ENDS = 40
"""Characters after a figure within which its unit ends."""
_SAME = 0.1
"""Two figures for one thing disagree if they differ by more than this share."""
_CLOSE, _AREAS_CLOSE = 0.02, 0.005
"""Two things whose figures differ by less than this share are not told apart: figures are rounded and change over the
years; areas hardly do."""
_RIGHT, _WRONG = 0.1, 0.25
"""How far off a factor may be and still be right, and from where it is wrong."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One thing's figure in the quantity's base unit and as written, and its sentence."""

    position: int
    value: float
    shown: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the comparison holds (None: open), with the figures that decide it.

    `missing` says which thing's figure is missing or disputed. `sought` says in words what would settle it.
    """

    holds: bool | None
    left: Measured | None = None
    right: Measured | None = None
    missing: str = ""
    sought: str = ""


def settle(asked: Comparison, quantity: Quantity, texts: Sequence[str]) -> Outcome:
    """Compare the figures that `texts` give for both things.

    Args:
        asked: the comparison.
        quantity: which of its quantities to compare by.
        texts: the evidence; `Measured.position` is an index into it.
    """
    begun = quantity is Quantity.BEGINNING
    left, right = (list(_found(name, quantity, texts, asked.deeds)) for name in (asked.left, asked.right))
    for name, found in ((asked.left, left), (asked.right, right)):
        if not found:
            wanted = f"figure for the {quantity} of {name}"
            return Outcome(None, missing=f"no {wanted} was found", sought=f"a {wanted}")
        if not begun and not _agree(found):
            told = f"the figures for the {quantity} of {name} disagree"
            return Outcome(None, missing=told, sought=f"figures for the {quantity} of {name} that agree")
    holds = _came_first(asked, left, right) if begun else _holds(asked, quantity, left[0].value, right[0].value)
    return Outcome(holds, left[0], right[0])


def _came_first(asked: Comparison, left: Sequence[Measured], right: Sequence[Measured]) -> bool | None:
    """Return whether all years of one thing lie before all of the other's, as claimed.

    None where they overlap: begun in 1163, completed in 1345.
    """
    lefts, rights = [found.value for found in left], [found.value for found in right]
    if asked.times != 1.0 or (max(lefts) >= min(rights) and max(rights) >= min(lefts)):
        return None
    return (min(lefts) > max(rights)) is asked.more


def _holds(asked: Comparison, quantity: Quantity, left: float, right: float) -> bool | None:
    if asked.times != 1.0:
        if right <= 0 or left <= 0:
            return None
        off = abs(left / right / asked.times - 1)
        return True if off <= _RIGHT else False if off >= _WRONG else None
    close = _AREAS_CLOSE if quantity is Quantity.AREA else _CLOSE
    if abs(left - right) <= close * max(abs(left), abs(right)):
        return None
    return (left > right) is asked.more


def _agree(found: Sequence[Measured]) -> bool:
    values = [measured.value for measured in found]
    return max(values) - min(values) <= _SAME * max(abs(value) for value in values)


def _found(name: str, quantity: Quantity, texts: Sequence[str], deeds: Sequence[str] = ()) -> Iterator[Measured]:
    """Yield the figures for the thing with this name, one per sentence that states one.

    With `deeds`, it is the year of one of them.
    """
    speaks = _done_to(name, deeds) if deeds else _subject(name, quantity)
    other = _NOT_OF_THE_WHOLE.get(quantity)
    for position, text in enumerate(texts):
        if name not in text:
            continue  # checked before splitting: none of its sentences can be about it
        for sentence in sentences(text):
            told = speaks.search(sentence)
            if not told or not (deeds or re.search(rf"\b(?:{_WORDS[quantity]})\b", sentence, re.IGNORECASE)):
                continue
            if other and re.search(rf"\b(?:{other})\b", sentence, re.IGNORECASE):
                continue
            figure = _figure(sentence[told.end() :] if deeds else sentence, quantity)
            if figure:
                yield Measured(position, *figure, sentence)


def _subject(name: str, quantity: Quantity) -> re.Pattern[str]:
    """Match a sentence's start about the thing: its name, or "the area of" it."""
    kind = _KINDS.get(quantity)
    before, after = (rf"(?:{kind} )?", rf"(?: {kind})?") if kind else ("", "")
    return re.compile(
        rf"^(?:In \d{{4}},? )?(?:[Tt]he (?:[a-z]+ ){{0,2}}(?:{_WORDS[quantity]}) of )?(?:[Tt]he )?"
        rf"{before}{re.escape(name)}{after}\b(?!\u2019s|'s|[- ][A-Z])"
    )


def _done_to(name: str, deeds: Sequence[str]) -> re.Pattern[str]:
    """Match a sentence about one of the deeds, up to where its year may stand.

    Examples: "Alta was founded", "Brandt founded Alta".
    """
    thing, verbs = rf"(?:[Tt]he )?(?:{_SORTS} )?{re.escape(name)}\b(?!\u2019s|'s|[- ][A-Z])", "|".join(deeds)
    return re.compile(rf"^{thing}[^.;]{{0,40}}? was (?:first )?(?:{verbs})\b|\b(?:{verbs}) {thing}")


def _figure(sentence: str, quantity: Quantity) -> tuple[float, str] | None:
    """Read the first figure in a sentence with a unit of the quantity.

    Returns it in the base unit and as written; for a beginning, the year.
    """
    for figure in sorted(figures(sentence), key=lambda found: found.span):
        if quantity is Quantity.BEGINNING:
            if figure.kind == "year":
                return figure.value, figure.shown
            continue
        if figure.kind != "count":
            continue
        written = sentence[figure.span[0] : figure.span[1] + _UNIT_ENDS]
        for unit, size in _UNITS[quantity].items():
            found = re.match(
                rf"[\d.,\u00a0 ]*(?:[a-z]+illion|thousand|hundred)?[ -]?(?:{unit})\b", written, re.IGNORECASE
            )
            if found:
                return figure.value * size, found[0]
    return None
