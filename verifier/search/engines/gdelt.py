"""Search GDELT DOC 2, the world's online news of the last three months.

It needs no key and allows one request every five seconds. It requires every word of a query and rejects words of fewer
than three letters. It says so in plain text with status 200.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.http import UNREADABLE, Call, ask, rows
from verifier.search.results import plain, result

PUBLIC = "https://api.gdeltproject.org"

_WORDS = 10
_SITES = 10
_SHORTEST = 3
_LITTLE = frozenset(
    "the and for that this with from has have had was were are but not his her its their been into than then they there will "
    "would could should about which who what when where near".split()
)


class Gdelt:
    """The DOC interface of the GDELT project."""

    name, kind = "GDELT", Kind.NEWS

    def __init__(self, url: str = "") -> None:
        self._url = (url or PUBLIC).rstrip("/")

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` results, whose snippet is their title; see `Provider`."""
        words = _words(query.text)
        if not words:
            return SearchAnswer(Outcome.NOT_ASKED, detail="no word of three letters in the query")
        params: dict[str, str | int] = {
            "query": words + _domains(query.sites),
            "mode": "artlist",
            "format": "json",
            "maxrecords": query.limit,
            "sort": "hybridrel",
        }
        return ask(Call(f"{self._url}/api/v2/doc/doc", params), query, timeout, _read, _said)


def _words(text: str) -> str:
    """Return the meaningful words; quoted phrases stay together.

    They are in lower case, because OR and NEAR are operators.
    """
    phrases = [" ".join(re.findall(r"\w+", phrase.lower())) for phrase in re.findall(r'"([^"]{3,100})"', text)]
    rest = re.sub(r'"[^"]{3,100}"', " ", text)
    words = [word for word in re.findall(r"\w+", rest.lower()) if len(word) >= _SHORTEST and word not in _LITTLE]
    return " ".join(list(dict.fromkeys([f'"{phrase}"' for phrase in phrases if " " in phrase] + words))[:_WORDS])


def _domains(sites: tuple[str, ...]) -> str:
    """Return the query's clause for the sites.

    GDELT allows brackets only around OR, and limits a query's length.
    """
    terms = [f"domainis:{site}" for site in sites[:_SITES]]
    return f" ({' OR '.join(terms)})" if len(terms) > 1 else "".join(f" {term}" for term in terms)


def _read(answer: object) -> Iterator[SearchResult | None]:
    if answer == {}:  # its answer when nothing is found
        return
    for row in rows(answer, "articles"):
        yield result(row.get("url"), row.get("title"), row.get("title"), row.get("seendate"), row.get("domain"))


def _said(text: str) -> SearchAnswer:
    """Read an answer in words, which is about the query or the number of queries."""
    if re.search(r"limit requests|too many", text, re.IGNORECASE):
        return SearchAnswer(Outcome.RATE_LIMITED, detail="one request every 5 s")
    words = plain(text, 80)
    spoken = words and re.match(r"[A-Z][a-z]+ [a-z]", words) and "<html" not in text.lower()
    return SearchAnswer(Outcome.UNREACHABLE, detail=f'it says "{words}"' if spoken else UNREADABLE)
