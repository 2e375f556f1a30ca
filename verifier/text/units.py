"""Convert an amount to another unit of the same dimension.

1,840 metres are 1.84 kilometres, 36 hours are a day and a half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from verifier.text.figures import Figure
from verifier.text.rates import PER_HOUR

_DIMENSIONS: tuple[dict[str, float], ...] = (
    {"kilome": 1e3, "metr": 1.0, "centim": 1e-2, "millim": 1e-3, "mil": 1_609.344, "feet": 0.3048, "foot": 0.3048, "inch": 0.0254},
    {f"kilome{PER_HOUR}": 1e3, f"metr{PER_HOUR}": 1.0, f"mil{PER_HOUR}": 1_609.344, f"feet{PER_HOUR}": 0.3048, f"foot{PER_HOUR}": 0.3048},
    {"kilogr": 1.0, "gram": 1e-3, "tonn": 1e3},
    {"litr": 1.0, "millil": 1e-3},
    {
        "second": 1.0, "minut": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_629_800.0, "year": 31_557_600.0,
        "decad": 315_576_000.0, "centur": 3_155_760_000.0,
    },
)  # fmt: skip
"""The stem of a unit, as in `figures` -> its size.

A month is a twelfth of a year, and a year 365.25 days.
"""
_GAP = 18
"""Characters between the numbers of an amount in two parts: "6 minutes and 14 seconds"."""
_APART = 10.0
"""If one amount is over this many times another, they are of different things."""


def in_unit_of(asked: Figure, found: Figure, others: Sequence[Figure]) -> Figure:
    """Convert a figure to the unit of another and mark it as rounded.

    It is returned unchanged if that is impossible or the two are far apart.

    Args:
        asked: the figure whose unit is wanted.
        found: the figure to convert.
        others: all figures of its text: a part of an amount in two units is left unchanged.
    """
    dimension = next((units for units in _DIMENSIONS if _unit(asked, units) and _unit(found, units)), None)
    if dimension is None or asked.nouns == found.nouns:
        return found
    if any(_unit(other, dimension) and _touch(found, other) for other in others if other is not found):
        return found
    (wanted,), (given,) = asked.nouns, found.nouns
    value = found.value * dimension[given] / dimension[wanted]
    near = asked.value / _APART <= value <= asked.value * _APART
    return replace(found, value=value, nouns=asked.nouns, rough=True) if near else found


def is_time(figure: Figure) -> bool:
    """Return whether a figure counts a unit of time.

    Texts give many time spans, each of something else.
    """
    return _unit(figure, _DIMENSIONS[-1])


def _unit(figure: Figure, units: Mapping[str, float]) -> bool:
    return figure.kind == "count" and not figure.difference and len(figure.nouns) == 1 and figure.nouns <= units.keys()


def _touch(one: Figure, other: Figure) -> bool:
    return 0 <= other.span[0] - one.span[1] <= _GAP or 0 <= one.span[0] - other.span[1] <= _GAP
