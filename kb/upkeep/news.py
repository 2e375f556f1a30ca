"""Read the sources of a refresh: feeds, by the web passed in.

Topics are searched for elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from errors import FetchError, RefreshStopped
from kb.chunk import passages
from kb.intake.addresses import Entry, Web, is_address
from kb.publishers.urls import canonical_url, is_homepage
from kb.record import Collection, NewEvidence, Origin

MAX_PROBLEMS = 20
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_SUMMARY_PASSAGES = 2

Known = Callable[[str], bool]
"""Canonical address -> whether the store has read the page there."""
Stopped = Callable[[], bool]
"""Whether it is time to stop."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What one source returned: new texts, canonical addresses already stored, problems.

    `failed` says that nothing could be read; `problems` then give the reason.
    """

    items: tuple[NewEvidence, ...] = ()
    seen: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    failed: bool = False


class NewsSource(Protocol):
    """A feed, or a standing topic."""

    @property
    def name(self) -> str:
        """Its name for people."""

    def read(self, known: Known, stopped: Stopped) -> Brought:
        """Return its texts; never raises for what the web does.

        Raises RefreshStopped soon after `stopped` says so.
        """


@dataclass(frozen=True, slots=True)
class FeedLimits:
    """How much of one feed is read: its newest pages, and their first passages.

    News says first what is new.
    """

    pages: int = 50
    passages: int = 8


class FeedSource:
    """One feed's pages, read one at a time, so no site gets parallel requests."""

    def __init__(self, url: str, web: Web, limits: FeedLimits | None = None) -> None:
        """`web` fetches and reads; it decides which addresses may be requested."""
        self.name = url
        self._web, self._limits = web, limits or FeedLimits()

    def read(self, known: Known, stopped: Stopped) -> Brought:
        """Return the passages of the pages that are new; see `NewsSource`."""
        try:
            entries = self._web.feed(self._web.fetch(self.name))
        except FetchError as exc:
            return Brought(problems=(str(exc),), failed=True)
        items: list[NewEvidence] = []
        seen: list[str] = []
        problems: list[str] = []
        for url, entry in self._newest(entries):
            if stopped():
                raise RefreshStopped("the refresh was stopped; the store is as it was")
            if known(url):
                seen.append(url)
                continue
            try:
                items += self._page(entry)
            except FetchError as exc:
                items += (told := list(_summary(entry)))
                problems.append(f"{exc}; {'its summary was taken' if told else 'left out'}")
        return Brought(tuple(items), tuple(seen), tuple(problems[:MAX_PROBLEMS]))

    def _newest(self, entries: Sequence[Entry]) -> list[tuple[str, Entry]]:
        """Return canonical address and entry of the pages to read, newest first, undated last."""
        ranked = sorted(entries, key=lambda entry: entry.published_at or _LONG_AGO, reverse=True)
        pages: dict[str, Entry] = {}
        for entry in ranked:
            if is_address(entry.url) and not is_homepage(entry.url):
                pages.setdefault(canonical_url(entry.url), entry)
        return list(pages.items())[: self._limits.pages]

    def _page(self, entry: Entry) -> list[NewEvidence]:
        page = self._web.page(self._web.fetch(entry.url))
        published = page.published_at or entry.published_at
        return [
            NewEvidence(
                text, page.url or entry.url, page.title or entry.title, Origin.WEB, Collection.CURRENT, published
            )
            for text in _with_letters(passages(page.text))[: self._limits.passages]
        ]


def _summary(entry: Entry) -> Iterator[NewEvidence]:
    """Yield what the feed says about a page that cannot be read."""
    for text in _with_letters(passages(entry.summary))[:_SUMMARY_PASSAGES]:
        yield NewEvidence(
            text, entry.url, entry.title, Origin.WEB, Collection.CURRENT, entry.published_at, extraction_failed=True
        )


def _with_letters(texts: list[str]) -> list[str]:
    return [text for text in texts if any(character.isalpha() for character in text)]
