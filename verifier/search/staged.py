"""E4: trusted news, then fact-checkers, then the open web if fewer than two relevant pieces were found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kb.credibility import SourceType, domains_of_type
from kb.record import Collection, NewEvidence, Origin
from kb.urls import canonical_url, is_homepage
from verifier.search.base import Outcome, Provider, Query, SearchAnswer, SearchResult
from verifier.settings import SearchSettings

TRUSTED_NEWS = ("reuters.com", "bbc.com", "apnews.com", "nytimes.com")
FACT_CHECKERS = domains_of_type(SourceType.FACT_CHECKER, 0.95)[:3]
ENOUGH_RELEVANT = 2
_QUERY_CHARACTERS = 300
_TRY_LATER = frozenset({Outcome.RATE_LIMITED, Outcome.NO_ANSWER})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One query: where it went, what it was, how it ended."""

    stage: str
    provider: str
    query: str
    outcome: Outcome
    found: int
    detail: str


@dataclass(frozen=True, slots=True)
class SearchReport:
    """All results of a search, one per page, and every attempt."""

    items: tuple[NewEvidence, ...]
    attempts: tuple[Attempt, ...]

    @property
    def answered(self) -> bool:
        """Whether any query was answered at all."""
        return any(attempt.outcome is Outcome.ANSWERED for attempt in self.attempts)


@dataclass(frozen=True, slots=True)
class _SearchStage:
    name: str
    sites: tuple[str, ...]
    limit: int
    origin: Origin


class StagedSearch:
    """The staged search over one provider."""

    def __init__(
        self,
        provider: Provider,
        settings: SearchSettings,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`sleep` and `clock` are arguments so that waiting can be tested without waiting."""
        self._provider, self._settings = provider, settings
        self._sleep, self._clock = sleep, clock
        self._stages = (
            _SearchStage("trusted news", TRUSTED_NEWS, settings.trusted_results, Origin.WEB),
            _SearchStage("fact-checkers", FACT_CHECKERS, settings.fact_check_results, Origin.FACT_CHECK),
            _SearchStage("open web", (), settings.open_results, Origin.WEB),
        )

    def run(self, claim: str, relevant: Callable[[Sequence[NewEvidence]], int], seconds: float) -> SearchReport:
        """Search for `claim` for at most `seconds`.

        Args:
            claim: what is searched for.
            relevant: how many relevant pieces there are, counting these results; the open web is asked only below two.
            seconds: the whole search's deadline.
        """
        end = self._clock() + min(seconds, self._settings.deadline)
        pages: dict[str, NewEvidence] = {}
        attempts: list[Attempt] = []
        for stage in self._stages:
            if not stage.sites and relevant(tuple(pages.values())) >= ENOUGH_RELEVANT:
                break
            if attempts and not self._wait(self._settings.pause, end):
                break
            for result in self._ask(stage, claim, end, attempts).results:
                self._keep(result, stage.origin, pages)
            if attempts[-1].outcome is Outcome.UNREACHABLE:
                break
        return SearchReport(tuple(pages.values()), tuple(attempts))

    def _wait(self, seconds: float, end: float) -> bool:
        """Wait, unless that would pass the deadline."""
        if self._clock() + seconds >= end:
            return False
        self._sleep(seconds)
        return True

    def _ask(self, stage: _SearchStage, claim: str, end: float, attempts: list[Attempt]) -> SearchAnswer:
        """Ask the provider, and again after 2, 5 and 10 s when it is rate-limited.

        "No answer" to a query limited to a few sites is usually the truth; to an open query it usually means a limit.
        """
        query = Query(claim[:_QUERY_CHARACTERS], stage.limit, stage.sites)
        answer = SearchAnswer(Outcome.NO_ANSWER)
        for delay in (0.0, *self._settings.backoff):
            if delay and not self._wait(delay, end):
                break
            answer = self._provider.search(query, self._settings.timeout)
            attempts.append(
                Attempt(stage.name, self._provider.name, query.text, answer.outcome, len(answer.results), answer.detail)
            )
            if answer.outcome not in _TRY_LATER or (answer.outcome is Outcome.NO_ANSWER and stage.sites):
                break
        return answer

    @staticmethod
    def _keep(result: SearchResult, origin: Origin, pages: dict[str, NewEvidence]) -> None:
        """Keep a result once per page; front pages and results without words prove nothing."""
        url = canonical_url(result.url)
        readable = any(character.isalpha() for character in result.snippet)
        if url not in pages and url.startswith("https://") and readable and not is_homepage(result.url):
            pages[url] = NewEvidence(
                result.snippet.strip(), result.url, result.title.strip(), origin, Collection.CURRENT
            )
