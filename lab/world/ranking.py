"""Rank pages for a query by shared words and their rarity (BM25), within given sites."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lab.world.pages import Kind, Page

_K1, _B = 1.2, 0.75
_TITLE_WEIGHT = 2
_LISTING_WEIGHT = 0.5
_SNIPPET = 280
_RESTRICTION = re.compile(r"(?<!\S)\(*(-?)(?:site|domainis|domain):([^\s()\"]+)\)*", re.IGNORECASE)
_OPERATORS = re.compile(r"\b(?:OR|AND|NOT)\b")
_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_STOP = frozenset(
    "a an and are as at be been by did do does for from had has have in into is it its of on or said says than that the their this to was "
    "were which who will with".split()
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A query's words, the only sites that may answer (none: all), and the barred sites."""

    words: tuple[str, ...]
    sites: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found, and the lines to show of it."""

    page: Page
    score: float
    snippet: str


def words_of(text: str) -> list[str]:
    """Return the words that count, in lower case and without a plural's or possessive's "s"."""
    found = _WORD.findall(text.lower().replace("’s ", " ").replace("'s ", " "))
    return [word[:-1] if len(word) > 4 and word.endswith("s") else word for word in found if word not in _STOP]


def parse_query(text: str) -> Asked:
    """Return words and restrictions of a query such as `bridge (site:a.example OR site:b.example)`."""
    sites: list[str] = []
    barred: list[str] = []
    for minus, site in _RESTRICTION.findall(text):
        (barred if minus else sites).append(site.lower().removeprefix("www."))
    rest = _OPERATORS.sub(" ", _RESTRICTION.sub(" ", text))
    return Asked(tuple(dict.fromkeys(words_of(rest))), tuple(sites), tuple(barred))


class Index:
    """All pages that the search engines know."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._counts = [Counter(words_of(page.title) * _TITLE_WEIGHT + words_of(page.text)) for page in pages]
        self._lengths = [counts.total() for counts in self._counts]
        self._average = sum(self._lengths) / max(1, len(pages))
        self._where: dict[str, list[int]] = defaultdict(list)
        for number, counts in enumerate(self._counts):
            for word in counts:
                self._where[word].append(number)

    def search(self, asked: Asked, limit: int, kinds: Collection[Kind] = frozenset(Kind), skip: int = 0) -> list[Hit]:
        """Return the best pages, best first; ties in the order of the pages."""
        scores: dict[int, float] = defaultdict(float)
        shared: Counter[int] = Counter()
        for word in asked.words:
            listed = self._where.get(word, ())
            rarity = math.log(1 + (len(self._pages) - len(listed) + 0.5) / (len(listed) + 0.5))
            for number in listed:
                scores[number] += rarity * self._weight(number, word)
                shared[number] += 1
        least = min(2, len(asked.words))
        found = [
            number
            for number in scores
            if shared[number] >= least and self._pages[number].kind in kinds and _allowed(self._pages[number], asked)
        ]
        for number in found:
            scores[number] *= _standing(self._pages[number])
        found.sort(key=lambda number: (-scores[number], number))
        return [
            Hit(self._pages[number], scores[number], snippet(self._pages[number].text, asked.words))
            for number in found[skip : skip + limit]
        ]

    def _weight(self, number: int, word: str) -> float:
        count = self._counts[number][word]
        return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * self._lengths[number] / self._average))


def _standing(page: Page) -> float:
    """Return the factor for a page's score.

    Engines prefer sites that others refer to, and articles to lists.
    """
    return (0.5 + page.site.credibility / 2) * (_LISTING_WEIGHT if page.kind is Kind.LISTING else 1)


def _allowed(page: Page, asked: Asked) -> bool:
    def within(sites: Sequence[str]) -> bool:
        return any(page.site.domain == site or page.site.domain.endswith(f".{site}") for site in sites)

    return (not asked.sites or within(asked.sites)) and not within(asked.barred)


def snippet(text: str, words: Collection[str]) -> str:
    """Return the sentence that shares most words with the query, and what follows it.

    The text is cut as search engines cut it.
    """
    sentences = re.split(r"(?<=[.!?”])\s+(?=[A-Z“])", text)
    best = max(range(len(sentences)), key=lambda at: (len(set(words) & set(words_of(sentences[at]))), -at))
    shown = " ".join(sentences[best:])
    if len(shown) <= _SNIPPET:
        return shown
    return shown[:_SNIPPET].rsplit(" ", 1)[0] + " …"
