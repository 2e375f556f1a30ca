"""Put a Wikidata item's statements into words: value, unit, time, qualifiers; preferred first, deprecated never."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from verifier.search.http import part
from verifier.search.results import plain

_ITEM = re.compile(r"Q[1-9]\d{0,11}")
_DATE = re.compile(r"([+-])(\d{1,16})-(\d\d)-(\d\d)T")
_MONTHS = "January February March April May June July August September October November December".split()
_DAY, _MONTH, _YEAR, _DECADE, _CENTURY = 11, 10, 9, 8, 7
_LONGEST, _MOST_VALUES, _MOST_STATEMENTS = 200, 12, 200
_POINT, _START, _END = "P585", "P580", "P582"
_MEANING = {
    "P518": "for",
    "P642": "of",
    "P1001": "in",
    "P1013": "by",
    "P1480": "",
    "P5102": "",
    "P515": "phase",
    "P2076": "at",
    "P2077": "at",
}
"""Qualifiers that change what a statement says, and the word before each."""
_PLURALS = {
    "foot": "feet",
    "inch": "inches",
    "degree Celsius": "degrees Celsius",
    "degree Fahrenheit": "degrees Fahrenheit",
}
_UNCHANGED = re.compile(r"(?:s|hertz|kelvin|percent|per cent|%|\W)$", re.IGNORECASE)

Labels = Mapping[str, str]
"""The names of items by their ids."""


@dataclass(frozen=True, slots=True)
class Told:
    """One statement in words, and the years that it holds for (None: not stated)."""

    value: str
    remark: str
    since: int | None
    until: int | None
    preferred: bool

    @property
    def text(self) -> str:
        """The value with its remark: "5,550,203 (2024)"."""
        return f"{self.value} ({self.remark})" if self.remark else self.value


def statements_of(claims: object, property_id: str) -> list[Mapping[str, object]]:
    """Return an item's statements of one property, without deprecated ones, up to a limit."""
    found = part(claims, property_id)
    rows = found[:_MOST_STATEMENTS] if isinstance(found, list) else []
    return [row for row in rows if isinstance(row, dict) and row.get("rank") in {"preferred", "normal"}]


def items_in(statement: Mapping[str, object]) -> Iterator[str]:
    """Yield the ids of a statement's items: value, unit, and those of its shown qualifiers."""
    for snak in (statement.get("mainsnak"), *(snak for _, snak in _qualifiers(statement))):
        value = part(part(snak, "datavalue"), "value")
        for text in (part(value, "id"), part(value, "unit")):
            if isinstance(text, str) and (found := _ITEM.fullmatch(text.rpartition("/")[2])):
                yield found[0]


def told(statement: Mapping[str, object], labels: Labels) -> Told | None:
    """Put a statement into words; None if its value or the value's name is missing."""
    value = _value(statement.get("mainsnak"), labels)
    if not value:
        return None
    remarks, since, until = [], None, None
    for name, snak in _qualifiers(statement):
        text = _value(snak, labels)
        year = year_of(part(part(part(snak, "datavalue"), "value"), "time"))
        if name in {_POINT, _START}:
            since = year
        if name in {_POINT, _END}:
            until = year
        word = _MEANING.get(name, {_START: "from", _END: "until"}.get(name, ""))
        if text and name in {_POINT, _START, _END, *_MEANING}:
            remarks.append(f"{word} {text}".strip())
    return Told(value, ", ".join(remarks), since, until, statement.get("rank") == "preferred")


