"""Statements on which country is largest, most populous and so on, from the same figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kb.starter.statement import Kind, Statement
from lab.starter_generator.factbook import Country
from lab.starter_generator.land import bordering, sizes
from lab.starter_generator.people import population
from lab.starter_generator.wording import capitalised, in_words

_CONTINENTS = {"africa": "Africa", "south-america": "South America"}
"""Parts of the world whose folder holds exactly the countries of a continent."""


@dataclass(frozen=True, slots=True)
class _Ranked:
    country: Country
    value: float


def rankings(countries: Sequence[Country]) -> Iterator[Statement]:
    """State who is first and last in the world, and first in two continents.

    By area and by people. No second places: a small model takes "Canada is the second largest" as support for
    the claim that Canada is the largest country.
    """
    states = [country for country in countries if country.sovereign and country.code not in {"fr", "tw", "kv"}]
    areas = sizes({country.code: country for country in states})
    by_area = [_Ranked(country, areas[country.code]) for country in states if country.code in areas]
    by_people = [_Ranked(country, figure.value) for country in states if (figure := population(country))]
    yield _ranked(max(by_area, key=_value), "largest country in the world by area", _square_kilometres)
    yield _ranked(max(by_people, key=_value), "most populous country in the world", _people)
    yield _ranked(min(by_area, key=_value), "smallest country in the world by area", _square_kilometres)
    yield _ranked(min(by_people, key=_value), "country with the fewest people in the world", _people)
    for folder, name in _CONTINENTS.items():
        if inside := [row for row in by_area if row.country.region == folder]:
            yield _ranked(max(inside, key=_value), f"largest country in {name} by area", _square_kilometres)
        if inside := [row for row in by_people if row.country.region == folder]:
            yield _ranked(max(inside, key=_value), f"most populous country in {name}", _people)
    by_borders = sorted(countries, key=lambda country: -len(bordering(country)))[:2]
    for country in by_borders:
        count = len(bordering(country))
        yield _statement(country, f"{capitalised(country.name)} borders {count} other countries, more than most.")


def _value(row: _Ranked) -> float:
    return row.value


def _ranked(row: _Ranked, place: str, told: Callable[[float], str]) -> Statement:
    return _statement(row.country, f"{capitalised(row.country.name)} is the {place}, with about {told(row.value)}.")


def _statement(country: Country, text: str) -> Statement:
    return Statement(Kind.RANKING, (), text, country.source, country.title)


def _people(value: float) -> str:
    return f"{in_words(value)} people"


def _square_kilometres(value: float) -> str:
    return f"{in_words(value)} square kilometres" if value > 1 else "half a square kilometre"
