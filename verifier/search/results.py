"""Sanitise hostile output of search services.

It becomes plain text, a safe address, a date, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser

from kb.publishers.urls import host_of
from verifier.search.base import Outcome, Query, SearchAnswer, SearchResult

MOST_TITLE = 300
MOST_SNIPPET = 1000
MOST_URL = 2000
_MARKUP = re.compile(r"<[/!?]?[a-zA-Z]|&#?\w+;")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
_INLINE = frozenset({"a", "abbr", "b", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup", "u", "wbr"})
_OLDEST = datetime(1900, 1, 1, tzinfo=UTC)


class _Text(HTMLParser):
    """Collects the text between the tags, without scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in {"script", "style"}
        self.parts.append("" if tag in _INLINE else " ")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in {"script", "style"}))
        self.parts.append("" if tag in _INLINE else " ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def plain(value: object, most: int) -> str:
    """Clean `value` to one line of plain text, at most `most` characters long.

    Anything but a string gives "". Markup is removed twice, because feeds escape theirs. Invisible characters are
    removed too.
    """
    if not isinstance(value, str):
        return ""
    text = value[: 8 * most]
    for _ in range(2):
        if _MARKUP.search(text):
            parser = _Text()
            parser.feed(text)
            parser.close()
            text = "".join(parser.parts)
    return " ".join(_INVISIBLE.sub("", text).split())[:most].rstrip()


def web_address(value: object) -> str:
    """Return `value` if it is a safe http(s) address, else "".

    It must have a host, no user name and at most 2,000 characters.
    """
    text = value.strip() if isinstance(value, str) else ""
    fine = re.fullmatch(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", text, re.IGNORECASE)
    return text if fine and len(text) <= MOST_URL and host_of(text) and not _INVISIBLE.search(text) else ""


def utc(value: object) -> datetime | None:
    """Parse an ISO 8601 (also 20240131T120000Z) or e-mail time to UTC; None for anything else.

    A time without a zone is taken as UTC. One in the future, or before 1900, is an error in its page and gives None.
    """
    if not isinstance(value, str) or not 8 <= len(text := value.strip()) <= 40:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, IndexError, TypeError, OverflowError):
            return None
    try:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        return None
    return moment if _OLDEST <= moment <= datetime.now(UTC) + timedelta(days=1) else None


def result(
    url: object,
    title: object,
    snippet: object,
    published: object = None,
    publisher: object = None,
    *,
    rating: object = None,
    claim: object = None,
) -> SearchResult | None:
    """Return a result with cleaned parts; None if it has no address or no words."""
    address, headline = web_address(url), plain(title, MOST_TITLE)
    words = plain(snippet, MOST_SNIPPET) or headline
    if not address or not words:
        return None
    moment = published if isinstance(published, datetime) else utc(published)
    return SearchResult(
        address,
        headline,
        words,
        moment,
        plain(publisher, 100),
        plain(rating, 100),
        plain(claim, MOST_SNIPPET),
    )


def answered(found: Iterable[SearchResult | None], query: Query, detail: str = "") -> SearchAnswer:
    """Return the results from the query's sites as an answer, each once, within its limit.

    So a service that ignores the sites cannot add others. If no result can be used, the answer is unreadable.
    """
    kept: dict[str, SearchResult] = {}
    seen = usable = 0
    for item in found:
        seen += 1
        if item is None:
            continue
        usable += 1
        if on_sites(item.url, query.sites):
            kept.setdefault(item.url, item)
        if len(kept) >= query.limit:
            break
    if kept:
        return SearchAnswer(Outcome.ANSWERED, tuple(kept.values()), detail)
    if seen and not usable:
        return SearchAnswer(Outcome.UNREACHABLE, detail="unreadable answer")
    return SearchAnswer(Outcome.EMPTY, detail="nothing from the sites asked for" if usable else detail)


def on_sites(url: str, sites: tuple[str, ...]) -> bool:
    """Tell whether the page is on a site or its subdomain; without sites, any is."""
    host = host_of(url)
    return not sites or any(host == site or host.endswith(f".{site}") for site in map(str.lower, sites))


def with_sites(query: Query, characters: int = 1000, words: int = 100) -> str:
    """Return the query's words with its sites as "(site:a OR site:b)", within an engine's limits.

    Most engines understand this form. The sites get at most half of the room; those that do not fit are left out.
    """
    clause = ""
    for last in range(1, len(query.sites) + 1):
        longer = f" ({' OR '.join(f'site:{site}' for site in query.sites[:last])})"
        if len(longer) > characters // 2 or len(longer.split()) > words // 2:
            break
        clause = longer
    text = " ".join(query.text.split()[: words - len(clause.split())])
    return shortened(text, characters - len(clause)) + clause


def shortened(text: str, characters: int) -> str:
    """Cut `text` after the last whole word that fits."""
    if len(text) <= characters:
        return text
    cut = text[: characters + 1].rpartition(" ")[0]
    return cut or text[:characters]
