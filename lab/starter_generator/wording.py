"""How numbers, lists and names are put into words."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from zlib import crc32


def listed(words: Sequence[str]) -> str:
    """Words as a list: "Finland, Russia and Sweden"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def capitalised(text: str) -> str:
    """The text with its first letter as a capital, and the rest as it is."""
    return text[:1].upper() + text[1:]


def rounded(value: float, digits: int = 3) -> float:
    """The value to so many significant digits."""
    return round(value, digits - 1 - floor(log10(abs(value)))) if value else 0.0


def grouped(value: float) -> str:
    """A number with commas between its thousands: 323,802 or 293.5."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,}"


def in_words(value: float) -> str:
    """A large number as people say it: 5.5 million, 143 million, 1.42 billion, 415,000."""
    for scale, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if value >= scale * 0.9995:
            return f"{rounded(value / scale, 2 if value < 10 * scale and scale == 1e6 else 3):g} {name}"
    return grouped(rounded(value))


def with_article(noun: str) -> str:
    """The noun with its article: "a republic", "an absolute monarchy"."""
    return f"{'an' if noun[0].lower() in 'aeiou' and not noun.startswith('uni') else 'a'} {noun}"


def chosen(variants: Sequence[str], key: str) -> str:
    """One of several wordings, always the same one for a key."""
    return variants[crc32(key.encode()) % len(variants)]
