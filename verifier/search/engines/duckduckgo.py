"""Search DuckDuckGo through the ddgs package: no key, no account.

ddgs says "No results found." both for an empty answer and for a refusal, so both are "no answer" here. It keeps its
engines' addresses on their classes, so another address is set there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from verifier.search.base import Kind, Outcome, Query, SearchAnswer
from verifier.search.results import answered, result, with_sites

_NOTHING_FOUND = "No results found"
_Rows = list[Mapping[str, object]]


class DuckDuckGo:
    """The DuckDuckGo text search."""

    name, kind = "DuckDuckGo", Kind.WEB

    def __init__(self, url: str = "") -> None:
        """Take `url`, another address of the service, without "/html/"."""
        self._url = url.rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        from ddgs import DDGS

        if self._url:
            from ddgs.engines.duckduckgo import Duckduckgo

            Duckduckgo.search_url = f"{self._url}/html/"

        def rows(seconds: int) -> _Rows:
            found: _Rows = DDGS(timeout=seconds).text(
                with_sites(query), backend="duckduckgo", max_results=_asked(query)
            )
            return found

        return _ask(rows, query, timeout, "href")


class DuckDuckGoNews:
    """The DuckDuckGo news search."""

    name, kind = "DuckDuckGo News", Kind.NEWS

    def __init__(self, news_url: str = "") -> None:
        """Take `news_url`, another address of the service, without "/news.js"."""
        self._url = news_url.rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        from ddgs import DDGS

        if self._url:
            _move_news(self._url)

        def rows(seconds: int) -> _Rows:
            found: _Rows = DDGS(timeout=seconds).news(
                with_sites(query), backend="duckduckgo", max_results=_asked(query)
            )
            return found

        return _ask(rows, query, timeout, "url")


def _asked(query: Query) -> int:
    """Return how many results to ask for: more if sites are named.

    The news search does not always keep to them.
    """
    return query.limit * 3 if query.sites else query.limit


def _ask(rows: Callable[[int], _Rows], query: Query, timeout: float, address: str) -> SearchAnswer:
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

    seconds = max(1, round(timeout))
    try:
        found = rows(seconds)
    except RatelimitException as exc:
        return SearchAnswer(Outcome.RATE_LIMITED, detail=_short(exc))
    except TimeoutException:
        return SearchAnswer(Outcome.UNREACHABLE, detail=f"no answer within {seconds} s")
    except DDGSException as exc:
        if _NOTHING_FOUND in str(exc):
            return SearchAnswer(Outcome.NO_ANSWER)
        return SearchAnswer(Outcome.UNREACHABLE, detail=_short(exc))
    answer = answered(
        (
            result(row.get(address), row.get("title"), row.get("body"), row.get("date"), row.get("source"))
            for row in found
        ),
        query,
    )
    return SearchAnswer(Outcome.NO_ANSWER, detail=answer.detail) if answer.outcome is Outcome.EMPTY else answer


def _move_news(url: str) -> None:
    """Set the news engine's address, and get the token from the front page there."""
    from ddgs.engines.duckduckgo_news import DuckduckgoNews
    from ddgs.exceptions import DDGSException
    from ddgs.utils import _extract_vqd

    def token(engine: Any, query: str) -> str:  # noqa: ANN401  (ddgs comes without types)
        with suppress(DDGSException):
            page = engine.http_client.request("GET", f"{url}/", params={"q": query}).content
            return str(_extract_vqd(page, query))
        return "0"  # a server that gives no token needs none

    DuckduckgoNews.search_url = f"{url}/news.js"
    DuckduckgoNews._get_vqd = token


def _short(exc: Exception) -> str:
    """Return the kind of failure that an exception's text names ("DNSError: ..." -> "DNSError")."""
    kind = str(exc).split(":", 1)[0]
    return kind if re.fullmatch(r"\w{1,60}", kind) else "unreadable answer"
