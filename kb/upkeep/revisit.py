"""Check the pages behind stored texts again, and note those gone or changed.

Their old text is kept.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errors import FetchError, FetchFailure
from kb.intake.addresses import Web
from kb.record import Standing
from kb.store.pages import Pages, StoredPage
from kb.upkeep.news import Stopped

MOST_PAGES = 40
"""Pages that one refresh checks again, those checked longest ago first."""
MOST_SECONDS = 120.0
"""After this many seconds no further page is begun."""
_AGAIN = timedelta(days=1)
"""A page is checked at most once in this time."""


@dataclass(frozen=True, slots=True)
class StalePage:
    """A page that is gone, or has changed since it last said what was stored.

    That was at `since`; `kept` of its texts stay.
    """

    url: str
    standing: Standing
    since: datetime
    kept: int

    @property
    def told(self) -> str:
        """The page in one line: "changed since 2026-01-02: https://... (1 passage kept)"."""
        what = "changed" if self.standing is Standing.CHANGED else "gone"
        return f"{what} since {self.since:%Y-%m-%d}: {self.url} ({self.kept} passage{'s' * (self.kept != 1)} kept)"


@dataclass(frozen=True, slots=True)
class Revisit:
    """How many pages were checked, and which of them no longer say what was stored."""

    looked: int = 0
    stale: tuple[StalePage, ...] = ()


def revisit(pages: Pages, web: Web, stopped: Stopped = lambda: False, dry_run: bool = False) -> Revisit:
    """Check due pages one by one, and note how the records compare with them.

    A page that cannot be fetched for another reason than being gone says nothing, and is checked again next time.

    Args:
        pages: those of the store.
        web: fetches and reads; it decides which addresses may be requested.
        stopped: says when to give up; what was seen until then is noted.
        dry_run: check, and note nothing.

    Raises:
        StoreError: the store cannot be read or written.
    """
    now, end = datetime.now(UTC), time.monotonic() + MOST_SECONDS
    found: dict[str, Standing] = {}
    stale: list[StalePage] = []
    looked = 0
    for page in pages.due(now - _AGAIN, MOST_PAGES):
        if stopped() or time.monotonic() > end:
            break
        seen = _looked(page, web)
        looked += bool(seen)
        found |= seen
        stale += _stale(page, seen)
    if found and not dry_run:
        pages.mark(found, now)
    return Revisit(looked, tuple(stale))


def _looked(page: StoredPage, web: Web) -> dict[str, Standing]:
    """Return how each record compares with the page now; empty if it cannot be fetched."""
    try:
        there = _words(web.page(web.fetch(page.url)).text)
    except FetchError as exc:
        return dict.fromkeys(page.texts, Standing.GONE) if exc.kind is FetchFailure.GONE else {}
    return {key: Standing.AS_STORED if _words(text) in there else Standing.CHANGED for key, text in page.texts.items()}


def _stale(page: StoredPage, seen: Mapping[str, Standing]) -> Iterator[StalePage]:
    for standing in (Standing.CHANGED, Standing.GONE):
        kept = [*seen.values()].count(standing)
        if kept:
            yield StalePage(page.url, standing, page.seen, kept)


def _words(text: str) -> str:
    """Return a text's lower-case words between spaces: quotation marks and line breaks do not count."""
    return " ".join(["", *re.findall(r"\w+", text.casefold()), ""])
