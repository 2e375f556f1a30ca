"""Search OpenAlex, an index of research in all fields.

No key; requests that name a contact are served faster. Abstracts come as an index of words and their positions, and are
reassembled here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.publishers.urls import doi_address, doi_of
from kb.record import RETRACTED
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.papers import MOST_ABSTRACT, paper
from verifier.search.http import Call, ask, part, rows, user_agent
from verifier.search.literature import words_for
from verifier.search.results import result

PUBLIC = "https://api.openalex.org"

_WORDS = 6
_PAGE = 15
_LAST_PLACE = MOST_ABSTRACT
"""Word positions beyond this are skipped; no abstract has as many words as letters."""
_FIELDS = "doi,display_name,publication_date,type,is_retracted,abstract_inverted_index,primary_location"


class OpenAlex:
    """The works search of OpenAlex."""

    name, kind = "OpenAlex", Kind.LITERATURE

    def __init__(self, url: str = "", contact: str = "") -> None:
        """Take `contact`, which the service may write to; an e-mail address is sent as `mailto`."""
        self._url, self._contact = (url or PUBLIC).rstrip("/"), contact

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` works with their abstracts; see `Provider`."""
        words = words_for(query.text)[:_WORDS]
        if not words:
            return SearchAnswer(Outcome.NOT_ASKED, detail="no word of four letters in the query")
        params = {
            "search": " ".join(words),
            "filter": "has_abstract:true,has_doi:true",
            "select": _FIELDS,
            "per-page": max(query.limit, _PAGE),
            **polite(self._contact),
        }
        return ask(Call(f"{self._url}/works", params, user_agent(self._contact)), query, timeout, _read)


class OpenAlexStatus:
    """The look-up of works by DOI, with whether they were retracted. Shares the search's budget."""

    name, kind = OpenAlex.name, Kind.LITERATURE

    def __init__(self, url: str = "", contact: str = "") -> None:
        """Take `contact`, which the service may write to; an e-mail address is sent as `mailto`."""
        self._url, self._contact = (url or PUBLIC).rstrip("/"), contact

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return the works whose DOIs, joined by |, are the query; see `Provider`.

        OpenAlex allows at most 50.
        """
        params = {
            "filter": f"doi:{query.text}",
            "select": "doi,display_name,is_retracted",
            "per-page": query.limit,
            **polite(self._contact),
        }
        return ask(Call(f"{self._url}/works", params, user_agent(self._contact)), query, timeout, _read_status)


def _read_status(answer: object) -> Iterator[SearchResult | None]:
    for row in rows(answer, "results"):
        doi, flag = row.get("doi"), row.get("is_retracted")
        key = doi_of(doi) if isinstance(doi, str) else ""
        rating = f"{RETRACTED} ({OpenAlex.name})" if flag is True else ""
        known = key and isinstance(flag, bool)
        yield result(doi_address(key), row.get("display_name") or key, key, rating=rating) if known else None


def polite(contact: str) -> dict[str, str | int]:
    """Return the parameter that gives Crossref and OpenAlex an e-mail address."""
    return {"mailto": contact} if "@" in contact else {}


def _read(answer: object) -> Iterator[SearchResult | None]:
    for row in rows(answer, "results"):
        yield _paper(row)


def _paper(row: Mapping[str, object]) -> SearchResult | None:
    kind, index = row.get("type"), row.get("abstract_inverted_index")
    return paper(
        row.get("doi"),
        row.get("display_name"),
        abstract_of(index) if isinstance(index, dict) else "",
        row.get("publication_date"),
        part(part(row.get("primary_location"), "source"), "display_name"),
        [kind] if isinstance(kind, str) else [],
        retracted=OpenAlex.name if row.get("is_retracted") is True else "",
    )


def abstract_of(index: Mapping[object, object]) -> str:
    """Reassemble an abstract from its words and their positions (from 0), skipping invalid ones."""
    placed: dict[int, str] = {}
    for word, places in index.items():
        for place in places[:_LAST_PLACE] if isinstance(places, list) else ():
            if type(place) is int and 0 <= place < _LAST_PLACE and isinstance(word, str):
                placed.setdefault(place, word)
    return " ".join(placed[place] for place in sorted(placed))
