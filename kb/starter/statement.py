"""One statement of the starter pack and its subject."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a statement is about; usually one of each kind per subject."""

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

    `about`: names, one of which a claim must contain for the statement to bear on it; empty if it may bear on any.
    `source`: the address of the page that supports it.
    """

    kind: Kind
    about: tuple[str, ...]
    text: str
    source: str
    title: str
