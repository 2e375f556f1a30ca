"""Fetch and read pages, and keep them in the search cache for a day.

When an open claim is searched again, its pages are not fetched again. A page that failed is not tried again for ten
minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from errors import FetchError
from kb.publishers.urls import canonical_url
from verifier.search.guard.kept import from_text, key_of, to_text
from verifier.search.guard.shared import Shared
from verifier.search.pages import Page

KEEP, KEEP_FAILURE = 24 * 3600.0, 600.0
"""Seconds."""
_MAX_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class KeptRating:
    """A fact-check in a page's markup."""

    claim: str
    rating: str


@dataclass(frozen=True, slots=True)
class KeptPage:
    """The parts of a page that a search needs."""

    text: str
    title: str
    url: str
    published_at: datetime | None
    ratings: tuple[KeptRating, ...]
    is_article: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    """A page, or why it could not be loaded."""

    page: KeptPage | None
    failed: str = ""


class KeptPages:
    """Loads pages, each at most once a day. Safe to share between threads."""

    def __init__(self, load: Callable[[str, float], Page], shared: Shared) -> None:
        """Take `load`, which fetches and reads a page or raises FetchError; `shared` keeps the results."""
        self._load, self._shared = load, shared

    def __call__(self, url: str, seconds: float) -> Page:
        """Return the page at `url`, fetched within `seconds` or from the cache.

        Raises:
            FetchError: it cannot be loaded, or could not be a few minutes ago.
        """
        key, now = key_of("page", canonical_url(url)), self._shared.clock()
        kept = from_text(_Kept, self._shared.answer(key), now, KEEP)
        if kept and kept.page:
            return kept.page
        if kept:
            raise FetchError(kept.failed)
        try:
            page = self._load(url, seconds)
        except FetchError as exc:
            failure = _Kept(None, str(exc)[:500])
            self._shared.keep(key, to_text(failure, now + KEEP_FAILURE), KEEP_FAILURE)
            raise
        self._shared.keep(key, to_text(_Kept(_part(page)), now + KEEP), KEEP)
        return page


def _part(page: Page) -> KeptPage:
    ratings = tuple(KeptRating(found.claim, found.rating) for found in page.ratings)
    return KeptPage(page.text[:_MAX_TEXT], page.title, page.url, page.published_at, ratings, page.is_article)
