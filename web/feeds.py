"""Read RSS, Atom and JSON feeds."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from errors import FetchError, FetchFailure
from web.address import MAX_URL, shown
from web.charset import decode
from web.fetch import Fetched
from web.linked_data import plain
from web.markup import keep_first, text_of
from web.times import moment
from web.words import one_line
from web.xml_text import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_ENTRIES = 200
MAX_ELEMENTS = 10_000
MAX_ATTRIBUTES = 30
MAX_CONTENT = 40_000
"""Characters of an entry's text, with its markup."""
_BEYOND = "x-beyond"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Its text has no markup; its http(s) address is checked when fetched."""

    url: str
    title: str
    summary: str
    """At most 2,000 characters."""
    published_at: datetime | None
    """UTC."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed with its first entries, at most MAX_ENTRIES.

    Entries without an address or any words are left out.
    """

    title: str
    entries: tuple[Entry, ...]


def read_feed(fetched: Fetched) -> Feed:
    """Return the entries of a feed.

    Raises:
        FetchError: it is no feed, or declares XML entities (UNREADABLE).
    """
    text_start = fetched.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    feed = _json_feed(fetched) if text_start == b"{" else _xml_feed(fetched)
    if feed is None:
        raise FetchError(
            f"{shown(fetched.url)} cannot be read: it is no RSS, Atom or JSON feed; give the address of a feed",
            FetchFailure.UNREADABLE,
        )
    return feed


def _xml_feed(fetched: Fetched) -> Feed | None:
    import feedparser

    root = parse_xml(fetched.body, fetched.charset)
    if root is None:
        return None
    try:
        parsed: Any = feedparser.parse(
            io.BytesIO(_shortened(root)),  # a stream: bytes that look like a path or an address would be opened
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,  # the markup is taken out below, which is safer and takes less time
            resolve_relative_uris=False,
        )
    except (ValueError, LookupError, AssertionError):  # errors that it lets through for a damaged feed
        return None
    if not parsed.get("version") and not parsed.entries:
        return None
    entries = (
        _entry(fetched.url, item.get("link"), item.get("title"), _summary(item), _time(item))
        for item in parsed.entries[:MAX_ENTRIES]
    )
    return Feed(text_of(plain(parsed.feed.get("title")), 300), tuple(entry for entry in entries if entry))


def _shortened(root: _Element) -> bytes:
    """Cut a feed to its first entries and limit them: feedparser takes time for each."""
    from lxml import etree

    keep_first(root, MAX_ELEMENTS)
    entries = 0
    for element in list(root.iter("*")):
        entry = etree.QName(element).localname in {"item", "entry"}
        entries += entry
        if entry and entries > MAX_ENTRIES:
            element.tag = _BEYOND
            continue
        if len(element.attrib) > MAX_ATTRIBUTES:
            element.attrib.clear()
        element.text = element.text and element.text[:MAX_CONTENT]
    etree.strip_elements(root, _BEYOND)
    return bytes(etree.tostring(root, encoding="utf-8"))


def _summary(item: Mapping[str, Any]) -> str:
    content = item.get("content")
    full = content[0].get("value", "") if content else ""
    return item.get("summary") or full or ""


def _time(item: Mapping[str, Any]) -> datetime | None:
    parsed = item.get("published_parsed") or item.get("updated_parsed")
    try:
        return moment(datetime(*parsed[:6]).replace(tzinfo=UTC).isoformat()) if parsed else None
    except ValueError:
        return None


def _json_feed(fetched: Fetched) -> Feed | None:
    try:
        value = json.loads(decode(fetched.body, fetched.charset))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or "jsonfeed.org" not in plain(value.get("version")):
        return None
    items = value.get("items")
    entries = (
        _entry(
            fetched.url,
            item.get("url"),
            item.get("title"),
            item.get("summary") or item.get("content_text") or item.get("content_html"),
            moment(item.get("date_published")),
        )
        for item in (items if isinstance(items, list) else [])[:MAX_ENTRIES]
        if isinstance(item, dict)
    )
    return Feed(one_line(plain(value.get("title")), 300), tuple(entry for entry in entries if entry))


def _entry(base: str, link: object, title: object, summary: object, published_at: datetime | None) -> Entry | None:
    url, name = _address(link, base), text_of(plain(title), 300)
    words = text_of(plain(summary), 2_000)
    return Entry(url, name, words, published_at) if url and (name or words) else None


def _address(stated: object, base: str) -> str:
    """Return a full http(s) address, or ""."""
    if not isinstance(stated, str) or not stated.strip() or len(stated) > MAX_URL:
        return ""
    try:
        full = urljoin(base, stated.strip())
    except ValueError:
        return ""
    return full if full.startswith(("http://", "https://")) and full.isprintable() and " " not in full else ""
