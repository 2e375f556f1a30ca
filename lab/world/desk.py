"""Answer the queries that all the world's search engines receive, from one index."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from lab.world.pages import Kind
from lab.world.ranking import Asked, Hit, Index, parse_query, words_of

NEWS = frozenset({Kind.NEWS, Kind.STATISTICS, Kind.FACT_CHECK, Kind.BLOG, Kind.TRAP})
"""What news engines know: no front pages, no encyclopedia, no posts."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The index and the server's port.

    `note` is added after every snippet: the fault that plants instructions there.
    """

    index: Index
    port: int
    note: str = ""

    def find(
        self,
        query: str,
        limit: int,
        kinds: Collection[Kind] = frozenset(Kind),
        skip: int = 0,
        sites: Sequence[str] = (),
    ) -> list[Hit]:
        """Return the best pages for a query, restricted by its `site:` parts and by `sites`."""
        asked = parse_query(query)
        asked = Asked(asked.words, (*asked.sites, *(site.lower() for site in sites if site)), asked.barred)
        hits = self.index.search(asked, limit, kinds, skip)
        return [Hit(hit.page, hit.score, f"{hit.snippet} {self.note}") for hit in hits] if self.note else hits


def bold(text: str, query: str, tag: str) -> str:
    """Return a snippet as HTML with the query's words marked, as engines show it."""
    words = set(parse_query(query).words)

    def mark(match: re.Match[str]) -> str:
        found = match.group()
        return f"<{tag}>{found}</{tag}>" if words & set(words_of(found)) else found

    return re.sub(r"(?<![&\w])\w+", mark, escape(text, quote=False))


def title_of(hit: Hit) -> str:
    """Return the title as a browser's tab shows it, which is what engines show."""
    return f"{hit.page.title} – {hit.page.site.name}"
