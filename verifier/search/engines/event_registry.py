"""Search Event Registry (newsapi.ai) for articles with full text.

Needs a key, sent in the request body.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.http import Call, ask, part, rows
from verifier.search.results import answered, result, shortened

PUBLIC = "https://eventregistry.org"

_MOST_QUERY = 300
_MOST_RESULTS = 100
_LANGUAGE = "eng"
"""English in ISO 639-3, as the service requires."""


class EventRegistry:
    """The article search of Event Registry."""

    name, kind = "Event Registry", Kind.NEWS

    def __init__(self, key: str, url: str = "") -> None:
        self._key, self._url = key, (url or PUBLIC).rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        body: dict[str, object] = {
            "keyword": shortened(query.text, _MOST_QUERY),
            "keywordSearchMode": "simple",  # by default several words are one phrase, which no article contains
            "articlesCount": min(query.limit, _MOST_RESULTS),
            "articlesSortBy": "rel",
            "articleBodyLen": 1000,
            "resultType": "articles",
            "lang": _LANGUAGE,
            "apiKey": self._key,
        }
        if query.sites:
            body["sourceUri"] = list(query.sites)
        call = Call(f"{self._url}/api/v1/article/getArticles", json=body, keyed=True)

        def read(answer: object) -> SearchAnswer:
            refused = _refused(answer)
            return refused or answered(_articles(answer), query)

        return ask(call, query, timeout, read)


def _articles(answer: object) -> Iterator[SearchResult | None]:
    for row in rows(answer, "articles", "results"):
        source = part(row.get("source"), "title")
        yield result(row.get("url"), row.get("title"), row.get("body"), row.get("dateTimePub"), source)


def _refused(answer: object) -> SearchAnswer | None:
    """Read an error, which may come with status 200.

    Its text is not repeated, since it may quote the key.
    """
    error = part(answer, "error")
    if not isinstance(error, str):
        return None
    words = error.lower()
    if "token" in words or "limit" in words:
        return SearchAnswer(Outcome.RATE_LIMITED, detail="the quota is used up")
    return SearchAnswer(Outcome.UNREACHABLE, detail="key refused" if "key" in words else "query refused")
