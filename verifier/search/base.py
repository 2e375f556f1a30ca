"""Define the interface of every search provider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

LANGUAGE = "en"
"""Language (ISO 639-1) of wanted pages and default for queries: claims are checked in English."""


class Outcome(StrEnum):
    """The outcomes of a query."""

    ANSWERED = "answered"
    EMPTY = "empty"  # the provider says that it has nothing
    NO_ANSWER = "no answer"  # empty or refused: the provider does not say which
    RATE_LIMITED = "rate-limited"
    UNREACHABLE = "unreachable"  # no connection, no answer in time, or an answer that cannot be read
    NOT_ASKED = "not asked"  # the query does not suit this provider: too short, or no word that it accepts
    OVER_BUDGET = "over budget"  # our own limit or the breaker: the provider was not asked


class Kind(StrEnum):
    """The kinds of content that a provider searches."""

    WEB = "web"
    NEWS = "news"
    FACT_CHECKS = "fact-checks"
    REFERENCE = "reference works"
    LITERATURE = "literature"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result: a page's address, its title, and the engine's snippet.

    `rating` is a fact-checker's rating of `claim`, or says that a work was retracted. Times are UTC. `passages` are the
    page's own words if the service returns them (an abstract, an article's lead), so that no page is read; `language`
    is their language (ISO 639-1). `study` is the kind of a research paper.
    """

    url: str
    title: str
    snippet: str
    published_at: datetime | None = None
    publisher: str = ""
    rating: str = ""
    claim: str = ""
    passages: tuple[str, ...] = ()
    language: str = LANGUAGE
    study: str = ""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to one query."""

    outcome: Outcome
    results: tuple[SearchResult, ...] = ()
    detail: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query: words, most results, allowed sites (none: all), and the words' language."""

    text: str
    limit: int
    sites: tuple[str, ...] = ()
    language: str = LANGUAGE


def may_be_limited(answer: SearchAnswer, query: Query) -> bool:
    """Tell whether a rate limit may explain the answer, so that asking again is worthwhile.

    "No answer" to a query limited to a few sites is usually true; for an open query it usually means a rate limit.
    """
    return answer.outcome is Outcome.RATE_LIMITED or (answer.outcome is Outcome.NO_ANSWER and not query.sites)


class Provider(Protocol):
    """A search engine."""

    @property
    def name(self) -> str:
        """The name that people use."""

    @property
    def kind(self) -> Kind:
        """The kind of content that it searches."""

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Search for at most `timeout` seconds; never raises because of the network or the provider."""
