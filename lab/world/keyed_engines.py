"""Serve the search services that need a key, each in its own protocol.

Any key will do; a request without one is refused with status 401.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from lab.world.desk import NEWS, Desk, bold, title_of
from lab.world.exchange import Reply, Request, json_reply
from lab.world.pages import Kind
from lab.world.ranking import Hit

_NEWSAPI_FREE = 100
_NEWSAPI_QUERY = 500
_BRAVE_QUERY, _BRAVE_WORDS = 400, 50


def event_registry(request: Request, desk: Desk) -> Reply:
    """Serve POST /api/v1/article/getArticles, with everything in a JSON object."""
    asked = {**request.query, **request.posted}
    if not asked.get("apiKey"):
        return json_reply({"error": "User is not logged in and no valid API key was specified."}, 401)
    keywords = " ".join(_texts(asked.get("keyword")))
    limit, page = _whole(asked.get("articlesCount"), 100, 100), max(1, _whole(asked.get("articlesPage"), 1, 100))
    hits = desk.find(keywords, limit, NEWS, (page - 1) * limit, _texts(asked.get("sourceUri")))
    results = [_event_registry_article(hit, desk) for hit in hits]
    found = {"results": results, "totalResults": len(results), "page": page, "count": limit, "pages": 1}
    return json_reply({"articles": found})


def _event_registry_article(hit: Hit, desk: Desk) -> dict[str, object]:
    page = hit.page
    return {
        "uri": str(zlib.crc32(page.url(desk.port).encode())),
        "lang": "eng",
        "isDuplicate": False,
        "date": f"{page.published_at:%Y-%m-%d}",
        "time": f"{page.published_at:%H:%M:%S}",
        "dateTime": f"{page.published_at:%Y-%m-%dT%H:%M:%SZ}",
        "dateTimePub": f"{page.published_at:%Y-%m-%dT%H:%M:%SZ}",
        "dataType": "blog" if page.kind is Kind.BLOG else "news",
        "sim": 0,
        "url": page.url(desk.port),
        "title": page.title,
        "body": f"{chr(10).join(page.paragraphs)} {desk.note}".strip(),
        "source": {"uri": page.site.domain, "dataType": "news", "title": page.site.name},
        "authors": [{"uri": "", "name": page.site.author, "type": "author", "isAgency": False}],
        "image": None,
        "eventUri": None,
        "sentiment": None,
        "wgt": int(page.published_at.timestamp()),
        "relevance": round(hit.score),
    }


def newsapi(request: Request, desk: Desk) -> Reply:
    """Serve GET /v2/everything; the key in a header or among the parameters."""
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not (request.headers.get("x-api-key") or request.query.get("apiKey") or bearer):
        return _newsapi_error(
            401, "apiKeyMissing", "Your API key is missing. Append this to the URL with the apiKey param."
        )
    query, domains = request.query.get("q", ""), request.query.get("domains", "")
    if not (query or domains):
        return _newsapi_error(
            400, "parametersMissing", "Required parameters are missing, the scope of your search is too broad."
        )
    if len(query) > _NEWSAPI_QUERY:
        return _newsapi_error(400, "queryTooLong", "The q parameter may have 500 characters at most.")
    size, page = request.number("pageSize", 100, 100), max(1, request.number("page", 1, 1000))
    if size * page > _NEWSAPI_FREE:
        return _newsapi_error(426, "maximumResultsReached", "You have requested too many results.")
    hits = desk.find(query, size, NEWS, (page - 1) * size, domains.split(","))
    articles = [
        {
            "source": {"id": None, "name": hit.page.site.name},
            "author": hit.page.site.author,
            "title": hit.page.title,
            "description": hit.snippet,
            "url": hit.page.url(desk.port),
            "urlToImage": None,
            "publishedAt": f"{hit.page.published_at:%Y-%m-%dT%H:%M:%SZ}",
            "content": f"{hit.page.text[:200]}… [+{max(0, len(hit.page.text) - 200)} chars]",
        }
        for hit in hits
    ]
    return json_reply({"status": "ok", "totalResults": len(articles), "articles": articles})


def _newsapi_error(status: int, code: str, message: str) -> Reply:
    return json_reply({"status": "error", "code": code, "message": message}, status)


def brave(request: Request, desk: Desk) -> Reply:
    """Serve GET /res/v1/web/search. Without results there is no `web` in the answer."""
    query = request.query.get("q", "")
    if not request.headers.get("x-subscription-token"):
        return _brave_error(401, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
    if not 0 < len(query) <= _BRAVE_QUERY or len(query.split()) > _BRAVE_WORDS:
        return _brave_error(422, "VALIDATION", "Unable to validate request parameter(s)")
    count = request.number("count", 20, 20)
    hits = desk.find(query, count, skip=request.number("offset", 0, 9) * count)
    answer: dict[str, object] = {
        "type": "search",
        "query": {"original": query, "show_strict_warning": False, "more_results_available": len(hits) == count},
        "mixed": {
            "type": "mixed",
            "main": [{"type": "web", "index": place, "all": False} for place in range(len(hits))],
        },
    }
    if hits:
        results = [_brave_result(hit, desk, query) for hit in hits]
        answer["web"] = {"type": "search", "results": results, "family_friendly": True}
    return json_reply(answer)


def _brave_error(status: int, code: str, detail: str) -> Reply:
    error = {"id": "00000000-0000-0000-0000-000000000000", "status": status, "code": code, "detail": detail}
    return json_reply({"type": "ErrorResponse", "error": error, "time": 0}, status)


def _brave_result(hit: Hit, desk: Desk, query: str) -> dict[str, object]:
    page, url = hit.page, hit.page.url(desk.port)
    return {
        "title": title_of(hit),
        "url": url,
        "is_source_local": False,
        "is_source_both": False,
        "description": bold(hit.snippet, query, "strong"),
        "page_age": f"{page.published_at:%Y-%m-%dT%H:%M:%S}",
        "profile": {"name": page.site.name, "url": url, "long_name": page.site.domain, "img": ""},
        "language": "en",
        "family_friendly": True,
        "type": "search_result",
        "subtype": "article" if page.kind is Kind.NEWS else "generic",
        "meta_url": {
            "scheme": "http",
            "netloc": page.site.domain,
            "hostname": page.site.domain,
            "favicon": "",
            "path": page.path,
        },
        "age": f"{page.published_at:%B} {page.published_at.day}, {page.published_at.year}",
    }


def serpapi(request: Request, desk: Desk) -> Reply:
    """Serve GET /search.json. Finding nothing is an error, with status 200."""
    query = request.query.get("q", "")
    if not request.query.get("api_key"):
        return json_reply(
            {"error": "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key"}, 401
        )
    if not query:
        return json_reply({"error": "Missing query `q` parameter."}, 400)
    hits = desk.find(query, request.number("num", 10, 100), skip=request.number("start", 0, 1000))
    answer: dict[str, object] = {
        "search_metadata": {"id": "0", "status": "Success"},
        "search_parameters": {"engine": request.query.get("engine", "google"), "q": query, "device": "desktop"},
        "search_information": {
            "query_displayed": query,
            "organic_results_state": "Results for exact spelling" if hits else "Fully empty",
        },
    }
    if hits:
        answer["organic_results"] = [_serpapi_result(hit, desk, place) for place, hit in enumerate(hits, 1)]
    else:
        answer["error"] = "Google hasn't returned any results for this query."
    return json_reply(answer)


def _serpapi_result(hit: Hit, desk: Desk, place: int) -> dict[str, object]:
    page = hit.page
    return {
        "position": place,
        "title": title_of(hit),
        "link": page.url(desk.port),
        "displayed_link": f"{page.site.domain} › {page.section}",
        "date": f"{page.published_at:%b} {page.published_at.day}, {page.published_at.year}",
        "snippet": hit.snippet,
        "source": page.site.name,
    }


def fact_check(request: Request, desk: Desk) -> Reply:
    """Serve GET /v1alpha1/claims:search. Only fact-checkers' own ratings are listed; `{}` for nothing."""
    query = request.query.get("query", "")
    if not (request.query.get("key") or request.headers.get("x-goog-api-key")):
        return _google_error(401, "The request is missing a valid API key.", "UNAUTHENTICATED")
    if not query:
        return _google_error(400, "Request contains an invalid argument.", "INVALID_ARGUMENT")
    site = request.query.get("reviewPublisherSiteFilter", "")
    hits = desk.find(query, request.number("pageSize", 10, 100), {Kind.FACT_CHECK}, sites=[site])
    claims = [_google_claim(hit, desk) for hit in hits]
    return json_reply({"claims": claims} if claims else {})


def _google_claim(hit: Hit, desk: Desk) -> dict[str, object]:
    page = hit.page
    assert page.review is not None
    when = f"{page.published_at:%Y-%m-%dT%H:%M:%SZ}"
    review = {
        "publisher": {"name": page.site.name, "site": page.site.domain},
        "url": page.url(desk.port),
        "title": page.title,
        "reviewDate": when,
        "textualRating": page.review.rating,
        "languageCode": "en",
    }
    text = f"{page.review.claim} {desk.note}".strip()
    return {"text": text, "claimant": "Posts on the internet", "claimDate": when, "claimReview": [review]}


def _google_error(status: int, message: str, code: str) -> Reply:
    return json_reply({"error": {"code": status, "message": message, "status": code}}, status)


def _texts(value: object) -> Sequence[str]:
    """Return a JSON value that may be one text or a list of them."""
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str) and text]


def _whole(value: object, default: int, most: int) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    return min(value, most) if isinstance(value, int) and value >= 0 else default
