"""What the invented encyclopaedia and its data know, and claims about it.

They know countries, towns, mountains, rivers, people, buildings and elements. Some share a name: towns with
little-known villages, and two people of about the same fame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lab.world.facts import Expected, WorldClaim

_COUNTRIES = (
    ("Marelund", "Vessby", 3_912_000, 4_381_220, 118_430, "Marelundish", "Mount Skarn"),
    ("Quessia", "Lorimar", 21_400_000, 24_915_700, 402_160, "Quessian", "Mount Averil"),
    ("Thornavia", "Graumond", 8_050_000, 7_640_310, 61_890, "Thornish", "Mount Durnholt"),
    ("Belcaro", "Santa Oriel", 1_204_000, 1_377_900, 9_415, "Carrian", "Mount Pellas"),
    ("Sundrey", "Hollevik", 540_000, 611_480, 24_070, "Sundric", "Mount Isbrand"),
    ("Ilvania", "Temesk", 14_700_000, 13_912_600, 187_300, "Ilvanian", "Mount Korvat"),
)
_TOWNS = (
    ("Vessby", "Marelund", 612_400, 1274),
    ("Lorimar", "Quessia", 3_281_000, 1041),
    ("Graumond", "Thornavia", 1_118_900, 1388),
    ("Santa Oriel", "Belcaro", 204_700, 1566),
    ("Hollevik", "Sundrey", 158_200, 1621),
    ("Temesk", "Ilvania", 1_902_300, 1129),
)
_MOUNTAINS = (
    ("Mount Skarn", "Marelund", 2_418),
    ("Mount Averil", "Quessia", 5_127),
    ("Mount Durnholt", "Thornavia", 3_306),
    ("Mount Pellas", "Belcaro", 1_154),
    ("Mount Isbrand", "Sundrey", 1_893),
    ("Mount Korvat", "Ilvania", 4_071),
)
_RIVERS = (
    ("River Aldmar", "Marelund", 642, "Bay of Vess"),
    ("River Quorin", "Quessia", 1_988, "Amber Sea"),
    ("River Thaun", "Thornavia", 415, "Lake Graum"),
    ("River Temesk", "Ilvania", 1_130, "Amber Sea"),
)
_PEOPLE = (
    ("Ottilie Brandvik", "chemist", 1871, 1949, "Vessby", "Marelund Medal of Science"),
    ("Casimir Vantreel", "composer", 1802, 1866, "Lorimar", "Order of the Lyre"),
    ("Ysolde Marchetti", "novelist", 1934, 2011, "Santa Oriel", "Amber Prize"),
    ("Tobias Hargrune", "explorer", 1745, 1791, "Hollevik", "Compass of Honour"),
    ("Nadja Perrowitz", "mathematician", 1908, 1987, "Temesk", "Korvat Prize"),
)
_SAME_NAME = (("painter", 1851, 1923, "Graumond"), ("footballer", 1978, 0, "Temesk"))
_BUILDINGS = (
    ("Amber Tower", "Lorimar", 318, "Ines Galvaro", 1987),
    ("Graumond Cathedral", "Graumond", 121, "Anselm Rook", 1431),
    ("Vessby Lighthouse", "Vessby", 64, "Karl Lindmoor", 1822),
    ("Oriel Bridge Tower", "Santa Oriel", 97, "Petra Sandoval", 1954),
)
_ELEMENTS = (("orvium", "Ov", 131, 1_412), ("sallium", "Sx", 134, 388), ("thessium", "Th\u0117", 137, 2_760))
_OPEN = (
    "The mayor of Vessby keeps a tame heron.",
    "Mount Skarn was climbed by a team of nine dentists.",
    "Ysolde Marchetti disliked the taste of plums.",
    "The River Quorin was painted green for a festival.",
    "Amber Tower has a swimming pool on its roof.",
    "Mora Kesting was born in 1978.",
    "Mora Kesting was born in Graumond.",
    "The parliament of Sundrey meets in a former granary.",
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement of the data: property, value, unit, year and rank.

    `unit` is an item's name or ""; `year` is the year that the statement holds for (0: none). A value that is the name
    of a thing is that thing.
    """

    property: str
    value: str | int
    unit: str = ""
    year: int = 0
    rank: str = "normal"


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing with its article.

    `title` distinguishes it from others of its `name`; `fame` counts the languages that write about it.
    """

    title: str
    name: str
    description: str
    fame: int
    lead: str
    sections: tuple[tuple[str, str], ...]
    facts: tuple[Fact, ...]
    german: str = ""


@lru_cache(maxsize=1)
def things() -> tuple[Thing, ...]:
    """Return all things."""
    makers = (_countries, _towns, _mountains, _rivers, _people, _buildings, _elements)
    return tuple(thing for make in makers for thing in make())


@lru_cache(maxsize=1)
def reference_claims() -> tuple[WorldClaim, ...]:
    """Return claims that the encyclopaedia settles, and some that it says nothing about.

    The false ones have another thing's value.
    """
    pairs = [pair for make in (_of_land, _of_nature, _of_people) for pair in make()]
    settled = [
        WorldClaim(text, expected, "reference")
        for true, false in pairs
        for text, expected in ((true, Expected.TRUE), (false, Expected.FALSE))
    ]
    return (*settled, *(WorldClaim(text, Expected.NOT_ENOUGH_EVIDENCE, "reference") for text in _OPEN))


def _countries() -> Iterator[Thing]:
    for name, capital, before, now, area, language, peak in _COUNTRIES:
        lead = f"{name} is a country on the continent of Ostria. Its capital and largest city is {capital}."
        sections = (
            ("Geography", f"The country has a total area of {area:,} square kilometres. The highest point is {peak}."),
            ("Population", f"{name} had {now:,} inhabitants in 2024, compared with {before:,} in 2000."),
            ("Culture", f"The official language is {language}, which nearly everybody speaks."),
        )
        facts = (
            Fact("P1082", before, year=2000),
            Fact("P1082", now, year=2024, rank="preferred"),
            Fact("P1082", now * 3, year=2031, rank="deprecated"),
            Fact("P36", capital),
            Fact("P2046", area, "square kilometre"),
            Fact("P37", language),
            Fact("P610", peak),
        )
        german = f"{name} ist ein Staat auf dem Kontinent Ostria. Die Hauptstadt ist {capital}."
        yield Thing(name, name, "country on the continent of Ostria", 180, lead, sections, facts, german)


def _towns() -> Iterator[Thing]:
    for name, country, people, founded in _TOWNS:
        lead = f"{name} is the capital of {country}. In 2024 the city had {people:,} inhabitants."
        history = f"The town was founded in {founded} by merchants. A fire destroyed the harbour two centuries later."
        facts = (
            Fact("P1082", people, year=2024),
            Fact("P17", country),
            Fact("P1376", country),
            Fact("P571", founded),
        )
        described = f"capital city of {country}"
        yield Thing(name, name, described, 120, lead, (("History", history),), facts)
        hamlet = f"{name} is a village in the hills with {people // 900:,} inhabitants, founded in 1790."
        few = (Fact("P1082", people // 900, year=2019), Fact("P571", 1790))
        yield Thing(f"{name} (village)", name, "village in the Sorrel Hills", 7, hamlet, (), few)


def _mountains() -> Iterator[Thing]:
    for name, country, height in _MOUNTAINS:
        lead = f"{name} is the highest mountain of {country}, with an elevation of {height:,} metres above sea level."
        facts = (Fact("P2044", height, "metre"), Fact("P17", country))
        yield Thing(name, name, f"mountain in {country}", 60, lead, (), facts)


def _rivers() -> Iterator[Thing]:
    for name, country, length, mouth in _RIVERS:
        lead = f"The {name} is a river in {country}. It flows into the {mouth}."
        course = f"From its source to its mouth the river is {length:,} kilometres long."
        facts = (Fact("P2043", length, "kilometre"), Fact("P403", mouth), Fact("P17", country))
        yield Thing(name, name, f"river in {country}", 40, lead, (("Course", course),), facts)


def _people() -> Iterator[Thing]:
    for name, work, born, died, place, award in _PEOPLE:
        lead = f"{name} ({born} \u2013 {died}) was a {work} from {place}."
        life = f"Born in {place} in {born}, the {work} received the {award} and died in {died}."
        facts = (Fact("P569", born), Fact("P570", died), Fact("P19", place), Fact("P106", work), Fact("P166", award))
        yield Thing(name, name, work, 50, lead, (("Life", life),), facts)
    for work, born, died, place in _SAME_NAME:
        lead = f"Mora Kesting, born in {born} in {place}, {'was' if died else 'is'} a {work}."
        known = (Fact("P569", born), Fact("P19", place), Fact("P106", work))
        yield Thing(f"Mora Kesting ({work})", "Mora Kesting", work, 30, lead, (), known)


def _buildings() -> Iterator[Thing]:
    for name, place, height, architect, opened in _BUILDINGS:
        lead = f"{name} is a building in {place}, designed by {architect}. It opened in {opened}."
        facts = (Fact("P2048", height, "metre"), Fact("P84", architect), Fact("P1619", opened), Fact("P131", place))
        section = ("Structure", f"The building is {height} metres tall.")
        yield Thing(name, name, f"building in {place}", 25, lead, (section,), facts)


def _elements() -> Iterator[Thing]:
    for name, symbol, number, melts in _ELEMENTS:
        lead = f"{name.capitalize()} is a chemical element with the symbol {symbol} and atomic number {number}."
        heat = f"The metal melts at {melts:,} degrees Celsius."
        facts = (Fact("P246", symbol), Fact("P1086", number), Fact("P2101", melts, "degree Celsius"))
        yield Thing(name.capitalize(), name, "chemical element", 90, lead, (("Properties", heat),), facts)


def _of_land() -> Iterator[tuple[str, str]]:
    for at, (name, capital, before, _, area, language, peak) in enumerate(_COUNTRIES):
        other = _COUNTRIES[(at + 1) % len(_COUNTRIES)]
        yield f"{capital} is the capital of {name}.", f"{other[1]} is the capital of {name}."
        yield f"{name} covers {area:,} square kilometres.", f"{name} covers {area * 4:,} square kilometres."
        yield f"{name} had {before:,} inhabitants in 2000.", f"{name} had {before * 2:,} inhabitants in 2000."
        yield f"The official language of {name} is {language}.", f"The official language of {name} is {other[5]}."
        yield f"{peak} is the highest point of {name}.", f"{other[6]} is the highest point of {name}."
    for at, (name, country, people, founded) in enumerate(_TOWNS):
        other_country = _TOWNS[at - 1][1]
        yield f"{name} was founded in {founded}.", f"{name} was founded in {founded - 300}."
        yield f"The city of {name} is in {country}.", f"The city of {name} is in {other_country}."
        yield f"In 2024 {name} had {people:,} inhabitants.", f"In 2024 {name} had {people * 3:,} inhabitants."


def _of_nature() -> Iterator[tuple[str, str]]:
    for name, _, height in _MOUNTAINS:
        yield f"{name} is {height:,} metres high.", f"{name} is {height + 1900:,} metres high."
    for at, (name, _, length, mouth) in enumerate(_RIVERS):
        yield f"The {name} is {length:,} kilometres long.", f"The {name} is {length // 3:,} kilometres long."
        wrong = _RIVERS[at - 1][3] if _RIVERS[at - 1][3] != mouth else "Lake Graum"
        yield f"The {name} flows into the {mouth}.", f"The {name} flows into the {wrong}."
    for name, symbol, number, melts in _ELEMENTS:
        element = name.capitalize()
        yield f"{element} has the atomic number {number}.", f"{element} has the atomic number {number - 20}."
        yield f"{element} melts at {melts} degrees Celsius.", f"{element} melts at {melts * 2} degrees Celsius."
        yield f"The chemical symbol of {name} is {symbol}.", f"The chemical symbol of {name} is Zz."


def _of_people() -> Iterator[tuple[str, str]]:
    for at, (name, work, born, died, place, award) in enumerate(_PEOPLE):
        other = _PEOPLE[at - 1]
        yield f"{name} was born in {born}.", f"{name} was born in {born + 40}."
        yield f"{name} was born in {place}.", f"{name} was born in {other[4]}."
        yield f"{name} died in {died}.", f"{name} died in {died - 12}."
        yield f"{name} was a {work}.", f"{name} was a {other[1]}."
        yield f"{name} received the {award}.", f"{name} died in {born + 20}."
    for work, born, _, place in _SAME_NAME:
        yield f"The {work} Mora Kesting was born in {born}.", f"The {work} Mora Kesting was born in {born + 15}."
        yield f"The {work} Mora Kesting was born in {place}.", f"The {work} Mora Kesting was born in Vessby."
    for at, (name, _, height, architect, opened) in enumerate(_BUILDINGS):
        yield f"{name} is {height} metres tall.", f"{name} is {height * 2} metres tall."
        yield f"{name} was designed by {architect}.", f"{name} was designed by {_BUILDINGS[at - 1][3]}."
        yield f"{name} opened in {opened}.", f"{name} opened in {opened + 9}."
