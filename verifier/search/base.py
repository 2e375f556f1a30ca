"""What every search provider looks like."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result: a page's address, its title, and the lines that the engine shows of it.

    `rating` is a fact-checker's, of `claim`; times are UTC.
    """

    url: str
    title: str
    snippet: str
    published_at: datetime | None = None
    publisher: str = ""
    rating: str = ""
    claim: str = ""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to one query."""

    outcome: Outcome
    results: tuple[SearchResult, ...] = ()
    detail: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the words, the sites that alone may answer (none: all), the most results, the claim's language (ISO 639-1)."""

    text: str
    limit: int
    sites: tuple[str, ...] = ()
    language: str = "en"


class Provider(Protocol):
    """A search engine."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def kind(self) -> Kind:
        """What it searches."""

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """The results, asked for at most `timeout` seconds; never raises for what the network or the provider does."""
