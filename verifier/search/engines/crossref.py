"""Ask Crossref by DOI whether a work was retracted.

Publishers register works and their updates there. No key.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from errors import FetchError
from kb.publishers.urls import doi_address, doi_of
from kb.record import RETRACTED
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.openalex import polite
from verifier.search.http import UNREADABLE, Call, ask, part, rows, user_agent
from verifier.search.results import plain, result

PUBLIC = "https://api.crossref.org"

_WITHDRAWN = frozenset({"retraction", "withdrawal", "removal"})
"""Kinds of updates that retract a work; corrections and expressions of concern do not."""


class Crossref:
    """The works of Crossref, one by one."""

    name, kind = "Crossref", Kind.LITERATURE

    def __init__(self, url: str = "", contact: str = "") -> None:
        """Take `contact`, which the service may write to; an e-mail address is sent as `mailto`."""
        self._url, self._contact = (url or PUBLIC).rstrip("/"), contact

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return the work with the query's DOI, rated if it was retracted; see `Provider`."""
        doi = doi_of(query.text)
        if not doi:
            return SearchAnswer(Outcome.NOT_ASKED, detail="no DOI in the query")
        address = f"{self._url}/works/{quote(doi, safe='')}"
        call = Call(address, polite(self._contact), user_agent(self._contact))
        answer = ask(call, query, timeout, lambda value: _read(value, doi))
        return SearchAnswer(Outcome.EMPTY) if answer.detail == "HTTP 404" else answer


def _read(answer: object, doi: str) -> Iterator[SearchResult | None]:
    work = part(answer, "message")
    if not isinstance(work, dict) or doi_of(str(work.get("DOI"))) != doi:
        raise FetchError(UNREADABLE)
    updates = rows(work, "updated-by") if "updated-by" in work else []
    days = [_day(update.get("updated")) for update in updates if update.get("type") in _WITHDRAWN]
    titles = work.get("title")
    title = plain(titles[0], 250) if isinstance(titles, list) and titles else ""
    rating = f"{RETRACTED}{f' on {min(days)}' if min(days) else ''} (Crossref)" if days else ""
    yield result(doi_address(doi), title or doi, title or doi, rating=rating)


def _day(updated: object) -> str:
    """Return a Crossref date as 2010-02-06; "" if it is not complete."""
    dates = part(updated, "date-parts")
    day = dates[0] if isinstance(dates, list) and dates else None
    whole = (
        isinstance(day, list) and len(day) == 3 and all(type(number) is int and 0 < number < 3_000 for number in day)
    )
    return "{:04d}-{:02d}-{:02d}".format(*day) if isinstance(day, list) and whole else ""
