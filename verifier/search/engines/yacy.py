"""Search YaCy, a self-hosted search engine that asks its peers: no key, no company.

YaCy reads only the first of several `site:` operators and has no OR. So several sites are requested with its address
mask instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifier.search.base import Kind, Query, SearchAnswer, SearchResult
from verifier.search.http import Call, ask, rows
from verifier.search.results import result

_RECORDS = 10
"""Fewest records asked for, because peers' answers are not all from the requested sites."""


class YaCy:
    """A self-hosted YaCy server."""

    name, kind = "YaCy", Kind.WEB

    def __init__(self, url: str = "http://localhost:8090") -> None:
        self._url = url.rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results; see `Provider`."""
        one = len(query.sites) == 1
        params: dict[str, str | int] = {
            "query": f"{query.text} site:{query.sites[0]}" if one else query.text,
            "maximumRecords": max(_RECORDS, query.limit),
            "resource": "global",
            "verify": "false",
        }
        if len(query.sites) > 1:
            params["urlmaskfilter"] = rf"https?://([^/]*\.)?({'|'.join(map(re.escape, query.sites))})/.*"
        return ask(Call(f"{self._url}/yacysearch.json", params), query, timeout, _read)


def _read(answer: object) -> Iterator[SearchResult | None]:
    for row in rows(answer, "channels", 0, "items"):
        yield result(row.get("link"), row.get("title"), row.get("description"), row.get("pubDate"))