def _qualifiers(statement: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield the first value of each qualifier to show, those that change the meaning first."""
    qualifiers = statement.get("qualifiers")
    for name in (*_MEANING, _POINT, _START, _END):
        snaks = part(qualifiers, name)
        if isinstance(snaks, list) and snaks:
            yield name, snaks[0]


def chosen(found: Sequence[Told], years: Sequence[int], most: int) -> list[Told]:
    """Choose the statements for a year in the claim, else the current ones.

    Current are the preferred, or the latest.
    """
    asked = [told for told in found if any(_holds_in(told, year) for year in years)]
    if asked:
        return asked[:most]
    best = [told for told in found if told.preferred]
    if not best and any(told.since or told.until for told in found):
        ongoing = [told for told in found if told.until is None]
        best = sorted(ongoing or found, key=lambda told: -(told.until or told.since or 0))[:1]
    return list(best or found)[:most]


def _holds_in(told: Told, year: int) -> bool:
    if told.since is None and told.until is None:
        return False
    return (told.since is None or told.since <= year) and (told.until is None or year <= told.until)


def sentences(subject: str, property_label: str, found: Sequence[Told]) -> Iterator[str]:
    """Yield "Norway, population: 5,550,203 (2024)"; values without remarks share one line."""
    bare = [told.value for told in found if not told.remark][:_MOST_VALUES]
    if bare:
        yield f"{subject}, {property_label}: {', '.join(bare)}"
    for told in found:
        if told.remark:
            yield f"{subject}, {property_label}: {told.text}"


def _value(snak: object, labels: Labels) -> str:
    """Return the value of a statement or qualifier in words; "" if unknown or unsupported."""
    if part(snak, "snaktype") != "value":
        return ""
    value, kind = part(part(snak, "datavalue"), "value"), part(part(snak, "datavalue"), "type")
    if kind == "wikibase-entityid":
        return labels.get(plain(part(value, "id"), 20), "")
    if kind == "quantity":
        return _quantity(value, labels)
    if kind == "time":
        return _time(value)
    if kind == "monolingualtext":
        return plain(part(value, "text"), _LONGEST)
    return plain(value, _LONGEST) if part(snak, "datatype") == "string" else ""


def _quantity(value: object, labels: Labels) -> str:
    try:
        amount = Decimal(plain(part(value, "amount"), 40))
    except InvalidOperation:
        return ""
    if not amount.is_finite() or abs(amount.adjusted()) > 30:
        return ""
    figure = f"{amount:,f}"
    figure = figure.rstrip("0").rstrip(".") if "." in figure else figure
    unit = plain(part(value, "unit"), 100)
    if unit == "1":
        return figure
    name = labels.get(unit.rpartition("/")[2], "")
    return f"{figure} {_many(name, amount)}" if name else ""  # a figure without its unit would mean something else


def _many(unit: str, amount: Decimal) -> str:
    first, per, rest = unit.partition(" per ")
    if amount == 1 or (first not in _PLURALS and _UNCHANGED.search(first)):
        return unit
    return f"{_PLURALS.get(first, first + 's')}{per}{rest}"


def year_of(time: object) -> int | None:
    """Return the year of a Wikidata time ("+2024-01-01T00:00:00Z"); years before Christ are negative."""
    match = _DATE.match(time) if isinstance(time, str) else None
    return int(match[1] + match[2]) if match and len(match[2].lstrip("0")) <= 5 else None


def _time(value: object) -> str:
    text, precision = part(value, "time"), part(value, "precision")
    year = year_of(text)
    if year is None or not isinstance(text, str) or not isinstance(precision, int) or precision < _CENTURY:
        return ""
    shown = f"{abs(year)} BC" if year < 0 else str(year)
    if precision == _CENTURY:
        return f"{_ordinal((abs(year) + 99) // 100)} century{' BC' * (year < 0)}"
    if precision == _DECADE:
        return f"{abs(year) // 10 * 10}s{' BC' * (year < 0)}"
    match = _DATE.match(text)
    assert match is not None
    month, day = int(match[3]), int(match[4])
    if precision == _YEAR or not 1 <= month <= 12:
        return shown
    if precision == _MONTH or not 1 <= day <= 31:
        return f"{_MONTHS[month - 1]} {shown}"
    return f"{day} {_MONTHS[month - 1]} {shown}"


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
