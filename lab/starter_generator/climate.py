"""Statements about carbon dioxide in the air, from the monthly means of Mauna Loa.

They cover a few years that matter, and the latest.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from errors import InputError
from kb.starter.statement import Kind, Statement

_SOURCE = "https://gml.noaa.gov/ccgg/trends/data.html"
_TITLE = "NOAA Global Monitoring Laboratory: Trends in atmospheric carbon dioxide"
_YEARS = (1960, 1980, 2000)


def climate(folder: Path) -> Iterator[Statement]:
    """The yearly means of a few years.

    Raises:
        InputError: co2-mm-mlo.csv is not in the folder, or is not what it should be.
    """
    path = folder / "co2-mm-mlo.csv"
    try:
        means = _yearly(path)
    except (OSError, KeyError, ValueError) as exc:
        raise InputError(f"{path}: not the monthly means of carbon dioxide ({exc})") from exc
    for year in (*_YEARS, max(means)):
        text = f"In {year} the air at Mauna Loa in Hawaii held {means[year]:.1f} parts per million of carbon dioxide on average."
        yield Statement(Kind.CLIMATE, (), text, _SOURCE, _TITLE)
    first, last = min(means), max(means)
    text = (
        f"The share of carbon dioxide in the air at Mauna Loa has risen from {means[first]:.1f} parts per million in {first} "
        f"to {means[last]:.1f} in {last}."
    )
    yield Statement(Kind.CLIMATE, (), text, _SOURCE, _TITLE)


def _yearly(path: Path) -> dict[int, float]:
    """Year -> mean of its twelve months, for years that have them all."""
    months: dict[int, list[float]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            months.setdefault(int(row["Date"][:4]), []).append(float(row["Average"]))
    return {year: sum(values) / 12 for year, values in months.items() if len(values) == 12 and min(values) > 0}
