"""One statement of the starter pack, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a statement is about; one of each kind for a subject, as a rule."""

    CAPITAL = "capital"
    NO_CAPITAL = "no capital"
    LARGEST_CITY = "largest city"
    LOCATION = "location"
    AREA = "area"
    BORDERS = "borders"
    COAST = "coast"
    HIGHEST_POINT = "highest point"
    POPULATION = "population"
    LANGUAGE = "language"
    RELIGION = "religion"
    CURRENCY = "currency"
    INDEPENDENCE = "independence"
    GOVERNMENT = "government"
    LONG_NAME = "long name"
    DOMAIN = "internet code"
    ANTHEM = "anthem"
    HOLIDAY = "holiday"
    MEMBERSHIP = "membership"
    FIGURE = "figure of a year"
    EXPORTS = "exports"
    RANKING = "ranking"
    ELEMENT = "element"
    CLIMATE = "climate"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of at most 512 characters in our own words.

    `about` are the names of which a claim must hold one for the statement to bear on it; empty where it may bear on any.
    `source` is the address of the page that bears it out.
    """

    kind: Kind
    about: tuple[str, ...]
    text: str
    source: str
    title: str
