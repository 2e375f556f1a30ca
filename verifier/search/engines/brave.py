"""Search Brave, which has its own index and needs a key.

A query may have 400 characters and 50 words.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.search.base import LANGUAGE, Kind, Query, SearchAnswer, SearchResult
from verifier.search.http import Call, ask, part, rows
from verifier.search.results import result, with_sites

PUBLIC = "https://api.search.brave.com"

_MOST_CHARACTERS = 400
_MOST_WORDS = 50
_MOST_RESULTS = 20


class Brave:
    """The web search of Brave."""

    name, kind = "Brave", Kind.WEB

    def __init__(self, key: str, url: str = "") -> None:
        self._key, self._url = key, (url or PUBLIC).rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        params: dict[str, str | int] = {
            "q": with_sites(query, _MOST_CHARACTERS, _MOST_WORDS),
            "count": min(query.limit, _MOST_RESULTS),
            "search_lang": LANGUAGE,
        }
        headers = {"X-Subscription-Token": self._key, "Accept": "application/json"}
        return ask(Call(f"{self._url}/res/v1/web/search", params, headers, keyed=True), query, timeout, _read)


def _read(answer: object) -> Iterator[SearchResult | None]:
    if part(answer, "type") == "search" and part(answer, "web") is None:  # this is how it reports no results
        return
    for row in rows(answer, "web", "results"):
        site = part(row.get("profile"), "name")
        yield result(row.get("url"), row.get("title"), row.get("description"), row.get("page_age"), site)
