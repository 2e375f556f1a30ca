"""Read a claim that compares two things by one quantity.

Example: "Brazil has a larger area than Argentina".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Quantity(StrEnum):
    """What two things are compared by."""

    AREA = "area"
    POPULATION = "population"
    LENGTH = "length"
    COASTLINE = "coastline"
    HEIGHT = "height"
    DEPTH = "depth"
    WEIGHT = "weight"
    SPEED = "speed"
    TEMPERATURE = "temperature"
    DISTANCE = "distance"
    DIAMETER = "diameter"
    BEGINNING = "beginning"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two things, what they are compared by, and what the claim says about them.

    `more`: the left one has more of it; for `BEGINNING`, it began later. `times` is the factor, 1.0 if the claim names
    none. `quantities` are all that the claim's word may mean, in the order they are tried. `deeds` are the verbs
    ("founded", "established") by which the claim says one came before the other; none if it names no deed.
    """

    left: str
    right: str
    quantities: tuple[Quantity, ...]
    more: bool
    times: float = 1.0
    deeds: tuple[str, ...] = ()

    def questions(self, quantity: Quantity) -> tuple[str, str]:
        """Return the question for the store about each of the two."""
        if self.deeds:
            return f"{self.left} was {self.deeds[0]} in", f"{self.right} was {self.deeds[0]} in"
        return f"{_ASKED[quantity]} of {self.left}", f"{_ASKED[quantity]} of {self.right}"


_ASKED = {quantity: quantity.value for quantity in Quantity} | {
    Quantity.BEGINNING: "year of the founding, building or birth",
    Quantity.COASTLINE: "length of the coastline",
}
_A, _P, _L, _H = Quantity.AREA, Quantity.POPULATION, Quantity.LENGTH, Quantity.HEIGHT
_MORE = {
    "larger": (_A, Quantity.DIAMETER),
    "bigger": (_A, Quantity.DIAMETER),
    "more populous": (_P,),
    "more populated": (_P,),
    "longer": (_L,),
    "taller": (_H,),
    "higher": (_H,),
    "deeper": (Quantity.DEPTH,),
    "heavier": (Quantity.WEIGHT,),
    "faster": (Quantity.SPEED,),
    "hotter": (Quantity.TEMPERATURE,),
    "warmer": (Quantity.TEMPERATURE,),
    "younger": (Quantity.BEGINNING,),
    "newer": (Quantity.BEGINNING,),
    "farther": (Quantity.DISTANCE,),
    "further": (Quantity.DISTANCE,),
    "wider": (Quantity.DIAMETER,),
}
_LESS = {
    "smaller": (_A, Quantity.DIAMETER),
    "less populous": (_P,),
    "less populated": (_P,),
    "shorter": (_L, _H),
    "lower": (_H,),
    "shallower": (Quantity.DEPTH,),
    "lighter": (Quantity.WEIGHT,),
    "slower": (Quantity.SPEED,),
    "colder": (Quantity.TEMPERATURE,),
    "cooler": (Quantity.TEMPERATURE,),
    "older": (Quantity.BEGINNING,),
    "closer": (Quantity.DISTANCE,),
    "nearer": (Quantity.DISTANCE,),
}
_AS = {
    "large": (_A, Quantity.DIAMETER),
    "big": (_A, Quantity.DIAMETER),
    "populous": (_P,),
    "long": (_L,),
    "tall": (_H,),
    "high": (_H,),
    "deep": (Quantity.DEPTH,),
    "heavy": (Quantity.WEIGHT,),
    "fast": (Quantity.SPEED,),
}
_NAMED = {
    "area": _A,
    "land area": _A,
    "territory": _A,
    "surface area": _A,
    "surface": _A,
    "population": _P,
    "coastline": Quantity.COASTLINE,
    "coast": Quantity.COASTLINE,
    "length": _L,
    "height": _H,
    "depth": Quantity.DEPTH,
    "mass": Quantity.WEIGHT,
    "weight": Quantity.WEIGHT,
    "diameter": Quantity.DIAMETER,
}
_DEEDS = (
    "founded established created formed started launched",
    "built completed erected opened constructed inaugurated",
    "born",
    "invented patented introduced developed",
    "discovered",
    "published released written",
)
"""Verbs for a beginning, grouped: texts use those of a group for one another.

If two things began by verbs of different groups, neither came first in the claim's sense."""
_BEGUN = {verb: tuple(dict.fromkeys((verb, *group.split()))) for group in _DEEDS for verb in group.split()}
_COUNTED = ("people", "inhabitants", "residents", "citizens")
_TIMES = {"twice": 2.0, "double": 2.0, "half": 0.5, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "ten": 10.0}
_IS = r"(?:is|are|was|were)"
_MUCH = r"(?:much |far |slightly |a little |a bit |considerably |significantly |about )?"
_BY_WORD = "|".join(sorted((*_MORE, *_LESS), key=len, reverse=True))
_BY_NAME = "|".join(sorted(_NAMED, key=len, reverse=True))
_SIZE = r"(?P<size>larger|bigger|greater|higher|longer|smaller|lower|shorter|lesser)"
_LESSER = frozenset({"smaller", "lower", "shorter", "lesser", "fewer", "less"})
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"the (?P<named>{_BY_NAME}) of (?P<left>.+?) {_IS} {_MUCH}{_SIZE} than (?:that of|the (?:{_BY_NAME}) of) (?P<right>.+)",
        rf"(?P<left>.+?) {_IS} {_MUCH}(?P<word>{_BY_WORD})(?: in (?P<by>{_BY_NAME}))? than (?P<right>.+)",
        rf"(?P<left>.+?) (?:has|have|had|covers?|covered) an? {_MUCH}{_SIZE} (?P<named>{_BY_NAME}) than (?P<right>.+)",
        rf"(?P<left>.+?) (?:has|have|had) {_MUCH}(?P<size>more|fewer|less) (?P<counted>{'|'.join(_COUNTED)}) than (?P<right>.+)",
        rf"{_MUCH}(?P<size>more|fewer) (?P<counted>people) live in (?P<left>.+?) than in (?P<right>.+)",
        rf"(?P<left>.+?) {_IS} (?:about |roughly |more than |over )?(?P<times>twice|half|(?P<number>\w+|\d+(?:\.\d+)?) times) as (?P<word>{'|'.join(_AS)}) as (?P<right>.+)",
        rf"(?P<left>.+?) {_IS} (?P<deed>{'|'.join(_BEGUN)}) (?:long |shortly |well |(?:a few |some |many )?(?:years|decades|centuries) )?(?P<order>before|after|earlier than|later than) (?P<right>.+?)(?: {_IS})?",
        rf"(?P<left>.+?) (?:has|have|had) (?:about |roughly |more than |over )?(?P<times>twice|half|(?P<number>\w+|\d+(?:\.\d+)?) times) (?:as many (?P<counted>{'|'.join(_COUNTED)}) as|the (?P<named>{_BY_NAME}) of) (?P<right>.+)",
    )
)
_LONGEST = 60
"""Most characters of a name; anything longer is a clause, not a thing."""
_NOT_A_NAME = re.compile(
    r"\b(?:it|they|he|she|that|this|these|those|which|who|not|never|when|because|if)\b", re.IGNORECASE
)


