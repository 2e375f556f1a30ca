"""Read numbers in one of ten languages and write them as English does.

Numbers may be in digits of any script or in words. The number words and scales of each language are in numerals.json. A
notation with two readings in a language ("12,345" in Spanish) has two values, the likelier first.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path

ENGLISH, CHINESE = "en", "zh"
_MILLION = 10**6
_SPACES, _MARKS = " \u00a0\u202f", ".,\u066b\u066c'\u2019"
_GROUPED = rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?"
_DIGITS = rf"(?<!\d)(?<!\d[.,])(?:{_GROUPED}|\d+(?:[{_MARKS}]\d+)*)"
_DATE = re.compile(r"(?<!\d)\d{1,2}([./])\d{1,2}\1\d{4}(?!\d)")
_ROMAN = re.compile(r"(?<!\w)(?=[IVXLC]{1,5}(?!\w))(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})(?!\w)")
_BY_THREE = re.compile(r"(?!0)\d{1,3}(?:\D\d{3})+")
_BY_TWO = re.compile(r"(?!0)\d{1,2}(?:,\d{2})*,\d{3}")
"""How Hindi groups digits: lakhs and crores."""
_LETTER = r"\w\u064b-\u0652\u0900-\u0963"
"""Letters, and the signs that belong to them in Arabic and Devanagari."""
_BOTH_WAYS = {("es", ","), ("ar", "."), ("ar", ",")}
"""Languages in which a mark before three digits may group them or begin a fraction."""
_HAN_DIGITS = {
    sign: value for value, sign in enumerate("\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d")
} | {"\u4e24": 2}
_HAN_UNITS = {"\u5341": 10, "\u767e": 100, "\u5343": 1_000}
_HAN_SCALES = {"\u4e07": 10**4, "\u4ebf": 10**8}
_HAN = re.compile(rf"[{''.join((*_HAN_DIGITS, *_HAN_UNITS, *_HAN_SCALES))}]+(?=[\u4e2a\u53ea\u9897\u79cd\u5ea7\u6761\u4f4d\u540d\u5e74\u6708\u65e5\u5929\u6b21\u5c81\u5bb6\u95f4\u6240\u672c\u90e8\u5c42\u4eba\u7c73\u516c\u500d\u5c81\u6210])")  # fmt: skip
"""Numbers in Han characters before a counting word; elsewhere they occur in names and idioms."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text: its place, its values, and how it is written.

    The likeliest value is first. It may be in digits, and with a scale. `needed`: a translation of the text must
    contain it; false for a word that may also mean something else.
    """

    start: int
    end: int
    values: tuple[Decimal, ...]
    digits: bool = True
    needed: bool = True
    plain: bool = False


@dataclass(frozen=True, slots=True)
class _Words:
    """How one language writes numbers: decimal mark, words, scales, and a pattern for them."""

    decimal: str
    ones: frozenset[str]
    sure: Mapping[str, Decimal]
    perhaps: Mapping[str, Decimal]
    scales: Mapping[str, Decimal]
    pattern: re.Pattern[str]


def numerals(text: str, language: str) -> list[Numeral]:
    """List the numbers of a text in reading order.

    Without a table for `language`, digits only, read as English.
    """
    plain = ascii_digits(text)
    words = _words(language if language in _tables() else ENGLISH)
    found = [*_dates(plain), *_found(plain, words, language), *_roman(plain)]
    found += _han(plain) if language == CHINESE else ()
    kept: list[Numeral] = []
    for numeral in found:  # where two overlap, the first found counts
        if not any(numeral.start < other.end and other.start < numeral.end for other in kept):
            kept.append(numeral)
    kept.sort(key=lambda numeral: numeral.start)
    return _joined(kept, plain) if language == CHINESE else kept


def ascii_digits(text: str) -> str:
    """Write the decimal digits of every script as 0 to 9; no character moves."""
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)


def with_english_figures(text: str, language: str) -> str:
    """Write the numbers in digits of a text as English does.

    Example: "8,4 Millionen" -> "8.4 million".
    """
    plain, written, end = ascii_digits(text), "", 0
    for numeral in numerals(text, language):
        if numeral.digits and not numeral.plain:
            gap = " " if plain[numeral.end : numeral.end + 1].isalpha() else ""
            written += plain[end : numeral.start] + in_english(numeral.values[0]) + gap
            end = numeral.end
    return written + plain[end:]


def in_english(value: Decimal) -> str:
    """Write a number as an English text does: "8.4 million", "1,609", "2.54"."""
    for scale, word in ((Decimal(10**9), "billion"), (Decimal(10**6), "million")):
        if value >= scale and len(f"{(value / scale).normalize():f}".partition(".")[2]) <= 2:
            return f"{(value / scale).normalize():f} {word}"
    return f"{value.normalize():,f}"


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, object]]:
    table: dict[str, dict[str, object]] = json.loads(
        (Path(__file__).parent / "numerals.json").read_text(encoding="utf-8")
    )
    return table


@lru_cache(maxsize=16)
def _words(language: str) -> _Words:
    table = _tables()[language]

    def numbers(key: str) -> dict[str, Decimal]:
        found = table[key]
        assert isinstance(found, dict)
        return {str(word): Decimal(str(value)) for word, value in found.items()}

    tens, scales, ones = numbers("tens"), numbers("scales"), frozenset(str(table["one"]).split())
    small = {word: value for word, value in numbers("words").items() if 1 < value < 10} | dict.fromkeys(
        ones, Decimal(1)
    )
    pairs = table["pair"]
    assert isinstance(pairs, list)
    joined = {
        str(pair).format(ten=ten, one=one, cut=ten[:-1]): tens[ten] + small[one]
        for pair, ten, one in product(pairs, tens, small)
    }
    sure = joined | tens | numbers("words")
    perhaps = numbers("perhaps")
    any_word = "|".join(map(re.escape, sorted({*sure, *perhaps, *ones}, key=len, reverse=True)))
    any_scale = "|".join(map(re.escape, sorted(scales, key=len, reverse=True)))
    ends = "" if language == CHINESE else rf"(?![{_LETTER}])"
    scale = rf"(?:[{_SPACES}]?(?P<scale>{any_scale}){ends})"
    pattern = rf"(?P<digits>{_DIGITS}){scale}?"
    if language != CHINESE:
        again = rf"(?:[{_SPACES}](?P<again>{any_scale}){ends})?"
        pattern += rf"{again}|(?<![{_LETTER}-])(?:(?P<word>{any_word})(?![{_LETTER}-]){scale.replace('scale>', 'times>')}?|(?P<alone>{any_scale}){ends})"
    return _Words(str(table["decimal"]), ones, sure, perhaps, scales, re.compile(pattern, re.IGNORECASE))


def _dates(text: str) -> Iterator[Numeral]:
    """Yield the day, month and year of each date in digits, one by one."""
    for date in _DATE.finditer(text):
        for part in re.finditer(r"\d+", date[0]):
            start = date.start() + part.start()
            yield Numeral(start, start + len(part[0]), (Decimal(part[0]),), plain=True)


def _found(text: str, words: _Words, language: str) -> Iterator[Numeral]:
    for match in words.pattern.finditer(text):
        groups = match.groupdict()
        times = Decimal(1)
        for name in ("scale", "again", "times"):
            times *= words.scales[groups[name].lower()] if groups.get(name) else 1
        if groups["digits"]:
            values = tuple(value * times for value in _values(groups["digits"], words.decimal, language))
            yield Numeral(*match.span(), values, plain=times == 1 and groups["digits"].isdecimal())
        elif groups.get("word"):
            word = groups["word"].lower()
            value = words.sure.get(word, words.perhaps.get(word, Decimal(1)))
            sure = (word in words.sure and value > 1) or (word in words.ones and times >= _MILLION)
            yield Numeral(*match.span(), (value * times,), digits=False, needed=sure)
        elif groups.get("alone"):
            yield Numeral(*match.span(), (words.scales[groups["alone"].lower()],), digits=False, needed=False)


def _values(written: str, decimal: str, language: str) -> tuple[Decimal, ...]:
    """Return the values that a number in digits may have."""
    bare = re.sub(rf"[{_SPACES}'\u2019\u066c]", "", written)
    if "\u066b" in bare:
        return (Decimal(re.sub("[.,]", "", bare).replace("\u066b", ".")),)
    marks = [sign for sign in bare if sign in ".,"]
    if not marks:
        return (Decimal(bare),)
    last = marks[-1]
    grouped = Decimal(bare.replace(".", "").replace(",", ""))
    if len(set(marks)) == 2:  # the last mark begins the fraction
        whole, _, rest = bare.rpartition(last)
        return (Decimal(f"{re.sub('[.,]', '', whole)}.{rest}"),)
    if len(marks) > 1:
        return (grouped,)
    fraction = Decimal(bare.replace(last, "."))
    if not (_BY_THREE.fullmatch(bare) or _BY_TWO.fullmatch(bare)):
        return (fraction,)
    first, other = (fraction, grouped) if last == decimal else (grouped, fraction)
    return (first, other) if (language, last) in _BOTH_WAYS else (first,)


def _roman(text: str) -> Iterator[Numeral]:
    """Yield Roman numbers, of centuries and kings; a translation may write them in digits."""
    tens = {"": 0, "X": 10, "XX": 20, "XXX": 30, "XL": 40, "L": 50, "LX": 60, "LXX": 70, "LXXX": 80, "XC": 90}
    ones = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}
    for match in _ROMAN.finditer(text):
        value = 100 * len(match[1]) + tens[match[2]] + ones[match[3]]
        yield Numeral(*match.span(), (Decimal(value),), digits=False, needed=False)


def _han(text: str) -> Iterator[Numeral]:
    for match in _HAN.finditer(text):
        value = _han_value(match[0])
        yield Numeral(*match.span(), (Decimal(value),), digits=False, needed=value > 1)


def _han_value(written: str) -> int:
    """Read a number in Han characters: "\u4e09\u5341\u4e07" -> 300,000."""
    total = part = digit = 0
    for sign in written:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
        elif sign in _HAN_UNITS:
            part, digit = part + (digit or 1) * _HAN_UNITS[sign], 0
        else:
            total, part, digit = (total + part + digit) * _HAN_SCALES[sign], 0, 0
    return total + part + digit


def _joined(found: Sequence[Numeral], text: str) -> list[Numeral]:
    """Join two numbers that Chinese writes as one: "1\u4ebf2000\u4e07" is 120 million."""
    kept = list(found[:1])
    for before, after in pairwise(found):
        one = before.end == after.start and before.digits and after.digits and text[before.end - 1] in _HAN_SCALES
        if one and after.values[0] < before.values[0]:
            kept[-1] = Numeral(kept[-1].start, after.end, (kept[-1].values[0] + after.values[0],))
        else:
            kept.append(after)
    return kept
