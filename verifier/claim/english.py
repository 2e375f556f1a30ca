"""Give the names and figures of a claim in another language in English.

They need no translation. Known names are in known_names.txt; other names in Cyrillic or Greek letters are spelt in
Latin ones, and names in Latin letters stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from verifier.text.latin import in_latin_letters
from verifier.text.names import names_of

MAX_WORDS = 12
_MAX_NAME, _ENOUGH = 60, 2_000
_INFLECTED = re.compile(r"[\u0370-\u03ff\u0400-\u052f]")
_LETTER_BY_LETTER = re.compile(
    r"[\u0590-\u08ff\u0980-\u0dff\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Scripts that join words, or put small words before a name without a space."""
_DEVANAGARI, _LETTER = re.compile(r"[\u0900-\u0963]"), r"\w\u0900-\u0963"
_NUMBER = re.compile(r"(?P<grouped>\d{1,3}(?:[ \u00a0\u202f]\d{3})+)(?!\d)|\d[\d.,]*\d|\d")
_LOWER = frozenset(
    "million billion thousand percent January February March April May June July August September October November December".split()
)
"""Words that other languages write without a capital."""
_UNITS = frozenset({"million", "billion", "thousand", "percent"})
_MYRIADS = re.compile(
    r"(?P<much>\d{1,5}(?:\.\d{1,4})?) ?[\u4ebf\u5104\uc5b5](?: ?(?P<rest>\d{1,4}) ?[\u4e07\u842c\ub9cc])?|(?P<few>\d{1,5}(?:\.\d{1,4})?) ?[\u4e07\u842c\ub9cc]"
)
"""How East Asian languages count: by ten thousands and hundred millions."""
_ARABIC_ARTICLE, _FOR_THE = "\u0627\u0644", "\u0644\u0644"
_ARTICLES = frozenset(
    "der die das ein eine el la los las un una le les il lo gli o a os as \u03bf \u03b7 \u03c4\u03bf \u03bf\u03b9 \u03c4\u03b1".split()
)
_NOUN_CAPITALS = 0.3
"""Lowest share of capitalised words at which capitals mark nouns, as in German.

A name must then have two words.
"""


def english_words(text: str) -> tuple[str, ...]:
    """List the names and figures of a text in English, at most 12 words.

    They are in text order; () if it shows none.
    """
    plain = unicodedata.normalize("NFC", text[:_ENOUGH])
    found: dict[int, tuple[int, str]] = {}
    for start, end, word in (*_known(plain), *_numbers(plain), *_other_names(plain)):
        if not any(start < other_end and other < end for other, (other_end, _) in found.items()):
            found[start] = (end, word)
    words: list[str] = []
    for _, (_, name) in sorted(found.items()):
        if name not in words and sum(len(word.split()) for word in (*words, name)) <= MAX_WORDS:
            words.append(name)
    return tuple(words)


@lru_cache(maxsize=1)
def _names() -> tuple[dict[str, str], re.Pattern[str]]:
    """Return spelling -> English name, and a pattern that finds all spellings, longest first."""
    table: dict[str, str] = {}
    for line in (Path(__file__).parent / "known_names.txt").read_text(encoding="utf-8").splitlines():
        english, _, spellings = line.partition(": ")
        if spellings and not line.startswith("#"):
            for spelling in spellings.split(", "):
                table[unicodedata.normalize("NFC", spelling)] = english
                if spelling.startswith(_ARABIC_ARTICLE):  # "for the", written as one word with the name
                    table[spelling.replace(_ARABIC_ARTICLE, _FOR_THE, 1)] = english
    by_first: dict[str, list[str]] = {}  # otherwise every spelling is tried at every letter
    for spelling in sorted(table, key=len, reverse=True):
        joined = _LETTER_BY_LETTER.search(spelling)
        before = "" if joined else rf"(?<![{_LETTER}])"
        inflected = _INFLECTED.search(spelling) and len(spelling) > 3
        after = "" if joined else r"\w*" if inflected else rf"(?![{_LETTER}])"
        by_first.setdefault(spelling[0].lower(), []).append(f"{before}({re.escape(spelling)}){after}")
    parts = (f"(?={re.escape(first)})(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return table, re.compile("|".join(parts), re.IGNORECASE)


def _known(text: str) -> Iterator[tuple[int, int, str]]:
    table, pattern = _names()
    for match in pattern.finditer(text):
        spelling = next(group for group in match.groups() if group)
        english = table.get(spelling.lower())
        if english and (english in _LOWER or not spelling[0].islower()):
            yield match.start(), match.end(), english


def known_names(text: str, language: str) -> list[tuple[str, str]]:
    """List the names and months of a claim that the table spells.

    Each is given as written there, and in English; units are left out.
    """
    plain = unicodedata.normalize("NFC", text[:_ENOUGH])
    found = [(plain[start:end], english) for start, end, english in _known(plain)]
    return [
        (spelling, english)
        for spelling, english in found
        if english not in _UNITS
        and (english not in _LOWER or spelling[0].islower() or _is_german_month(spelling, language))
    ]


@lru_cache(maxsize=4)
def names_spelt_in(letters: str) -> frozenset[str]:
    """Return the English names that the table spells in some letters, such as "\u0900-\u0963".

    Months and units are left out.
    """
    table, _ = _names()
    own = re.compile(f"[{letters}]")
    return frozenset(english for spelling, english in table.items() if own.search(spelling) and english not in _LOWER)


def _is_german_month(spelling: str, language: str) -> bool:
    """Return whether a month has a capital, as in German; there "Mars" is the planet."""
    return language == "de" and spelling.lower() != "mars"


def _numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield numbers in ASCII digits.

    A decimal comma becomes a point, ten thousands are multiplied out.
    """
    digits = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)
    for match in _MYRIADS.finditer(digits):
        value = float(match["much"] or 0) * 10**8 + float(match["rest"] or match["few"] or 0) * 10**4
        yield match.start(), match.end(), f"{round(value):,}"
    for match in _NUMBER.finditer(digits):
        number = ",".join(match[0].split()) if match["grouped"] else match[0]
        if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", number):
            number = number.replace(".", ",")
        elif re.fullmatch(r"\d+,(?:\d{1,2}|\d{4,})", number):
            number = number.replace(",", ".")
        yield match.start(), match.end(), number


def _other_names(text: str) -> Iterator[tuple[int, int, str]]:
    words = [word for word in text.split() if word[:1].isalpha()]
    capitals = sum(word[:1].isupper() for word in words[1:]) / max(len(words) - 1, 1)
    for name in names_of(text):
        start = text.find(name)
        article, _, rest = name.partition(" ")
        if not text[:start].strip(' "\u201c\u00ab\u00bf\u00a1') and rest and article.lower() in _ARTICLES:
            start, name = start + len(article) + 1, rest
        if start < 0 or len(name) > _MAX_NAME or (capitals >= _NOUN_CAPITALS and " " not in name):
            continue
        yield start, start + len(name), _in_latin(name)


def _in_latin(name: str) -> str:
    """Write a name in Latin letters, keeping its capitals: "\u041d\u0430\u0432\u0430\u043b\u044c\u043d\u044b\u0439" -> "Navalnyy"."""
    if not _INFLECTED.search(name):
        return name
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if unicodedata.category(c) != "Mn" or c == "\u0306")
    return " ".join(word.capitalize() for word in in_latin_letters(unicodedata.normalize("NFC", plain)).split())
