"""Statements about a country's land: location, size, borders, highest point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kb.starter.statement import Kind
from lab.starter_generator.factbook import Country, figure_in
from lab.starter_generator.wording import capitalised, chosen, grouped, listed, rounded

_SQUARE_MILE = 2.589988
_FOOT = 0.3048
_NEIGHBOUR = re.compile(r"([A-Z][^\d;,]*?)\s+[\d,.]+ ?km")
_PEAK = re.compile(r"^(?P<name>[^\d;()]+?)(?: \([^)]*\))?,? (?P<height>[\d,]+)(?: m\b|$)")
_REGIONS = re.compile(r"^(?:[A-Z][a-z]+(?:[ -][A-Z][a-z]+)?)$")
_SHORT = {
    "US": "the United States", "UK": "the United Kingdom", "UAE": "the United Arab Emirates", "DRC": "the Democratic Republic of the Congo",
    "Burma": "Myanmar", "Macedonia": "North Macedonia", "Cote d'Ivoire": "Ivory Coast", "Côte d'Ivoire": "Ivory Coast", "Czech Republic": "Czechia",
    "Netherlands": "the Netherlands", "Republic of the Congo": "the Republic of the Congo", "Democratic Republic of the Congo":
    "the Democratic Republic of the Congo", "Central African Republic": "the Central African Republic", "The Gambia": "the Gambia",
    "Dominican Republic": "the Dominican Republic", "Holy See": "Vatican City", "Gaza Strip": "the Gaza Strip", "West Bank": "the West Bank",
    "Turkey (Turkiye)": "Turkey", "United Arab Emirates": "the United Arab Emirates", "United Kingdom": "the United Kingdom",
}  # fmt: skip
_WATERS = re.compile(
    r"bordering (?:the )?((?:[A-Z][\w']+ )*(?:Sea|Ocean|Gulf|Bay)(?: of [A-Z]\w+)?(?:(?:,| and|, and) (?:the )?(?:[A-Z][\w']+ )*(?:Sea|Ocean|Gulf|Bay)(?: of [A-Z]\w+)?)*)"
)

Said = tuple[Kind, str]


def land(country: Country) -> Iterator[Said]:
    """What can be said about a country's land."""
    yield from _location(country)
    yield from _area(country)
    yield from _borders(country)
    yield from _coast(country)
    yield from _peak(country)


def bordering(country: Country) -> list[str]:
    """The names of the countries and territories that share a land border, in alphabetical order."""
    found = country.text("Geography", "Land boundaries", "border countries")
    names = {_SHORT.get(name, name) for name in (_bare(match) for match in _NEIGHBOUR.findall(found))}
    return sorted(names, key=lambda name: name.removeprefix("the "))


def _bare(name: str) -> str:
    return re.sub(r"\s*\([^)]*\)?", "", name).strip()


def _location(country: Country) -> Iterator[Said]:
    told = country.text("Geography", "Location")
    region = told.split(",")[0].strip()
    if not _REGIONS.match(region):
        return
    region = {"Caribbean": "the Caribbean", "Middle East": "the Middle East"}.get(region, region)
    waters = _WATERS.search(told)
    on = f", on the {listed(re.split(r',? and (?:the )?|, (?:the )?', waters[1]))}" if waters else ""
    yield Kind.LOCATION, f"{capitalised(country.called)} is in {region}{on}."


def _area(country: Country) -> Iterator[Said]:
    told = country.text("Geography", "Area", "total ") or country.text("Geography", "Area", "total")
    figure = figure_in(told)
    if figure and ";" not in told:
        miles = grouped(rounded(figure.value / _SQUARE_MILE))
        text = chosen(
            (
                "{name} has an area of {km} square kilometres (about {miles} square miles).",
                "{name} covers {km} square kilometres, or about {miles} square miles.",
            ),
            country.code,
        )
        yield Kind.AREA, text.format(name=capitalised(country.called), km=grouped(figure.value), miles=miles)


def _borders(country: Country) -> Iterator[Said]:
    names = bordering(country)
    total = country.figure("Geography", "Land boundaries", "total")
    if names:
        yield Kind.BORDERS, f"{capitalised(country.name)} has land borders with {listed(names)}."
    elif total and not total.value:
        yield Kind.BORDERS, f"{capitalised(country.name)} has no land border with any other country."


def _coast(country: Country) -> Iterator[Said]:
    told = country.text("Geography", "Coastline")
    figure = figure_in(told)
    if "landlocked" in told and country.sovereign:
        text = chosen(
            ("{name} is landlocked: it has no sea coast.", "{name} is a landlocked country without access to the sea."),
            country.code,
        )
        yield Kind.COAST, text.format(name=capitalised(country.name))
    elif figure and figure.value:
        text = f"The coastline of {country.name} is about {grouped(rounded(figure.value))} kilometres long."
        yield Kind.COAST, text


def _peak(country: Country) -> Iterator[Said]:
    peak = _PEAK.match(country.text("Geography", "Elevation", "highest point"))
    if not peak or "unnamed" in peak["name"]:
        return
    metres = float(peak["height"].replace(",", ""))
    feet = grouped(rounded(metres / _FOOT))
    name = peak["name"].removeprefix("Gora ").strip()
    yield (
        Kind.HIGHEST_POINT,
        f"The highest point in {country.name} is {name}, at {grouped(metres)} metres (about {feet} feet).",
    )


def sizes(countries: Mapping[str, Country]) -> dict[str, float]:
    """Code -> area in square kilometres, where it is known."""
    found = {}
    for code, country in countries.items():
        figure = country.figure("Geography", "Area", "total ") or country.figure("Geography", "Area", "total")
        if figure:
            found[code] = figure.value
    return found
