"""Search the news feeds (RSS or Atom) that the user chose. No key.

Each feed is fetched whole and searched here, so no query leaves the machine.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors import FetchError
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.results import answered, result
from verifier.text.stems import stems

if TYPE_CHECKING:
    from web.feeds import Feed

_MOST_BYTES = 1_000_000
_KEEP = 15 * 60
"""Seconds before a feed is fetched again; after a failure, a minute."""
_KEEP_FAILURE = 60

LoadFeed = Callable[[str, float], "Feed"]
"""Address and seconds -> feed; raises FetchError."""


class FeedLoader:
    """Fetches and reads feeds of at most 1 MB, with all protections against hostile content."""

    def __init__(self, allow_private: bool = False) -> None:
        """Open no connection yet."""
        from web.fetch import Fetcher

        self._fetcher = Fetcher(allow_private, max_bytes=_MOST_BYTES)

    def __call__(self, url: str, seconds: float) -> Feed:
        """Return the feed at `url`.

        Raises:
            FetchError: it cannot be fetched within `seconds`, or is not a feed.
        """
        from web.feeds import read_feed
        from web.fetch import HTML, READABLE

        return read_feed(self._fetcher.fetch(url, seconds, READABLE - HTML))

    def close(self) -> None:
        """Close all connections; the next feed opens new ones."""
        self._fetcher.close()


@dataclass(frozen=True, slots=True)
class _Read:
    """A feed as read at `at` (clock seconds).

    `entries` is None if it could not be read.
    """

    at: float
    entries: tuple[SearchResult, ...] | None


class Feeds:
    """The entries of the configured feeds that share words with a query."""

    name, kind = "Feeds", Kind.NEWS

    def __init__(
        self,
        addresses: Sequence[str],
        load: LoadFeed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Search the feeds at `addresses`, each fetched by `load`; `clock` counts seconds."""
        self._addresses, self._fetch, self._clock = tuple(addresses), load, clock
        self._read: dict[str, _Read] = {}
        self._lock = threading.Lock()

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` entries, those with most of the query's words first; see `Provider`."""
        feeds = self._feeds(timeout)
        entries = [entry for feed in feeds if feed is not None for entry in feed]
        missing = feeds.count(None)
        detail = f"{missing} of {len(feeds)} feeds could not be read" if missing else ""
        if missing and missing == len(feeds):
            return SearchAnswer(Outcome.UNREACHABLE, detail=detail)
        answer = answered(_matching(query.text, entries), query, detail)
        if answer.outcome is Outcome.EMPTY and missing:  # the missing feed may hold what was asked for
            return SearchAnswer(Outcome.NO_ANSWER, detail=detail)
        return answer

    def _feeds(self, timeout: float) -> list[tuple[SearchResult, ...] | None]:
        """Return the entries of each feed, after fetching all stale feeds again at once."""
        now = self._clock()
        with self._lock:
            stale = [address for address in self._addresses if not self._is_fresh(address, now)]
        if stale:
            pool = ThreadPoolExecutor(max_workers=min(8, len(stale)), thread_name_prefix="feed")
            futures = {pool.submit(self._load, address, timeout): address for address in stale}
            done, late = wait(futures, timeout=timeout)
            pool.shutdown(wait=False, cancel_futures=True)
            with self._lock:
                self._read |= {futures[future]: _Read(now, _entries_of(future)) for future in done}
                self._read |= {futures[future]: _Read(now, None) for future in late}
        with self._lock:
            return [self._read[address].entries for address in self._addresses]

    def _is_fresh(self, address: str, now: float) -> bool:
        known = self._read.get(address)
        return known is not None and now - known.at < (_KEEP if known.entries is not None else _KEEP_FAILURE)

    def _load(self, address: str, timeout: float) -> tuple[SearchResult, ...]:
        feed = self._fetch(address, timeout)
        found = (result(e.url, e.title, e.summary, e.published_at, feed.title) for e in feed.entries)
        return tuple(entry for entry in found if entry)


def _entries_of(future: Future[tuple[SearchResult, ...]]) -> tuple[SearchResult, ...] | None:
    try:
        return future.result()
    except FetchError:
        return None


def _words(text: str) -> frozenset[str]:
    """Return words and numbers by their first six letters; short words say little."""
    return frozenset(stems(text, shortest=4, length=6))


def _matching(text: str, entries: Sequence[SearchResult]) -> list[SearchResult]:
    """Return entries with half of the query's words, at least two if it has two."""
    words = _words(text)
    needed = min(len(words), max(2, math.ceil(len(words) / 2)))
    if not needed:
        return []
    scored = [(len(words & _words(f"{entry.title} {entry.snippet}")), entry) for entry in entries]
    scored.sort(key=lambda pair: -pair[0])
    return [entry for score, entry in scored if score >= needed]
