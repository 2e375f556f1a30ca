"""Every search service in its own format, over pages that are the same for all: what the contract's tests serve."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import TracebackType
from typing import Any

from verifier.search.base import Kind, Outcome, Provider, Query
from verifier.search.engines.brave import Brave
from verifier.search.engines.duckduckgo import DuckDuckGo, DuckDuckGoNews
from verifier.search.engines.europe_pmc import EuropePmc
from verifier.search.engines.event_registry import EventRegistry
from verifier.search.engines.feeds import FeedLoader, Feeds
from verifier.search.engines.gdelt import Gdelt
from verifier.search.engines.google_fact_check import GoogleFactCheck
from verifier.search.engines.mediawiki import address_of
from verifier.search.engines.newsapi import NewsApi
from verifier.search.engines.openalex import OpenAlex
from verifier.search.engines.searxng import SearxNG
from verifier.search.engines.serpapi import SerpApi
from verifier.search.engines.wikidata import Wikidata
from verifier.search.engines.wikipedia import Wikipedia
from verifier.search.engines.yacy import YaCy
from verifier.search.results import plain

KEY = "se-cret+key/4711"
CLAIM = "The new bridge over the river Vey was opened on Monday by the mayor"
Page = Mapping[str, Any]
"""url, title, text and date of a page; a test may put anything in their place."""

PAGES: tuple[Page, ...] = (
    {
        "url": "https://www.reuters.com/world/bridge",
        "title": "New <b>bridge</b> over the &quot;Vey&quot; opened",
        "text": "The mayor opened the <em>new</em> bridge &amp; the river road on Monday.",
    },
    {
        "url": "https://news.example/bridge",
        "title": "Bridge over the river opened",
        "text": "The new bridge was opened on Monday.",
    },
    {
        "url": "https://reuters.com.evil.example/bridge",
        "title": "New bridge over the river Vey opened",
        "text": "The mayor opened the new bridge on Monday.",
    },
)


@dataclass(frozen=True)
class Service:
    """A provider and how its service answers. `strict`: it says by itself how a request ended (ddgs does not).

    `at`: where a service that speaks of its own pages has a page, by its own address; none: the page has an address of its own.
    """

    name: str
    kind: Kind
    make: Callable[[str], Provider]
    answer: Callable[[Sequence[Page]], bytes]
    empty: bytes
    path: str
    keyed: bool = False
    strict: bool = True
    limited: Outcome = Outcome.RATE_LIMITED
    typed: bool = True  # its fields may have any type
    content_type: str = "application/json"
    at: Callable[[str, Page], str] | None = None

    def address(self, base: str, page: Page) -> str:
        return self.at(base, page) if self.at else str(page["url"])

    def __str__(self) -> str:
        return self.name


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _yacy(pages: Sequence[Page]) -> bytes:
    items = [
        {"link": p["url"], "title": p["title"], "description": p["text"], "pubDate": "Wed, 31 Jan 2024 12:00:00 +0000"}
        for p in pages
    ]
    return _json({"channels": [{"title": "YaCy", "items": items}]})


def _searxng(pages: Sequence[Page]) -> bytes:
    found = [
        {"url": p["url"], "title": p["title"], "content": p["text"], "publishedDate": "2024-01-31T12:00:00"}
        for p in pages
    ]
    return _json({"query": "x", "results": found, "unresponsive_engines": [["brave", "timeout"]] if pages else []})


def _gdelt(pages: Sequence[Page]) -> bytes:
    if not pages:
        return b"{}"
    return _json(
        {
            "articles": [
                {"url": p["url"], "title": p["title"], "seendate": "20240131T120000Z", "domain": "d"} for p in pages
            ]
        }
    )


def _event_registry(pages: Sequence[Page]) -> bytes:
    found = [
        {
            "url": p["url"],
            "title": p["title"],
            "body": p["text"],
            "dateTimePub": "2024-01-31T12:00:00Z",
            "source": {"title": "The Paper"},
        }
        for p in pages
    ]
    return _json({"articles": {"results": found, "totalResults": len(found)}})


def _newsapi(pages: Sequence[Page]) -> bytes:
    found = [
        {
            "url": p["url"],
            "title": p["title"],
            "description": p["text"],
            "publishedAt": "2024-01-31T12:00:00Z",
            "source": {"id": None, "name": "The Paper"},
        }
        for p in pages
    ]
    return _json({"status": "ok", "totalResults": len(found), "articles": found})


def _brave(pages: Sequence[Page]) -> bytes:
    found = [
        {"url": p["url"], "title": p["title"], "description": p["text"], "page_age": "2024-01-31T12:00:00"}
        for p in pages
    ]
    return _json({"type": "search", "web": {"type": "search", "results": found}} if pages else {"type": "search"})


def _serpapi(pages: Sequence[Page]) -> bytes:
    if not pages:
        return _json({"error": "Google hasn't returned any results for this query."})
    found = [{"link": p["url"], "title": p["title"], "snippet": p["text"], "date": "Jan 31, 2024"} for p in pages]
    return _json({"search_metadata": {"status": "Success"}, "organic_results": found})


def _fact_checks(pages: Sequence[Page]) -> bytes:
    claims = [
        {
            "text": p["text"],
            "claimReview": [
                {
                    "publisher": {"name": "The Checkers", "site": "checkers.example"},
                    "url": p["url"],
                    "title": p["title"],
                    "reviewDate": "2024-01-31T12:00:00Z",
                    "textualRating": "<i>Mostly</i> False",
                }
            ],
        }
        for p in pages
    ]
    return _json({"claims": claims} if pages else {})


def _duckduckgo(pages: Sequence[Page]) -> bytes:
    rows = "".join(
        '<div class="result results_links"><div class="links_main result__body">'
        f'<h2 class="result__title"><a class="result__a" href="{p["url"]}">{p["title"]}</a></h2>'
        f'<a class="result__snippet" href="{p["url"]}">{p["text"]}</a></div></div>'
        for p in pages
    )
    return f"<html><body>{rows}</body></html>".encode()


def _duckduckgo_news(pages: Sequence[Page]) -> bytes:
    found = [
        {
            "url": p["url"],
            "title": p["title"],
            "excerpt": p["text"],
            "date": 1706702400,
            "source": "The Paper",
            "image": "",
        }
        for p in pages
    ]
    return _json({"results": found})


def _rss(pages: Sequence[Page]) -> bytes:
    items = "".join(
        f"<item><title>{escape(p['title'])}</title><link>{escape(p['url'])}</link><description>{escape(p['text'])}"
        "</description><pubDate>Wed, 31 Jan 2024 12:00:00 GMT</pubDate></item>"
        for p in pages
    )
    return f'<rss version="2.0"><channel><title>The Paper</title>{items}</channel></rss>'.encode()


def _wikipedia(pages: Sequence[Page]) -> bytes:
    """Both answers in one: the articles found are those asked for by title."""
    if not pages:
        return _json({"batchcomplete": True})
    found = [
        {
            "ns": 0,
            "title": p["title"],
            "index": number,
            "extract": p["text"],
            "revisions": [{"timestamp": "2024-01-31T12:00:00Z"}],
        }
        for number, p in enumerate(pages, 1)
    ]
    return _json({"batchcomplete": True, "query": {"pages": found[::-1]}})


def item_id(page: Page) -> str:
    """The id of the item that stands for one of the pages."""
    return f"Q{4711 + [known['url'] for known in PAGES].index(page['url'])}"


def statement(value: object, kind: str, rank: str = "normal", **qualifiers: object) -> dict[str, object]:
    """A statement as Wikidata writes it; qualifiers are snaks by their property."""
    snak = {"snaktype": "value", "datatype": kind, "datavalue": {"value": value, "type": kind}}
    return {"mainsnak": snak, "type": "statement", "rank": rank, "qualifiers": {k: [v] for k, v in qualifiers.items()}}


def entity(label: object, description: object, claims: object, known: int = 9) -> dict[str, object]:
    """An item as `wbgetentities` brings it."""
    return {
        "type": "item",
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {"en": {"language": "en", "value": description}},
        "claims": claims,
        "sitelinks": {f"wiki{number}": {"site": f"wiki{number}"} for number in range(known)},
        "modified": "2024-01-31T12:00:00Z",
    }


def _wikidata(pages: Sequence[Page]) -> bytes:
    """Both answers in one: every page is an item called Vey, of which the first is the bridge that the claim speaks of."""
    found, items = [], {}
    for page in pages:
        known = page in PAGES
        described = page["title"] if page == PAGES[0] else "village in Elsewhere"
        found.append({"id": item_id(page) if known else page["url"], "label": "Vey", "description": described})
        if known:
            opened = statement({"text": page["text"], "language": "en"}, "monolingualtext")
            items[item_id(page)] = entity("Vey", described, {"P1619": [opened]})
    return _json({"search": found, "entities": items, "success": 1})


def _doi(url: object) -> object:
    return f"10.5555/{url.partition('//')[2]}" if isinstance(url, str) and url.startswith("http") else url


def _doi_address(url: str) -> str:
    return f"https://doi.org/{_doi(url)}"


def _europe_pmc(pages: Sequence[Page]) -> bytes:
    found = [
        {
            "id": str(number),
            "source": "MED",
            "doi": _doi(p["url"]),
            "title": p["title"],
            "abstractText": p["text"],
            "firstPublicationDate": "2024-01-31",
            "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
            "journalInfo": {"journal": {"title": "Journal of Bridges"}},
        }
        for number, p in enumerate(pages)
    ]
    return _json({"version": "6.9", "hitCount": len(found), "resultList": {"result": found}})


def _openalex(pages: Sequence[Page]) -> bytes:
    found = [
        {
            "doi": f"https://doi.org/{_doi(p['url'])}" if isinstance(p["url"], str) else p["url"],
            "display_name": p["title"],
            "publication_date": "2024-01-31",
            "type": "article",
            "is_retracted": False,
            "abstract_inverted_index": _inverted(p["text"]),
            "primary_location": {"source": {"display_name": "Journal of Bridges"}},
        }
        for p in pages
    ]
    return _json({"meta": {"count": len(found), "page": 1, "per_page": 25}, "results": found, "group_by": []})


def _inverted(text: object) -> object:
    if not isinstance(text, str):
        return text
    index: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        index.setdefault(word, []).append(place)
    return index


SERVICES = (
    Service(
        "Wikipedia",
        Kind.REFERENCE,
        Wikipedia,
        _wikipedia,
        _wikipedia(()),
        "/w/api.php",
        at=lambda base, page: address_of(base, plain(page["title"], 300)),
    ),
    Service(
        "Wikidata",
        Kind.REFERENCE,
        Wikidata,
        _wikidata,
        _wikidata(()),
        "/w/api.php",
        at=lambda base, page: address_of(base, item_id(page)),
    ),
    Service("YaCy", Kind.WEB, YaCy, _yacy, _yacy(()), "/yacysearch.json"),
    Service("SearxNG", Kind.WEB, SearxNG, _searxng, _searxng(()), "/search"),
    Service(
        "DuckDuckGo",
        Kind.WEB,
        DuckDuckGo,
        _duckduckgo,
        _duckduckgo(()),
        "/html/",
        strict=False,
        typed=False,
        content_type="text/html",
    ),
    Service(
        "DuckDuckGo News",
        Kind.NEWS,
        DuckDuckGoNews,
        _duckduckgo_news,
        _duckduckgo_news(()),
        "/news.js",
        strict=False,
        typed=False,
    ),
    Service("GDELT", Kind.NEWS, Gdelt, _gdelt, _gdelt(()), "/api/v2/doc/doc"),
    Service(
        "Event Registry",
        Kind.NEWS,
        lambda url: EventRegistry(KEY, url),
        _event_registry,
        _event_registry(()),
        "/api/v1/article/getArticles",
        keyed=True,
    ),
    Service("NewsAPI", Kind.NEWS, lambda url: NewsApi(KEY, url), _newsapi, _newsapi(()), "/v2/everything", keyed=True),
    Service("Brave", Kind.WEB, lambda url: Brave(KEY, url), _brave, _brave(()), "/res/v1/web/search", keyed=True),
    Service("SerpAPI", Kind.WEB, lambda url: SerpApi(KEY, url), _serpapi, _serpapi(()), "/search.json", keyed=True),
    Service(
        "Google Fact Check",
        Kind.FACT_CHECKS,
        lambda url: GoogleFactCheck(KEY, url),
        _fact_checks,
        _fact_checks(()),
        "/v1alpha1/claims:search",
        keyed=True,
    ),
    Service(
        "Europe PMC",
        Kind.LITERATURE,
        EuropePmc,
        _europe_pmc,
        _europe_pmc(()),
        "/search",
        at=lambda _base, page: _doi_address(page["url"]),
    ),
    Service(
        "OpenAlex",
        Kind.LITERATURE,
        OpenAlex,
        _openalex,
        _openalex(()),
        "/works",
        at=lambda _base, page: _doi_address(page["url"]),
    ),
    Service(
        "Feeds",
        Kind.NEWS,
        lambda url: Feeds([f"{url.rstrip('/')}/feed.xml"], FeedLoader(allow_private=True)),
        _rss,
        _rss(()),
        "/feed.xml",
        limited=Outcome.UNREACHABLE,
        typed=False,
        content_type="application/rss+xml",
    ),
)


def query(limit: int = 8, *sites: str) -> Query:
    return Query(CLAIM, limit, sites)


@dataclass
class RawServer:
    """A server on loopback that treats each connection as told, below the level of HTTP."""

    treat: Callable[[socket.socket], None]
    _closing: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> str:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.1)
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._threads[0].join(2)
        self._listener.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(5)
            try:
                connection.recv(65_536)
                self.treat(connection)
            except OSError:
                return  # the client has hung up, as it should