def comparison_of(statement: str) -> Comparison | None:
    """Return the comparison that a claim states.

    It is None if it states none or its parts are not plain names.
    """
    text = statement.strip().rstrip(".!")
    for form in _FORMS:
        found = form.fullmatch(text)
        asked = _read(found.groupdict()) if found else None
        if asked:
            return asked
    return None


def _read(parts: dict[str, str | None]) -> Comparison | None:
    left, right = _name(parts["left"] or ""), _name(parts["right"] or "")
    if not left or not right or left.lower() == right.lower():
        return None
    times = _times(parts.get("times"), parts.get("number"))
    if times is None:
        return None
    word = (parts.get("word") or "").lower()
    named = (parts.get("by") or parts.get("named") or "").lower()
    deed, order = (parts.get("deed") or "").lower(), (parts.get("order") or "").lower()
    if deed:
        return Comparison(left, right, (Quantity.BEGINNING,), order.startswith(("after", "later")), deeds=_BEGUN[deed])
    if parts.get("counted"):
        quantities: tuple[Quantity, ...] = (Quantity.POPULATION,)
    elif named:
        quantities = (_NAMED[named],)
    else:
        quantities = _MORE.get(word) or _LESS.get(word) or _AS.get(word) or ()
    less = word in _LESS or (parts.get("size") or "").lower() in _LESSER
    return Comparison(left, right, quantities, not less, times) if quantities else None


def _times(times: str | None, number: str | None) -> float | None:
    """Return the factor that a claim names.

    It is 1.0 if it names none, None if it cannot be read.
    """
    if not times:
        return 1.0
    if not number:
        return _TIMES[times.lower()]
    if number.lower() in _TIMES:
        return _TIMES[number.lower()]
    return float(number) if re.fullmatch(r"\d+(?:\.\d+)?", number) else None


def _name(text: str) -> str:
    """Remove the article and "the country of" from a name.

    It is "" if it reads like more than a name.
    """
    name = re.sub(
        r"^(?:the (?:country|city|river|island|state|planet) of |the )", "", text.strip(), flags=re.IGNORECASE
    )
    plain = len(name) <= _LONGEST and not _NOT_A_NAME.search(name) and "," not in name
    return name if plain and any(letter.isupper() for letter in name) else ""
