"""DuckDuckGo, through the ddgs package: no key, no account.

ddgs says "No results found." for an empty answer and for a refusal alike, so both are "no answer" here.
"""

from __future__ import annotations

from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult

_NOTHING_FOUND = "No results found"


class DuckDuckGo:
    """The DuckDuckGo text search."""

    name, kind = "DuckDuckGo", Kind.WEB

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Up to `query.limit` results; see `Provider`."""
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

        seconds = max(1, round(timeout))
        text = query.text + (f" ({' OR '.join(f'site:{site}' for site in query.sites)})" if query.sites else "")
        try:
            rows = DDGS(timeout=seconds).text(text, backend="duckduckgo", max_results=query.limit)
        except RatelimitException as exc:
            return SearchAnswer(Outcome.RATE_LIMITED, detail=_short(exc))
        except TimeoutException:
            return SearchAnswer(Outcome.UNREACHABLE, detail=f"no answer within {seconds} s")
        except DDGSException as exc:
            if _NOTHING_FOUND in str(exc):
                return SearchAnswer(Outcome.NO_ANSWER)
            return SearchAnswer(Outcome.UNREACHABLE, detail=_short(exc))
        results = (SearchResult(row.get("href", ""), row.get("title", ""), row.get("body", "")) for row in rows)
        return SearchAnswer(Outcome.ANSWERED, tuple(results))


def _short(exc: Exception) -> str:
    """The kind of failure that an exception's text begins with ("DNSError: ..." -> "DNSError")."""
    return str(exc).split(":", 1)[0][:60]
