"""Turn what a search found into passages for the store: of the page where it can be had, else the lines that the engine shows.

Fetching and reading are handed in, so that this file opens no socket.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import kb.intake.formats.pages
from errors import FetchError
from kb.chunk import passages
from kb.publishers.credibility import Publisher, PublisherOf, SourceType, publisher_of
from kb.publishers.urls import canonical_url, is_homepage
from kb.record import Collection, NewEvidence, Origin
from verifier.search.base import SearchResult
from verifier.text.stems import stems

PASSAGES_PER_PAGE = 4
"""So many passages of a page are kept: those that share most words with the claim."""
_MAX_PER_DOMAIN = 2
_MAX_PASSAGES_SEEN = 400
_CLAIM_LINE = re.compile(r"\W*(?:(?:the|what|this) )?claim(?:ed)?\s*[:\u2013\u2014]", re.IGNORECASE)
"""How the line of a fact-check begins that repeats the claim."""


class Rating(Protocol):
    """A fact-check in a page's ClaimReview markup."""

    @property
    def claim(self) -> str:
        """What was checked."""

    @property
    def rating(self) -> str:
        """The rating in the fact-checker's words."""


class Page(kb.intake.formats.pages.Page, Protocol):
    """A page that was fetched and read: what goes into the store, and what else a search must know of it."""

    @property
    def ratings(self) -> Sequence[Rating]:
        """The fact-checks in its markup."""

    @property
    def is_article(self) -> bool:
        """Whether it is an article, not a front page or a list of links."""


Load = Callable[[str, float], Page]
"""Address and seconds -> page; raises FetchError."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold what one result gave, and why its page could not be read ("" where it was)."""

    url: str
    items: tuple[NewEvidence, ...]
    failed: str = ""

    @staticmethod
    def of_snippet(result: SearchResult, origin: Origin, failed: str) -> Reading:
        """Take the lines that the engine shows, where the page cannot be had."""
        text = result.snippet.strip()
        has_words = any(character.isalpha() for character in text)
        return Reading(result.url, (_of_result(text, result, origin, bool(failed)),) if has_words else (), failed)

    @staticmethod
    def of_passages(result: SearchResult, origin: Origin) -> Reading:
        """Take the passages that the service itself handed over: its page is not read."""
        return Reading(result.url, tuple(_of_result(text, result, origin) for text in result.passages))


def worth_reading(
    claim: str, results: Sequence[SearchResult], limit: int, publisher_of: PublisherOf = publisher_of
) -> list[SearchResult]:
    """Choose at most `limit` results, one per page and two per site, those that share most words with the claim first.

    Of a site that hands over its own words, such as an encyclopaedia, every page counts as a site. Front pages prove nothing and are left out, as are publishers on the user's blocklist.
    """
    words = set(stems(claim))
    pages: dict[str, SearchResult] = {}
    for result in results:
        url = canonical_url(result.url)
        if url.startswith("https://") and not is_homepage(result.url):
            known = pages.setdefault(url, result)
            if result.rating and not known.rating:
                pages[url] = result
    seen: Counter[str] = Counter()
    chosen = []
    for result in sorted(pages.values(), key=lambda r: -len(words.intersection(stems(f"{r.title} {r.snippet}")))):
        publisher = publisher_of(result.url)
        seen[publisher.domain] += not result.passages
        if not publisher.denied and seen[publisher.domain] <= _MAX_PER_DOMAIN:
            chosen.append(result)
    return chosen[:limit]


class PageReader:
    """Reads the pages behind results. Safe to share between threads."""

    def __init__(self, load: Load, publisher_of: PublisherOf = publisher_of) -> None:
        """`load` fetches and reads one page; `publisher_of` says whose ratings count."""
        self._load, self._publisher_of = load, publisher_of

    def read(self, claim: str, result: SearchResult, origin: Origin, seconds: float) -> Reading:
        """Return the passages of a page that share most words with the claim, and its fact-checks; never raises for what the web does."""
        try:
            page = self._load(result.url, seconds)
        except FetchError as exc:
            return Reading.of_snippet(result, origin, str(exc))
        if not page.is_article:
            return Reading(result.url, ())
        rated = _ratings(page, self._publisher_of(page.url))
        if result.rating and not rated:
            rated = [_of_result(result.snippet, result, origin)]
        own = [text for text in passages(page.text)[:_MAX_PASSAGES_SEEN] if not _repeats(text, page.ratings)]
        published = page.published_at or result.published_at
        items = [_of_page(text, page, origin, published) for text in nearest(claim, own)]
        return Reading(page.url, (*rated, *items))


def nearest(claim: str, texts: Sequence[str]) -> list[str]:
    """Return those few of a page's passages that share most words with the claim, in reading order; none that shares no word."""
    words = set(stems(claim))
    shared = [len(words.intersection(stems(text))) for text in texts]
    order = sorted(range(len(texts)), key=lambda i: -shared[i])[:PASSAGES_PER_PAGE]
    return [texts[i] for i in sorted(order) if shared[i]]


def _repeats(text: str, ratings: Sequence[Rating]) -> bool:
    """Tell whether a passage of a fact-check merely says what was checked: taken by itself, it would pass for support."""
    plain = _plain(text)
    return bool(_CLAIM_LINE.match(text)) or any(_plain(rated.claim) in plain for rated in ratings if rated.claim)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _ratings(page: Page, publisher: Publisher) -> list[NewEvidence]:
    """Return the fact-checks of a page whose publisher is a listed fact-checker: anybody can write the markup."""
    if publisher.source_type is not SourceType.FACT_CHECKER:
        return []
    return [
        _of_page(
            rating_sentence(publisher.name, found.claim, found.rating),
            page,
            Origin.FACT_CHECK,
            page.published_at,
            found.rating,
        )
        for found in page.ratings
        if found.claim and found.rating
    ]


def rating_sentence(publisher: str, claim: str, rating: str) -> str:
    """Return a fact-check's markup as a sentence."""
    return f"{publisher} rated the claim \u201c{claim.strip()}\u201d: {rating.strip()}."


def _of_page(text: str, page: Page, origin: Origin, published: datetime | None, rating: str = "") -> NewEvidence:
    return NewEvidence(text, page.url, page.title, origin, Collection.CURRENT, published, rating=rating)


def _of_result(text: str, result: SearchResult, origin: Origin, extraction_failed: bool = False) -> NewEvidence:
    return NewEvidence(
        text,
        result.url,
        result.title.strip(),
        Origin.FACT_CHECK if result.rating else origin,
        Collection.CURRENT,
        result.published_at,
        rating=result.rating,
        language=result.language,
        extraction_failed=extraction_failed,
    )
