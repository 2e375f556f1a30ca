"""Write the numbers of a claim as its text writes them: a reader takes "1412" and "1,412" for different figures."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\d.,])(?:[1-9]\d{3,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?![\d,]*\d)")
_YEAR = re.compile(r"\b(?:in|since|until|by|from|year|of|before|after|around|and|to)\s$", re.IGNORECASE)


def with_same_separators(claim: str, text: str) -> str:
    """Return `claim`, its numbers with or without thousands separators as they stand in `text`.

    A number that `text` has as the claim writes it, or has not at all, stays. So does one of four digits after a word such as
    "in", which may be a year.
    """
    written = set(_NUMBER.findall(text))

    def alike(found: re.Match[str]) -> str:
        number = found[0]
        other = number.replace(",", "") if "," in number else f"{int(number):,}"
        if number in written or other not in written:
            return number
        year = len(number) == 4 and _YEAR.search(claim, 0, found.start())
        return number if year else other

    return _NUMBER.sub(alike, claim) if written else claim
