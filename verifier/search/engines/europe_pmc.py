"""Search Europe PMC: medicine and the life sciences, with all of PubMed and the preprints.

No key. Without an operator between them, all words must occur in a work, so they are joined by OR; the service ranks by
how many fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from errors import FetchError
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.papers import paper
from verifier.search.http import UNREADABLE, Call, ask, part, rows, user_agent
from verifier.search.literature import words_for

PUBLIC = "https://www.ebi.ac.uk/europepmc/webservices/rest"

_WORDS = 8
_PAGE = 15
"""Works asked for: more than are read, so that reviews can go first."""


class EuropePmc:
    """The search of Europe PMC."""

    name, kind = "Europe PMC", Kind.LITERATURE

    def __init__(self, url: str = "", contact: str = "") -> None:
        """Take `contact`, which the service may write to."""
        self._url, self._contact = (url or PUBLIC).rstrip("/"), contact

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return up to `query.limit` works with their abstracts; see `Provider`."""
        words = words_for(query.text)[:_WORDS]
        if not words:
            return SearchAnswer(Outcome.NOT_ASKED, detail="no word of four letters in the query")
        params: dict[str, str | int] = {
            "query": f"TITLE_ABS:({' OR '.join(words)}) AND HAS_ABSTRACT:Y AND HAS_DOI:Y",
            "resultType": "core",
            "format": "json",
            "pageSize": max(query.limit, _PAGE),
        }
        if "@" in self._contact:
            params["email"] = self._contact
        return ask(Call(f"{self._url}/search", params, user_agent(self._contact)), query, timeout, _read)


def _read(answer: object) -> Iterator[SearchResult | None]:
    if part(answer, "errCode") is not None:
        raise FetchError(UNREADABLE)
    for row in rows(answer, "resultList", "result"):
        yield _paper(row)


def _paper(row: Mapping[str, object]) -> SearchResult | None:
    said = part(row.get("pubTypeList"), "pubType")
    types = [kind for kind in said[:20] if isinstance(kind, str)] if isinstance(said, list) else []
    if row.get("source") == "PPR":
        types.append("preprint")
    abstract, journal = row.get("abstractText"), part(part(row.get("journalInfo"), "journal"), "title")
    return paper(
        row.get("doi"),
        row.get("title"),
        abstract if isinstance(abstract, str) else "",
        row.get("firstPublicationDate"),
        journal,
        types,
        retracted=EuropePmc.name if "retracted publication" in {kind.lower() for kind in types} else "",
    )
