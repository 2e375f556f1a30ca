"""What every search provider looks like."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Outcome(StrEnum):
    """How a query ended."""

    ANSWERED = "answered"
    NO_ANSWER = "no answer"  # empty, or refused: the provider does not say which
    RATE_LIMITED = "rate-limited"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result: a page's address, its title, and the lines that the engine shows of it."""

    url: str
    title: str
    snippet: str


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to one query."""

    outcome: Outcome
    results: tuple[SearchResult, ...] = ()
    detail: str = ""


class Provider(Protocol):
    """A search engine."""

    name: str

    def search(self, query: str, limit: int) -> SearchAnswer:
        """Up to `limit` results; never raises for what the network does."""
