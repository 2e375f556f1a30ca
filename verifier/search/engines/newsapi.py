"""Search NewsAPI (newsapi.org) for articles from many newspapers. Needs a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from errors import FetchError
from verifier.search.base import LANGUAGE, Kind, Query, SearchAnswer, SearchResult
from verifier.search.http import UNREADABLE, Call, ask, part, rows
from verifier.search.results import result, shortened

PUBLIC = "https://newsapi.org"

_MOST_QUERY = 500
_MOST_RESULTS = 100


class NewsApi:
    """The "everything" interface of NewsAPI."""

    name, kind = "NewsAPI", Kind.NEWS

    def __init__(self, key: str, url: str = "") -> None:
        self._key, self._url = key, (url or PUBLIC).rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        params: dict[str, str | int] = {
            "q": shortened(query.text, _MOST_QUERY),
            "pageSize": min(query.limit, _MOST_RESULTS),
            "sortBy": "relevancy",
            "language": LANGUAGE,
        }
        if query.sites:
            params["domains"] = ",".join(query.sites)
        call = Call(f"{self._url}/v2/everything", params, {"X-Api-Key": self._key}, keyed=True)
        answer = ask(call, query, timeout, _read)
        if answer.detail == "HTTP 426":  # maximumResultsReached
            return replace(answer, detail="the plan allows no more results of this query")
        return answer


def _read(answer: object) -> Iterator[SearchResult | None]:
    if part(answer, "status") != "ok":
        raise FetchError(UNREADABLE)
    for row in rows(answer, "articles"):
        source = part(row.get("source"), "name")
        yield result(row.get("url"), row.get("title"), row.get("description"), row.get("publishedAt"), source)
