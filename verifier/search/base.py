"""What every search provider looks like."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

LANGUAGE = "en"
"""The language of the pages wanted (ISO 639-1), and of queries unless they say otherwise: claims are checked in English."""


class Outcome(StrEnum):
    """How a query ended."""

    ANSWERED = "answered"
    EMPTY = "empty"  # the provider says that it has nothing
    NO_ANSWER = "no answer"  # empty, or refused: the provider does not say which
    RATE_LIMITED = "rate-limited"
    UNREACHABLE = "unreachable"  # no connection, no answer in time, or an answer that cannot be read
    NOT_ASKED = "not asked"  # the query is none for this provider: too short, no word that it would take
    OVER_BUDGET = "over budget"  # our own limit, or the breaker: the provider was not asked


class Kind(StrEnum):
    """What a provider searches."""

    WEB = "web"
    NEWS = "news"
    FACT_CHECKS = "fact-checks"
    REFERENCE = "reference works"
    LITERATURE = "literature"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result: a page's address, its title, and the lines that the engine shows of it.

    `rating` is a fact-checker's, of `claim`, or says that a work was retracted; times are UTC. `passages` are the page's own words
    where the service hands them over (an abstract, an article's lead), so that no page is read for it; `language` is theirs (ISO
    639-1). `study` is the kind of a research paper.
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
    """What is asked: the words, the most results, the sites that alone may answer (none: all), and the words' language."""

    text: str
    limit: int
    sites: tuple[str, ...] = ()
    language: str = LANGUAGE


def may_be_limited(answer: SearchAnswer, query: Query) -> bool:
    """Tell whether the provider refused for its rate limit, or may have, so that it is worth asking again later.

    "No answer" to a query limited to a few sites is usually the truth; to an open query it usually means a limit.
    """
    return answer.outcome is Outcome.RATE_LIMITED or (answer.outcome is Outcome.NO_ANSWER and not query.sites)


class Provider(Protocol):
    """A search engine."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def kind(self) -> Kind:
        """What it searches."""

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Return the results, asked for at most `timeout` seconds; never raises for what the network or the provider does."""
