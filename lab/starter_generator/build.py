"""Make all statements of the starter pack from a folder of public-domain figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from kb.chunk import MAX_CHARACTERS
from kb.record import content_hash
from kb.starter.statement import Kind, Statement
from lab.starter_generator.climate import climate
from lab.starter_generator.economy import figures
from lab.starter_generator.elements import elements
from lab.starter_generator.factbook import Country, read_countries
from lab.starter_generator.land import land
from lab.starter_generator.people import people
from lab.starter_generator.rankings import rankings
from lab.starter_generator.state import larger_cities, state
from lab.starter_generator.wording import capitalised

_OWN = Path(__file__).parent / "own_facts.json"
_CLUBS = Path(__file__).parent / "clubs.json"


def statements(folder: Path) -> list[Statement]:
    """Return all statements in a fixed order, each wording only once.

    Args:
        folder: holds factbook/ (one JSON file per country) and world_stats/ (co2-mm-mlo.csv).

    Raises:
        InputError: something is missing in the folder, or cannot be read.
    """
    countries = read_countries(folder / "factbook")
    found = [
        *of_countries(countries),
        *rankings(countries),
        *clubs(countries),
        *elements(),
        *climate(folder / "world_stats"),
        *own(countries),
    ]
    distinct = {content_hash(statement.text): statement for statement in reversed(found)}
    return [s for s in reversed(distinct.values()) if len(s.text) <= MAX_CHARACTERS]


def of_countries(countries: Sequence[Country]) -> Iterator[Statement]:
    """The statements about countries and territories, one by one."""
    for country in countries:
        for tell in (land, people, state, figures):
            for kind, text in tell(country):
                yield Statement(kind, _names(kind, country), text, country.source, country.title)


def _names(kind: Kind, country: Country) -> tuple[str, ...]:
    """Return what a claim must name: the country, or for NO_CAPITAL a larger city."""
    return larger_cities(country) if kind is Kind.NO_CAPITAL else country.names


def clubs(countries: Sequence[Country]) -> Iterator[Statement]:
    """State which countries are members of the large unions of states (clubs.json).

    Also state which countries are not, among those that might be thought to be.
    """
    for club in json.loads(_CLUBS.read_text(encoding="utf-8")):
        for country in countries:
            verb = "is a" if country.code in club["members"] else "is not a" if country.code in club["deny"] else ""
            if verb:
                text = f"{capitalised(country.name)} {verb} member of {club['club']}."
                yield Statement(Kind.MEMBERSHIP, country.names, text, club["source"], club["title"])


def own(countries: Sequence[Country]) -> Iterator[Statement]:
    """State what no table gives: Earth, planets, units, constants, the calendar, double capitals.

    A page of own_facts.json has a `country`, whose address and names are then used, or `source` and `title` of its own.
    It may have `about`: names, one of which a claim must hold.
    """
    known = {country.code: country for country in countries}
    for page in json.loads(_OWN.read_text(encoding="utf-8")):
        country = known.get(page.get("country", ""))
        if "country" in page and country is None:
            continue
        about = (*(country.names if country else ()), *page.get("about", ()))
        source, title = (country.source, country.title) if country else (page["source"], page["title"])
        for text in page["texts"]:
            yield Statement(Kind.OWN, about, text, source, title)
