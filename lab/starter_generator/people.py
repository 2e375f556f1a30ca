"""Statements about a country's people: number, languages, faiths, and where they live."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.starter.statement import Kind
from lab.starter_generator.factbook import Country, Figure, figure_in
from lab.starter_generator.land import Said
from lab.starter_generator.wording import capitalised, in_words, listed

_FAITHS = {
    "Muslim": "Muslim", "Islam": "Muslim", "Christian": "Christian", "Roman Catholic": "Roman Catholic", "Catholic": "Catholic",
    "Protestant": "Protestant", "Hindu": "Hindu", "Buddhist": "Buddhist", "Orthodox": "Orthodox Christian", "Jewish": "Jewish",
    "Eastern Orthodox": "Orthodox Christian", "Evangelical": "Evangelical Christian", "Greek Orthodox": "Greek Orthodox", "Lutheran": "Lutheran",
    "Ethiopian Orthodox": "Ethiopian Orthodox",
}  # fmt: skip
_MOST = 50
"""Percent from which a faith or a branch of one may be named alone.

Below it, another branch may still lead.
"""
_NO_FAITH = frozenset({"none", "other", "unspecified", "no response", "unknown"})
_SHARE = re.compile(r"^(?P<name>[^\d(]+?)(?: \([^)]*\))? (?P<share>\d+(?:\.\d+)?)%")
_OFFICIAL = re.compile(r"\((?:de facto |de jure )?official(?! in)\b(?! on most)|\([^()]*[;,] official\)")
_SPELT = {
    "Bahasa Indonesia": "Indonesian", "Bahasa Malaysia": "Malay", "Kiswahili": "Swahili", "Persian Farsi": "Persian", "Castilian Spanish": "Spanish",
    "Bangla": "Bengali",
}  # fmt: skip
_NO_CITY = 5e7
"""No city has so many people: the figure must be mistyped."""
_ESTIMATE = re.compile(r"((?:19|20)\d\d) ?est")
_CITY = re.compile(r"(?P<size>[\d.,]+(?: million)?) (?P<name>[^,(;\d]+?)(?: \((?P<note>[^)]*)\))?(?=,|$| \()")


def people(country: Country) -> Iterator[Said]:
    """What can be said about a country's people."""
    yield from _population(country)
    yield from _languages(country)
    yield from _faith(country)


def _population(country: Country) -> Iterator[Said]:
    figure = population(country)
    if figure:
        yield (
            Kind.POPULATION,
            f"{capitalised(country.called)} has a population of about {in_words(figure.value)} people ({figure.year} estimate).",
        )


def population(country: Country) -> Figure | None:
    """How many people live there, and in which year that was estimated."""
    figure = country.figure("People and Society", "Population", "total")
    return figure if figure and figure.value and figure.year else None


def _parts(text: str) -> list[str]:
    """The parts of a list whose brackets may hold commas."""
    return [part.strip() for part in re.split(r"[,;] (?![^(]*\))", text)]


def _languages(country: Country) -> Iterator[Said]:
    told = country.text("People and Society", "Languages", "Languages") or country.text(
        "People and Society", "Languages"
    )
    official = [part for part in _parts(told) if _OFFICIAL.search(part)]
    names = [name for name in (_language(part) for part in official) if name != "other"]
    if any(len(name.split()) > 3 for name in names) or not names:
        return
    where = country.called
    if (
        len(names) != told.count("official") or "language)" in told
    ):  # some are official for a part of the country, or within a bracket
        yield Kind.LANGUAGE, f"{listed(names)} {_is(names)} {_of_official(names)} of {where}."
    elif len(names) == 1:
        yield Kind.LANGUAGE, f"The official language of {where} is {names[0]}."
    else:
        yield Kind.LANGUAGE, f"The official languages of {where} are {listed(names)}."


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _of_official(names: list[str]) -> str:
    return "an official language" if len(names) == 1 else "official languages"


def _language(part: str) -> str:
    name = re.split(r" \(| \d", part)[0].split("/")[-1].split(" or ")[-1]
    return _SPELT.get(name, name.removesuffix(" only"))


def _faith(country: Country) -> Iterator[Said]:
    told = country.text("People and Society", "Religions")
    found = [match for match in map(_SHARE.match, _parts(told)) if match]
    year = _ESTIMATE.search(told)
    if not found or not year:
        return
    largest = max(found, key=lambda match: float(match["share"]))
    name, share = largest["name"].strip(), float(largest["share"])
    if name.lower() not in _NO_FAITH and name in _FAITHS and share > _MOST:
        yield (
            Kind.RELIGION,
            f"Most people in {country.name} are {_FAITHS[name]} (about {share:g}% in {year[1]}).",
        )


def cities(country: Country) -> list[tuple[str, float, bool]]:
    """The largest cities with their suburbs: name, people, whether it is the capital; largest first."""
    told = country.text("People and Society", "Major urban areas - population")
    found = []
    for match in _CITY.finditer(told):
        figure = figure_in(match["size"])
        name = match["name"].strip()
        if figure and name and not name.startswith("est") and figure.value < _NO_CITY:
            capital = "capital" in (match["note"] or "")
            found.append(
                (
                    name.title().replace(" Es ", " es ").replace(" De ", " de ") if name.isupper() else name,
                    figure.value,
                    capital,
                )
            )
    return sorted(found, key=lambda city: -city[1])
