"""Search SerpAPI, which gives Google's results as JSON.

Needs a key, accepted only in the address.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from errors import FetchError
from verifier.search.base import LANGUAGE, Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.http import UNREADABLE, Call, ask, part, rows
from verifier.search.results import answered, result, with_sites

PUBLIC = "https://serpapi.com"

_MOST_RESULTS = 100
_NOTHING = "hasn't returned any results"
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}


class SerpApi:
    """Google's web search through SerpAPI."""

    name, kind = "SerpAPI", Kind.WEB

    def __init__(self, key: str, url: str = "") -> None:
        self._key, self._url = key, (url or PUBLIC).rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        params: dict[str, str | int] = {
            "engine": "google",
            "q": with_sites(query),
            "num": min(query.limit, _MOST_RESULTS),
            "hl": LANGUAGE,
            "api_key": self._key,
        }

        def read(answer: object) -> SearchAnswer:
            error = part(answer, "error")
            if isinstance(error, str):
                return _failed(error)
            return answered(_pages(answer), query)

        return ask(Call(f"{self._url}/search.json", params, keyed=True), query, timeout, read)


def _pages(answer: object) -> Iterator[SearchResult | None]:
    for row in rows(answer, "organic_results"):
        yield result(row.get("link"), row.get("title"), row.get("snippet"), _date(row.get("date")), row.get("source"))


def _failed(error: str) -> SearchAnswer:
    """Read an error, which may have any status.

    Its text is not repeated, since it may quote the request.
    """
    if _NOTHING in error:
        return SearchAnswer(Outcome.EMPTY)
    if "run out" in error or "limit" in error:
        return SearchAnswer(Outcome.RATE_LIMITED, detail="the quota is used up")
    if "API key" in error:
        return SearchAnswer(Outcome.UNREACHABLE, detail="key refused")
    raise FetchError(UNREADABLE)


def _date(text: object) -> datetime | None:
    """Parse "Jan 31, 2024" or "3 days ago", the two ways Google dates pages."""
    words = text.strip().split() if isinstance(text, str) else []
    try:
        if len(words) == 3 and words[2] == "ago":
            return datetime.now(UTC) - min(int(words[0]), 1000) * _UNITS[words[1].rstrip("s")]
        return datetime.strptime(" ".join(words), "%b %d, %Y").replace(tzinfo=UTC)
    except (ValueError, KeyError):
        return None
