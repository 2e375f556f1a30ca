"""Statements about the chemical elements: symbols, numbers, abridged standard atomic weights.

They come from a table of our own (elements.csv).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from kb.starter.statement import Kind, Statement
from lab.starter_generator.wording import with_article

_TABLE = Path(__file__).parent / "elements.csv"
_SOURCE = "https://pubchem.ncbi.nlm.nih.gov/element/{name}"
_TITLE = "PubChem: {name} (element)"
_ALSO = {"Al": ("Aluminum",), "Cs": ("Cesium",), "S": ("Sulphur",)}
_STATES = {"gas": "a gas", "liquid": "a liquid", "solid": "a solid"}
_LATIN = {
    "Na": "natrium", "K": "kalium", "Fe": "ferrum", "Cu": "cuprum", "Ag": "argentum", "Sn": "stannum", "Sb": "stibium", "Au": "aurum",
    "Hg": "hydrargyrum", "Pb": "plumbum",
}  # fmt: skip


def elements() -> Iterator[Statement]:
    """Up to three statements for each element."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for text in _told(row["number"], row["symbol"], row["name"], row["weight"], row["family"], row["state"]):
                source = _SOURCE.format(name=row["name"].replace("Caesium", "Cesium").replace("Aluminium", "Aluminum"))
                yield Statement(
                    Kind.ELEMENT,
                    (row["name"], *_ALSO.get(row["symbol"], ())),
                    text,
                    source,
                    _TITLE.format(name=row["name"]),
                )


def _told(number: str, symbol: str, name: str, weight: str, family: str, state: str) -> Iterator[str]:
    yield f"The chemical symbol of {name.lower()} is {symbol}, and its atomic number is {number}."
    if family and state:
        yield f"{name} is {with_article(family)} and is {_STATES[state]} at room temperature."
    elif family:
        yield f"{name} is {with_article(family)}."
    if weight:
        yield f"The standard atomic weight of {name.lower()} is {weight}."
    if symbol in _LATIN:
        yield f"The symbol {symbol} of the element {name.lower()} comes from its Latin name, {_LATIN[symbol]}."
