"""E6: what a search found -> passages for the store: of the page where it can be had, else the lines that the engine shows.

Fetching and reading are handed in, so that this file opens no socket. What was read is kept for a while beside the answers of
the search engines: a claim that stays open is asked again, and its pages need not be fetched again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import kb.formats.pages
from errors import FetchError
from kb.chunk import passages
from kb.credibility import Publisher, PublisherOf, SourceType, publisher_of
from kb.record import Collection, NewEvidence, Origin
from kb.urls import canonical_url, is_homepage
from verifier.evidence.retrieve import stems
from verifier.search.base import SearchResult

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


class Page(kb.formats.pages.Page, Protocol):
    """A page that was fetched and read: what goes into the store, and what a search must know of it beside."""

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
    """What one result brought, and why its page could not be read ("" where it was)."""

    url: str
    items: tuple[NewEvidence, ...]
    failed: str = ""

    @staticmethod
    def of_snippet(result: SearchResult, origin: Origin, failed: str) -> Reading:
        """The lines that the engine shows, where the page cannot be had."""
        text = result.snippet.strip()
        readable = any(character.isalpha() for character in text)
        item = _item(text, result, origin, extraction_failed=bool(failed))
        return Reading(result.url, (item,) if readable else (), failed)


def worth_reading(
    claim: str, results: Sequence[SearchResult], limit: int, publisher_of: PublisherOf = publisher_of
) -> list[SearchResult]:
    """At most `limit` results, one per page and two per site, those that share most words with the claim first.

    Front pages prove nothing and are left out, as are publishers that the user denies.
    """
    words = stems(claim)
    pages: dict[str, SearchResult] = {}
    for result in results:
        url = canonical_url(result.url)
        if url.startswith("https://") and not is_homepage(result.url) and not publisher_of(result.url).denied:
            known = pages.setdefault(url, result)
            if result.rating and not known.rating:
                pages[url] = result
    ranked = sorted(pages.values(), key=lambda r: -len(words & stems(f"{r.title} {r.snippet}")))
    seen: Counter[str] = Counter()
    chosen = []
    for result in ranked:
        domain = publisher_of(result.url).domain
        seen[domain] += 1
        if seen[domain] <= _MAX_PER_DOMAIN:
            chosen.append(result)
    return chosen[:limit]


class PageReader:
    """Reads the pages behind results. Safe to share between threads."""

    def __init__(self, load: Load, publisher_of: PublisherOf = publisher_of) -> None:
        """`load` fetches and reads one page; `publisher_of` says whose ratings count."""
        self._load, self._publisher_of = load, publisher_of

    def read(self, claim: str, result: SearchResult, origin: Origin, seconds: float) -> Reading:
        """The passages of a page that share most words with the claim, and its fact-checks; never raises for what the web does."""
        try:
            page = self._load(result.url, seconds)
        except FetchError as exc:
            return Reading.of_snippet(result, origin, str(exc))
        if not page.is_article:
            return Reading(result.url, ())
        rated = _ratings(page, self._publisher_of(page.url)) or (
            [_item(result.snippet, result, origin)] if result.rating else []
        )
        told = [text for text in passages(page.text)[:_MAX_PASSAGES_SEEN] if not _repeats(text, page.ratings)]
        kept = nearest(claim, told)
        items = [
            NewEvidence(
                text, page.url, page.title, origin, Collection.CURRENT, page.published_at or result.published_at
            )
            for text in kept
        ]
        return Reading(page.url, (*rated, *items))


def nearest(claim: str, texts: Sequence[str]) -> list[str]:
    """Those few of a page's passages that share most words with the claim, in reading order; none that shares no word."""
    words = stems(claim)
    shared = [len(words & stems(text)) for text in texts]
    order = sorted(range(len(texts)), key=lambda i: -shared[i])[:PASSAGES_PER_PAGE]
    return [texts[i] for i in sorted(order) if shared[i]]


def _repeats(text: str, ratings: Sequence[Rating]) -> bool:
    """Whether a passage of a fact-check merely says what was checked: taken by itself, it would pass for support."""
    plain = _plain(text)
    return bool(_CLAIM_LINE.match(text)) or any(_plain(rated.claim) in plain for rated in ratings if rated.claim)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _ratings(page: Page, publisher: Publisher) -> list[NewEvidence]:
    """The fact-checks of a page whose publisher is a listed fact-checker: anybody can write the markup."""
    if publisher.source_type is not SourceType.FACT_CHECKER:
        return []
    return [
        NewEvidence(
            rating_sentence(publisher.name, found.claim, found.rating),
            page.url,
            page.title,
            Origin.FACT_CHECK,
            Collection.CURRENT,
            page.published_at,
            rating=found.rating,
        )
        for found in page.ratings
        if found.claim and found.rating
    ]


def rating_sentence(publisher: str, claim: str, rating: str) -> str:
    """A fact-check's markup as a sentence."""
    return f"{publisher} rated the claim \u201c{claim.strip()}\u201d: {rating.strip()}."


def _item(text: str, result: SearchResult, origin: Origin, extraction_failed: bool = False) -> NewEvidence:
    return NewEvidence(
        text,
        result.url,
        result.title.strip(),
        Origin.FACT_CHECK if result.rating else origin,
        Collection.CURRENT,
        result.published_at,
        rating=result.rating,
        extraction_failed=extraction_failed,
    )
