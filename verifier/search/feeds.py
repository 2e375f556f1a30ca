"""News feeds (RSS or Atom) that the user chose: no key. Each is read whole and searched here, so that no query leaves the machine."""

from __future__ import annotations

import calendar
import io
import math
import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime

from errors import FetchError
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.http import fetch_body
from verifier.search.results import answered, plain, result

MOST_BYTES = 1_000_000
_MOST_ENTRIES = 200
_MOST_DAMAGED = 100_000
"""Bytes of a feed that is no proper XML: feedparser can take twenty seconds over a megabyte of it."""
_KEEP = 15 * 60
"""Seconds for which a feed is not fetched again; after a failure, a minute."""
_KEEP_FAILURE = 60


def fetch_feed(url: str, timeout: float) -> bytes:
    """A feed of at most 1 MB.

    Raises:
        FetchError: it was not reached, refused, or is larger.
    """
    return fetch_body(url, timeout, MOST_BYTES)


@dataclass(frozen=True, slots=True)
class _Read:
    """A feed as it was at `at` (seconds of the clock); None where it could not be read."""

    at: float
    entries: tuple[SearchResult, ...] | None


class Feeds:
    """The entries of the configured feeds that share words with a query."""

    name, kind = "Feeds", Kind.NEWS

    def __init__(
        self,
        addresses: Sequence[str],
        fetch: Callable[[str, float], bytes] = fetch_feed,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`fetch` gets an address and seconds, and raises `FetchError`; `clock` counts seconds."""
        self._addresses, self._fetch, self._clock = tuple(addresses), fetch, clock
        self._read: dict[str, _Read] = {}
        self._lock = threading.Lock()

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Up to `query.limit` entries, the one with most of the query's words first; see `Provider`."""
        feeds = self._feeds(timeout)
        entries = [entry for feed in feeds if feed is not None for entry in feed]
        missing = feeds.count(None)
        detail = f"{missing} of {len(feeds)} feeds could not be read" if missing else ""
        if missing and missing == len(feeds):
            return SearchAnswer(Outcome.UNREACHABLE, detail=detail)
        answer = answered(_matching(query.text, entries), query, detail)
        if answer.outcome is Outcome.EMPTY and missing:  # what was asked for may stand in the feed that is missing
            return SearchAnswer(Outcome.NO_ANSWER, detail=detail)
        return answer

    def _feeds(self, timeout: float) -> list[tuple[SearchResult, ...] | None]:
        """Each feed's entries, old ones fetched anew at the same time."""
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
        return _parsed(self._fetch(address, timeout)[:MOST_BYTES])


def _entries_of(future: Future[tuple[SearchResult, ...]]) -> tuple[SearchResult, ...] | None:
    try:
        return future.result()
    except FetchError:
        return None


def _parsed(body: bytes) -> tuple[SearchResult, ...]:
    """The entries of a feed.

    Raises:
        FetchError: it is no feed.
    """
    import feedparser

    if len(body) > _MOST_DAMAGED and not _well_formed(body):
        raise FetchError("not well-formed")
    # feedparser opens a string as an address or a file; in a stream it finds nothing to open
    try:
        feed = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    except (ValueError, LookupError, AssertionError) as exc:  # what it lets through of a damaged feed
        raise FetchError("not a feed") from exc
    if not feed.get("version"):
        raise FetchError("not a feed")
    publisher = plain(feed.get("feed", {}).get("title"), 100)
    found = (
        result(entry.get("link"), entry.get("title"), entry.get("summary"), _moment(entry), publisher)
        for entry in feed.get("entries", [])[:_MOST_ENTRIES]
    )
    return tuple(entry for entry in found if entry)


def _well_formed(body: bytes) -> bool:
    from xml.parsers.expat import ExpatError, ParserCreate

    try:
        ParserCreate().Parse(body, True)
    except (ExpatError, ValueError, LookupError):
        return False
    return True


def _moment(entry: object) -> datetime | None:
    """When an entry was published; feedparser gives nine numbers in UTC."""
    numbers = getattr(entry, "published_parsed", None) or getattr(entry, "updated_parsed", None)
    try:
        return datetime.fromtimestamp(calendar.timegm(numbers), UTC) if numbers else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _words(text: str) -> frozenset[str]:
    """Words and numbers by their first six letters, so that "bridge" meets "bridges"; short words say little."""
    return frozenset(word[:6] for word in re.findall(r"\d+|\w{4,}", text.lower()))


def _matching(text: str, entries: Sequence[SearchResult]) -> list[SearchResult]:
    """The entries that hold half of the query's words, at least two of them where it has two."""
    words = _words(text)
    needed = min(len(words), max(2, math.ceil(len(words) / 2)))
    if not needed:
        return []
    scored = [(len(words & _words(f"{entry.title} {entry.snippet}")), entry) for entry in entries]
    scored.sort(key=lambda pair: -pair[0])
    return [entry for score, entry in scored if score >= needed]
