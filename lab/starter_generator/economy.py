"""State figures that change: each names its year, and only the latest year is stated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.starter.statement import Kind
from lab.starter_generator.factbook import Country, Figure
from lab.starter_generator.land import Said
from lab.starter_generator.wording import capitalised, grouped, in_words, listed, rounded


@dataclass(frozen=True, slots=True)
class _Told:
    """A yearly figure: where it is found, and how it is worded.

    `latest`: there is a field for each year, and the last one counts.
    """

    path: tuple[str, ...]
    wording: str
    latest: bool = False
    large: bool = False
    sovereign_only: bool = False


_FIGURES = (
    _Told(
        ("People and Society", "Life expectancy at birth", "total population"),
        "Life expectancy at birth in {name} was {value} years in {year}.",
    ),
    _Told(
        ("People and Society", "Median age", "total"), "The median age of people in {name} was {value} years in {year}."
    ),
    _Told(
        ("People and Society", "Total fertility rate"),
        "The fertility rate of {name} was {value} children per woman in {year}.",
    ),
    _Told(
        ("People and Society", "Infant mortality rate", "total"),
        "Infant mortality in {name} was {value} deaths per 1,000 live births in {year}.",
    ),
    _Told(
        ("People and Society", "Urbanization", "urban population"),
        "About {value}% of the people in {name} lived in towns and cities in {year}.",
    ),
    _Told(
        ("People and Society", "Literacy", "total population"),
        "About {value}% of adults in {name} could read and write in {year}.",
    ),
    _Told(
        ("Communications", "Internet users", "percent of population"),
        "About {value}% of the people in {name} used the internet in {year}.",
    ),
    _Told(("Geography", "Land use", "forest"), "Forest covered about {value}% of the land of {name} in {year}."),
    _Told(
        ("Economy", "GDP (official exchange rate)"),
        "The gross domestic product (GDP) of {name} was about ${value} in {year}.",
        large=True,
    ),
    _Told(
        ("Economy", "Unemployment rate"),
        "The unemployment rate of {name} was about {value}% in {year}.",
        latest=True,
    ),
    _Told(
        ("Economy", "Inflation rate (consumer prices)"),
        "Consumer prices in {name} rose by about {value}% in {year}.",
        latest=True,
    ),
    _Told(
        ("Military and Security", "Military expenditures"),
        "{Name} spent about {value}% of its GDP on defence in {year}.",
        latest=True,
        sovereign_only=True,
    ),
    _Told(
        ("Environment", "Carbon dioxide emissions", "total emissions"),
        "{Name} emitted about {value} tonnes of carbon dioxide in {year}.",
        large=True,
    ),
    _Told(("Transportation", "Railways", "total"), "{Name} had {value} kilometres of railway in {year}."),
    _Told(
        ("Government", "National heritage", "total World Heritage Sites"),
        "{Name} had {value} UNESCO World Heritage Sites in {year}.",
    ),
)
_LATEST = ("2025", "2024", "2023")


def figures(country: Country) -> Iterator[Said]:
    """What can be said about a country in a year."""
    for told in _FIGURES:
        found = _newest(country, told) if told.latest else country.figure(*told.path)
        if not found or not found.year or found.year < 2015 or (told.sovereign_only and not country.sovereign):
            continue
        if found.value <= 0:
            continue
        value = in_words(found.value) if told.large else grouped(rounded(found.value))
        yield (
            Kind.FIGURE,
            told.wording.format(name=country.name, Name=capitalised(country.name), value=value, year=found.year),
        )
    yield from _exports(country)


def _newest(country: Country, told: _Told) -> Figure | None:
    section, field = told.path
    for year in _LATEST:
        for spelt in (field, "Military Expenditures"):
            found = country.figure(section, field, f"{spelt} {year}")
            if found and found.year:
                return found
    return None


def _exports(country: Country) -> Iterator[Said]:
    told = country.text("Economy", "Exports - commodities")
    match = re.fullmatch(r"([^()]+) \((20\d\d)\)", told)
    goods = [good.strip().replace("/", " and ") for good in match[1].split(",")] if match else []
    if match and 3 <= len(goods) <= 6:
        yield (
            Kind.EXPORTS,
            f"The main exports of {country.name} in {match[2]}, by value, were {listed(goods)}.",
        )
