"""Search a self-hosted SearXNG server, which asks many engines. No key.

Its settings must allow the format "json". It also answers "no results" when every engine behind it is suspended or
wants a puzzle solved. It then lists those engines, and that does not count as an empty answer.
"""

from __future__ import annotations

from dataclasses import replace

from verifier.search.base import LANGUAGE, Kind, Outcome, Query, SearchAnswer
from verifier.search.http import Call, ask, part, rows
from verifier.search.results import answered, plain, result, with_sites

_LIMITED = ("too many requests", "captcha", "suspended", "access denied")


class SearxNG:
    """A self-hosted SearXNG server."""

    name, kind = "SearxNG", Kind.WEB

    def __init__(self, url: str = "http://localhost:8080") -> None:
        self._url = url.rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        params: dict[str, str | int] = {
            "q": with_sites(query),
            "format": "json",
            "language": LANGUAGE,
            "safesearch": 0,
            "pageno": 1,
        }

        def read(answer: object) -> SearchAnswer:
            found = [
                result(row.get("url"), row.get("title"), row.get("content"), row.get("publishedDate"))
                for row in rows(answer, "results")
            ]
            return answered(found, query) if found else _without_results(answer)

        answer = ask(Call(f"{self._url}/search", params), query, timeout, read)
        if answer.detail == "HTTP 403":
            return replace(answer, detail='HTTP 403: allow the format "json" in its settings.yml')
        return answer


def _without_results(answer: object) -> SearchAnswer:
    """Distinguish an empty answer, where every engine answered, from a rate limit or no answer."""
    silent = part(answer, "unresponsive_engines")
    if not isinstance(silent, list) or not silent:
        return SearchAnswer(Outcome.EMPTY)
    reasons = " ".join(plain(text, 60).lower() for pair in silent[:50] if isinstance(pair, list) for text in pair[1:2])
    outcome = Outcome.RATE_LIMITED if any(word in reasons for word in _LIMITED) else Outcome.NO_ANSWER
    return SearchAnswer(outcome, detail=f"{len(silent)} engines behind it did not answer")
