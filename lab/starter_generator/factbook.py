"""Read the World Factbook's figures: one JSON file per country.

Fields are nested under headings, and values are loose text.
"""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from errors import InputError

_NAMES = Path(__file__).parent / "names.csv"
_PAGE = "https://web.archive.org/web/20260115/https://www.cia.gov/the-world-factbook/countries/{page}/"
"""The Factbook was closed in February 2026; its pages are kept at the Internet Archive."""
_TAG = re.compile(r"<[^>]+>")
_BREAK = re.compile(r"<br\s*/?>|<p>|</p>", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"\((?:[^()]*?\b)?((?:19|20)\d\d)(?: ?est\.?| ests\.)?\)")
_SCALES = {"million": 1e6, "billion": 1e9, "trillion": 1e12}
_LEFT_OUT = frozenset("ax dx ee gz oo pf pg um we wi xo xq xx zh zn ay bq bv fs hm at cr ip wq jn sv io sx".split())
"""Seas, uninhabited islands, military bases, and places whose status is disputed."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and its year; `year` is 0 where none is given."""

    value: float
    year: int


@dataclass(frozen=True, slots=True)
class Country:
    """A country or a territory.

    `name` is written as within a sentence ("the Netherlands"), `alias` is another name or "", `also` holds more.
    """

    code: str
    name: str
    alias: str
    page: str
    region: str
    sovereign: bool
    fields: Mapping[str, object]
    also: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """The name with the other name: "Myanmar (Burma)"."""
        return f"{self.name} ({self.alias})" if self.alias else self.name

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which a claim may speak of the country: "Norway", "Norwegian"."""
        bare = [name.removeprefix("the ").removeprefix("formerly ") for name in (self.name, self.alias) if name]
        noun = self.text("People and Society", "Nationality", "noun")
        adjective = self.text("People and Society", "Nationality", "adjective")
        told = (part.strip() for part in re.split(r",|;|/| or |\([^)]*\)", f"{noun}, {adjective}"))
        return tuple(dict.fromkeys([*bare, *self.also, *(name for name in told if name[:1].isupper())]))

    @property
    def source(self) -> str:
        """Where the country's page is kept."""
        return _PAGE.format(page=self.page)

    @property
    def title(self) -> str:
        """The page's title."""
        return f"The World Factbook: {self.called.removeprefix('the ')}"

    def text(self, *path: str) -> str:
        """The first paragraph of a field, without markup and notes; "" where there is none."""
        value: object = self.fields
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            value = value.get("text")
        return plain(value) if isinstance(value, str) else ""

    def figure(self, *path: str) -> Figure | None:
        """The first number of a field and its year."""
        return figure_in(self.text(*path))


def plain(text: str) -> str:
    """A field's first paragraph: no tags, entities resolved, notes cut off."""
    parts = [part for part in _BREAK.split(text) if part.strip()]
    first = html.unescape(_TAG.sub("", parts[0])) if parts else ""
    return " ".join(re.split(r"\bnote\s*[-:]", first)[0].split()).strip(" ;")


def figure_in(text: str) -> Figure | None:
    """Return the first number of a text, with its scale word, and its year.

    Example: "1.086 million OSLO (2023)".
    """
    number = _NUMBER.search(text)
    if not number:
        return None
    scale = _SCALES.get(text[number.end() :].lstrip().partition(" ")[0], 1.0)
    year = _YEAR.search(text)
    return Figure(float(number[0].replace(",", "")) * scale, int(year[1]) if year else 0)


def read_countries(folder: Path) -> list[Country]:
    """All countries and inhabited territories, by name.

    Args:
        folder: holds a folder for each part of the world, with one .json file per country.

    Raises:
        InputError: the folder is not there, or a file in it cannot be read.
    """
    with _NAMES.open(encoding="utf-8", newline="") as file:
        known = {row["code"]: row for row in csv.DictReader(file)}
    files = [path for path in sorted(folder.glob("*/*.json")) if path.parent.name != "meta"]
    if not files:
        raise InputError(f"{folder}: no country files in it (europe/no.json ...); give the folder that holds factbook/")
    found = [
        _country(path, known.get(path.stem, {}))
        for path in files
        if path.stem not in _LEFT_OUT and path.parent.name != "oceans"
    ]
    return sorted(found, key=lambda country: country.name.removeprefix("the "))


def _country(path: Path, named: Mapping[str, str]) -> Country:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise InputError(f"{path}: cannot be read ({exc})") from exc
    draft = Country(path.stem, "", "", "", path.parent.name, True, fields)
    short = draft.text("Government", "Country name", "conventional short form")
    name = named.get("name") or short
    slug = re.sub(r"[^a-z]+", "-", name.removeprefix("the ").lower().replace("'", "")).strip("-")
    status = draft.text("Government", "Dependency status")
    return Country(
        path.stem,
        name,
        named.get("alias", ""),
        named.get("page") or slug,
        path.parent.name,
        not status,
        fields,
        tuple(filter(None, named.get("also", "").split(";"))),
    )
