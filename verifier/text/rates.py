"""Read every speed as a distance per hour.

Otherwise 300,000 km per second would be 300,000 km per hour.
"""

from __future__ import annotations

import re

PER_HOUR = "/h"
"""Suffix to the stem of a distance that is one per hour."""
_TIMES = {"h": 1.0, "hour": 1.0, "min": 60.0, "minute": 60.0, "s": 3_600.0, "sec": 3_600.0, "second": 3_600.0}
_PER = re.compile(rf"^\s?(?:/\s?|per |an? |each |every |in (?:an?|one) )(?P<time>{'|'.join(_TIMES)})\b", re.IGNORECASE)
_DISTANCES = frozenset("kilome metr mil feet foot".split())
"""Stems of units of length, as in `figures`."""


def speed_of(nouns: frozenset[str], after: str) -> tuple[frozenset[str], float, str] | None:
    """Read an amount as a speed: its unit, the factor for its value, the words.

    It is None if it is not a speed.

    Args:
        nouns: the stems of what the amount counts.
        after: the text after its unit.
    """
    per = _PER.match(after) if nouns and nouns <= _DISTANCES else None
    if not per:
        return None
    return frozenset(noun + PER_HOUR for noun in nouns), _TIMES[per["time"].lower()], per[0]
