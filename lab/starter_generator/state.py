"""Statements about a country as a state: capital, government, name, independence, currency, anthem."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from kb.starter.statement import Kind
from lab.starter_generator.factbook import Country
from lab.starter_generator.land import Said
from lab.starter_generator.people import cities
from lab.starter_generator.wording import capitalised, in_words, listed, with_article

_HERE = Path(__file__).parent
_TOLD_BY_HAND = frozenset("bn by iv sf wz nr bm bl ci ce is tz ek kt io".split())
"""Countries whose seat of government needs explaining: own_facts.csv states it, or nothing does."""
_PLAIN_CAPITAL = re.compile(r"^[A-Z][^;]*?(?=$| \()")
_FROM = re.compile(r"^(\d{1,2} [A-Z][a-z]+ \d{4}) \((?:declared )?(?:independence )?from (?:the )?([^();]+)\)$")
_GOVERNMENT = re.compile(r"^[a-z][a-z -]+$")
_UNSTABLE = re.compile(r"transition|authoritarian|military|formerly|dictatorship|theocratic|in name|self-governing")
_HOLIDAY = re.compile(r"^(?P<name>[A-Z][^,(;]+?)(?: \([^)]*\))?, (?P<day>\d{1,2} [A-Z][a-z]+)\b")
_CLEARLY = 1.1
"""How many times larger than the second a city must be to count as largest.

Every count draws its own city limits.
"""
_NO_CURRENCY = frozenset("bu nn uc zi cr tv".split())
"""Countries whose currency changed after the figures were gathered."""
_TITLE = re.compile(r'["“](?P<own>[^"”]+)["”](?: \((?P<english>[^)]+)\))?')


def state(country: Country) -> Iterator[Said]:
    """What can be said about a country as a state."""
    yield from _capital(country)
    yield from _government(country)
    yield from _long_name(country)
    yield from _independence(country)
    yield from _currency(country)
    yield from _symbols(country)


def capital(country: Country) -> str:
    """Return the capital, or "" where one name is not enough."""
    if country.code in _TOLD_BY_HAND:
        return ""
    found = _PLAIN_CAPITAL.match(country.text("Government", "Capital", "name"))
    return found[0].split(" in ")[0].strip() if found else ""


def larger_cities(country: Country) -> tuple[str, ...]:
    """Up to three cities that are larger than the capital."""
    towns = cities(country)
    seat = next((people for _, people, is_capital in towns if is_capital), None)
    return tuple([town for town, people, _ in towns if seat and people > seat][:3])


def _capital(country: Country) -> Iterator[Said]:
    name = capital(country)
    if name:
        yield Kind.CAPITAL, f"The capital of {country.called} is {name}.".replace("..", ".")
        for town in larger_cities(country):
            yield Kind.NO_CAPITAL, f"{town} is not the capital of {country.name}."
    towns = cities(country)
    if len(towns) > 1 and towns[0][1] >= max(1e5, _CLEARLY * towns[1][1]):
        town, people, _ = towns[0]
        yield (
            Kind.LARGEST_CITY,
            f"The largest city of {country.name} is {town}, with about {in_words(people)} people in its urban area.",
        )


def _government(country: Country) -> Iterator[Said]:
    told = country.text("Government", "Government type").split(";")[0].split(" (")[0].strip()
    if country.sovereign and _GOVERNMENT.match(told) and not _UNSTABLE.search(told):
        yield Kind.GOVERNMENT, f"{capitalised(country.called)} is {with_article(told)}."


def _long_name(country: Country) -> Iterator[Said]:
    told = country.text("Government", "Country name", "conventional long form").split(";")[0]
    if told in {"", "none"} or not country.sovereign or country.code in {"af", "bm", "cn"} or "(" in told:
        return
    if told.lower() != country.name.removeprefix("the ").lower():
        article = "" if told.startswith(("Antigua", "Brunei")) else "the "
        yield Kind.LONG_NAME, f"The official name of {country.name} is {article}{told.replace(' The ', ' the ')}."


def _independence(country: Country) -> Iterator[Said]:
    if not country.sovereign or country.code in {"rs", "kv", "kn", "ks"}:
        return
    told = re.split(r"; (?![^(]*\))", country.text("Government", "Independence"))
    found = [match for match in map(_FROM.match, told) if match]
    if not found or len(found) != len(told):
        return  # a founding date or a declaration among them: too much for one sentence
    if any(re.search(r"UK\b.*-|-.*UK|trusteeship|mandate|colonies", match[2]) for match in found):
        return
    days = [f"from {_rulers(match[2])} in {match[1][-4:]} (on {match[1][:-5]})" for match in found]
    yield Kind.INDEPENDENCE, f"{capitalised(country.called)} gained its independence {listed(days)}."


def _rulers(names: str) -> str:
    for short, whole in (("UK", "the United Kingdom"), ("US", "the United States")):
        names = re.sub(rf"\b(?:the )?{short}\b(?! administration)", whole, names)
    needs_article = names.startswith(
        ("Soviet Union", "Ottoman Empire", "Netherlands", "State Union", "Malaysian Federation")
    )
    return f"the {names}" if needs_article else names


@lru_cache(maxsize=1)
def _currencies() -> dict[str, tuple[str, str]]:
    with (_HERE / "currencies.csv").open(encoding="utf-8", newline="") as file:
        return {row["found"]: (row["code"], row["name"]) for row in csv.DictReader(file)}


def _currency(country: Country) -> Iterator[Said]:
    found = re.search(r"\(([A-Z/]+)\)", country.text("Economy", "Exchange rates", "Currency"))
    if country.code == "th":
        yield Kind.CURRENCY, "The currency of Thailand is the Thai baht (THB)."
    elif found and found[1] in _currencies() and country.code not in _NO_CURRENCY:
        code, name = _currencies()[found[1]]
        yield Kind.CURRENCY, f"The currency of {country.called} is the {name} ({code})."


def _symbols(country: Country) -> Iterator[Said]:
    code = country.text("Communications", "Internet country code")
    if re.fullmatch(r"\.[a-z]{2}", code):
        yield Kind.DOMAIN, f"The internet country code of {country.name} is {code}."
    titles = _TITLE.findall(country.text("Government", "National anthem(s)", "title"))
    if country.sovereign and len(titles) == 1 and (country.code == "uk" or "God Save" not in titles[0][0]):
        own, english = titles[0]
        meaning = f", which means “{english}”" if english else ""
        yield Kind.ANTHEM, f"The national anthem of {country.name} is “{own}”{meaning}."
    holiday = _HOLIDAY.match(country.text("Government", "National holiday"))
    if country.sovereign and holiday:
        yield (
            Kind.HOLIDAY,
            f"The national holiday of {country.name} is {holiday['name'].strip()}, kept on {holiday['day']}.",
        )
