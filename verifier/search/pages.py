"""Turn search results into passages for the store.

They come from the page if it can be read, else from the engine's snippet. Fetching and reading are passed in, so that
this file opens no socket.
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
"""Passages kept per page: those that share most words with the claim."""
_MAX_PER_DOMAIN = 2
_MAX_PASSAGES_SEEN = 400
_CLAIM_LINE = re.compile(r"\W*(?:(?:the|what|this) )?claim(?:ed)?\s*[:\u2013\u2014]", re.IGNORECASE)
"""Start of the line in a fact-check that repeats the claim."""


class Rating(Protocol):
    """A fact-check in a page's ClaimReview markup."""

    @property
    def claim(self) -> str:
        """The claim that was checked."""

    @property
    def rating(self) -> str:
        """The rating in the fact-checker's words."""


class Page(kb.intake.formats.pages.Page, Protocol):
    """A page fetched and read: what the store takes, and what else a search needs."""

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
    """The passages from one result, and why its page was unreadable ("": it was read)."""

    url: str
    items: tuple[NewEvidence, ...]
    failed: str = ""

    @staticmethod
    def of_snippet(result: SearchResult, origin: Origin, failed: str) -> Reading:
        """Take the engine's snippet because the page cannot be read."""
        text = result.snippet.strip()
        has_words = any(character.isalpha() for character in text)
        return Reading(result.url, (_of_result(text, result, origin, bool(failed)),) if has_words else (), failed)

    @staticmethod
    def of_passages(result: SearchResult, origin: Origin) -> Reading:
        """Take the passages that the service itself returned, without reading its page."""
        return Reading(result.url, tuple(_of_result(text, result, origin) for text in result.passages))


def worth_reading(
    claim: str, results: Sequence[SearchResult], limit: int, publisher_of: PublisherOf = publisher_of
) -> list[SearchResult]:
    """Choose at most `limit` results, one per page and two per site.

    Those that share most words with the claim come first. For a service that returns its own text, such as an
    encyclopaedia, every page counts as a site. Front pages are left out because they prove nothing. So are publishers
    on the user's blocklist.
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
        """Take `load`, which fetches and reads one page, and `publisher_of`, which says whose ratings count."""
        self._load, self._publisher_of = load, publisher_of

    def read(self, claim: str, result: SearchResult, origin: Origin, seconds: float) -> Reading:
        """Return a page's fact-checks and the passages that share most words with the claim.

        Never raises because of the web.
        """
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
    """Return the few passages that share most words with the claim, in reading order.

    A passage that shares no word is left out.
    """
    words = set(stems(claim))
    shared = [len(words.intersection(stems(text))) for text in texts]
    order = sorted(range(len(texts)), key=lambda i: -shared[i])[:PASSAGES_PER_PAGE]
    return [texts[i] for i in sorted(order) if shared[i]]


def _repeats(text: str, ratings: Sequence[Rating]) -> bool:
    """Tell whether a fact-check's passage only repeats the claim, which would look like support."""
    plain = _plain(text)
    return bool(_CLAIM_LINE.match(text)) or any(_plain(rated.claim) in plain for rated in ratings if rated.claim)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _ratings(page: Page, publisher: Publisher) -> list[NewEvidence]:
    """Return a page's fact-checks if its publisher is a listed fact-checker.

    Others are ignored, because anyone can write the markup.
    """
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
