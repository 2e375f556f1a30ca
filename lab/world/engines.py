"""Serve the search engines that need no key: YaCy, SearxNG, DuckDuckGo, GDELT.

Each speaks its own service's protocol. A request that the real service would refuse is refused here, in its words. The
form of the answers comes from the services' documentation and from the clients that read them. A field that means
nothing in this world is there, and empty.
"""

from __future__ import annotations

import hashlib
from email.utils import format_datetime
from html import escape
from urllib.parse import urlsplit

from lab.world.desk import NEWS, Desk, bold, title_of
from lab.world.exchange import HTML, Reply, Request, json_reply, page_reply
from lab.world.pages import Kind
from lab.world.ranking import Hit, parse_query

_GDELT_WORD = 3


def yacy(request: Request, desk: Desk) -> Reply:
    """Serve GET /yacysearch.json.

    YaCy allows one `site:` per query and no OR, so only the first site counts.
    """
    query = request.query.get("query", "")
    sites = parse_query(query).sites
    words = " ".join(part for part in query.split() if "site:" not in part)
    limit, skip = request.number("maximumRecords", 10, 100), request.number("startRecord", 0, 1000)
    hits = desk.find(words, limit, skip=skip, sites=sites[:1])
    channel = {
        "title": f"YaCy P2P-Search for {query}",
        "description": f"Search for {query}",
        "link": f"http://127.0.0.1:{desk.port}/yacy/yacysearch.html?query={query}",
        "image": {"url": "", "title": f"Search for {query}", "link": ""},
        "totalResults": str(len(hits)),
        "startIndex": str(skip),
        "itemsPerPage": str(limit),
        "searchTerms": query,
        "items": [_yacy_item(hit, desk, query) for hit in hits],
        "navigation": [],
    }
    return json_reply({"channels": [channel]})


def _yacy_item(hit: Hit, desk: Desk, query: str) -> dict[str, object]:
    url = hit.page.url(desk.port)
    code = hashlib.sha256(url.encode()).hexdigest()[:12]
    return {
        "title": title_of(hit),
        "link": url,
        "description": bold(hit.snippet, query, "b"),
        "pubDate": format_datetime(hit.page.published_at),
        "size": str(len(hit.page.text)),
        "sizename": f"{len(hit.page.text)} bytes",
        "guid": code,
        "host": hit.page.site.domain,
        "path": hit.page.path,
        "file": hit.page.path,
        "faviconCode": code,
    }


def searxng(request: Request, desk: Desk) -> Reply:
    """Serve GET /search. An instance answers 403 to formats that its owner has not allowed."""
    query = request.query.get("q", "").strip()
    if request.query.get("format", "html") != "json":
        return page_reply("<!DOCTYPE html><title>403 Forbidden</title>", 403)
    if not query:
        return page_reply("<!DOCTYPE html><title>400 Bad Request</title>", 400)
    page = max(1, request.number("pageno", 1, 20))
    hits = desk.find(query, 10, skip=(page - 1) * 10)
    return json_reply(
        {
            "query": query,
            "number_of_results": len(hits),
            "results": [_searxng_result(hit, desk, place) for place, hit in enumerate(hits, 1)],
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }
    )


def _searxng_result(hit: Hit, desk: Desk, place: int) -> dict[str, object]:
    url = hit.page.url(desk.port)
    return {
        "url": url,
        "title": title_of(hit),
        "content": hit.snippet,
        "publishedDate": None if hit.page.kind is Kind.LISTING else f"{hit.page.published_at:%Y-%m-%dT%H:%M:%S}",
        "thumbnail": "",
        "engine": "world",
        "template": "default.html",
        "parsed_url": [*urlsplit(url)[:3], "", *urlsplit(url)[3:]],
        "img_src": "",
        "priority": "",
        "engines": ["world"],
        "positions": [place],
        "score": 1 / place,
        "category": "general",
    }


