"""Pages as the search reads them: fetched, read, and kept for a day beside the answers of the search engines.

A claim that stays open is asked again; its pages are not fetched again. A page that could not be had is not tried again for ten
minutes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from errors import FetchError
from kb.urls import canonical_url
from verifier.search.pages import Page
from verifier.search.shared import Shared

KEEP, KEEP_FAILURE = 24 * 3600.0, 600.0
"""Seconds."""
_MAX_TEXT = 200_000
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class KeptRating:
    """A fact-check in a page's markup."""

    claim: str
    rating: str


@dataclass(frozen=True, slots=True)
class KeptPage:
    """As much of a page as a search needs."""

    text: str
    title: str
    url: str
    published_at: datetime | None
    ratings: tuple[KeptRating, ...]
    is_article: bool


class KeptPages:
    """Loads pages, each at most once a day. Safe to share between threads."""

    def __init__(self, load: Callable[[str, float], Page], shared: Shared) -> None:
        """`load` fetches and reads a page and raises FetchError; `shared` keeps what it found."""
        self._load, self._shared = load, shared

    def __call__(self, url: str, seconds: float) -> Page:
        """The page at `url`, fetched within `seconds` or kept from before.

        Raises:
            FetchError: it cannot be had, or could not be had a few minutes ago.
        """
        key = hashlib.sha256(f"page {_FORMAT} {canonical_url(url)}".encode()).hexdigest()
        now = self._shared.clock()
        kept = _parsed(self._shared.answer(key), now)
        if isinstance(kept, str):
            raise FetchError(kept)
        if kept is not None:
            return kept
        try:
            page = self._load(url, seconds)
        except FetchError as exc:
            self._shared.keep(key, json.dumps({"until": now + KEEP_FAILURE, "failed": str(exc)[:500]}), KEEP_FAILURE)
            raise
        self._shared.keep(key, _as_text(page, now + KEEP), KEEP)
        return page


def _as_text(page: Page, until: float) -> str:
    return json.dumps(
        {
            "until": until,
            "text": page.text[:_MAX_TEXT],
            "title": page.title,
            "url": page.url,
            "published_at": page.published_at.isoformat() if page.published_at else None,
            "ratings": [[found.claim, found.rating] for found in page.ratings],
            "is_article": page.is_article,
        }
    )


def _parsed(text: str | None, now: float) -> KeptPage | str | None:
    """A kept page, why it could not be had, or None where nothing that holds was kept."""
    try:
        kept: dict[str, Any] = json.loads(text or "null") or {}
        if not now < kept["until"] <= now + KEEP:
            return None
        if "failed" in kept:
            return str(kept["failed"])
        when = kept["published_at"]
        return KeptPage(
            text=str(kept["text"]),
            title=str(kept["title"]),
            url=str(kept["url"]),
            published_at=datetime.fromisoformat(when) if when else None,
            ratings=tuple(KeptRating(str(claim), str(rating)) for claim, rating in kept["ratings"]),
            is_article=bool(kept["is_article"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