def duckduckgo_html(request: Request, desk: Desk) -> Reply:
    """Serve POST /html/: a page with the results."""
    query = request.form.get("q", "") or request.query.get("q", "")
    skip = request.form.get("s", "0")
    hits = desk.find(query, 10, skip=int(skip) if skip.isdecimal() and len(skip) < 6 else 0)
    results = "".join(_duckduckgo_result(hit, desk, query) for hit in hits)
    nothing = '<div class="no-results">No results.</div>' if not hits else ""
    return page_reply(
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(query)} at DuckDuckGo</title></head>'
        f'<body><div id="links" class="results">{results}{nothing}</div></body></html>'
    )


def _duckduckgo_result(hit: Hit, desk: Desk, query: str) -> str:
    url = escape(hit.page.url(desk.port))
    return (
        '<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{url}">{escape(title_of(hit))}</a></h2>'
        f'<a class="result__snippet" href="{url}">{bold(hit.snippet, query, "b")}</a></div></div>\n'
    )


def duckduckgo_start(request: Request, desk: Desk) -> Reply:
    """Serve GET /: the page that carries the token for the news search."""
    return page_reply(
        f'<!DOCTYPE html><title>DuckDuckGo</title><script>vqd="{_vqd(request.query.get("q", ""))}";</script>'
    )


def duckduckgo_news(request: Request, desk: Desk) -> Reply:
    """Serve GET /news.js; refuse it without the token the start page gave for this query."""
    query = request.query.get("q", "")
    if request.query.get("vqd") != _vqd(query):
        return Reply(b"", HTML, 403)
    hits = desk.find(query, 30, NEWS, skip=request.number("s", 0, 1000))
    results = [
        {
            "date": int(hit.page.published_at.timestamp()),
            "excerpt": bold(hit.snippet, query, "b"),
            "fetch_image": 0,
            "image": "",
            "relative_time": f"{hit.page.published_at:%d %b %Y}",
            "source": hit.page.site.name,
            "syndicate": "World",
            "title": hit.page.title,
            "url": hit.page.url(desk.port),
        }
        for hit in hits
    ]
    return json_reply({"ads": None, "query": query, "results": results})


def _vqd(query: str) -> str:
    return f"4-{int(hashlib.sha256(query.encode()).hexdigest()[:24], 16)}"


def gdelt(request: Request, desk: Desk) -> Reply:
    """Serve GET /api/v2/doc/doc.

    GDELT refuses in plain words and with status 200. It shows no snippets, and `{}` when it finds nothing.
    """
    query = request.query.get("query", "").strip()
    refusal = _gdelt_refusal(query)
    if refusal:
        return Reply(f"{refusal}\n".encode(), "text/html; charset=utf-8")
    if request.query.get("format", "html").lower() != "json":
        return page_reply("<!DOCTYPE html><title>GDELT</title>")
    hits = desk.find(query, request.number("maxrecords", 75, 250), NEWS)
    articles = [
        {
            "url": hit.page.url(desk.port),
            "url_mobile": "",
            "title": f"{hit.page.title} {desk.note}".strip(),
            "seendate": f"{hit.page.published_at:%Y%m%dT%H%M%SZ}",
            "socialimage": "",
            "domain": hit.page.site.domain,
            "language": "English",
            "sourcecountry": "United States",
        }
        for hit in hits
    ]
    return json_reply({"articles": articles} if articles else {})


def _gdelt_refusal(query: str) -> str:
    """Return what GDELT says to a query that it will not run, or ""."""
    if not query:
        return "Your query was too short or too long."
    if " OR " in query and "(" not in query:
        return "Queries containing OR'd terms must be surrounded by ()."
    plain = [word.strip('()"') for word in query.split() if ":" not in word and word not in {"OR", "AND"}]
    if any(0 < len(word) < _GDELT_WORD for word in plain):
        return "One or more of your keywords were too short, too long or too common."
    return ""
