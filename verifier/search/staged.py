"""E4: trusted news, then fact-checkers, then the open web; within a stage all queries and all pages at once, one deadline over all.

A stage asks its providers in order until one has results: self-hosted ones, free ones, keyed ones. Searches of fact-checks and
feeds are asked beside them. What is found is read as pages, not as the lines that an engine shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass, replace

from kb.credibility import PublisherOf, SourceType, domains_of_type, publisher_of
from kb.record import NewEvidence, Origin
from verifier.search.base import Kind, Outcome, Provider, Query, SearchAnswer, SearchResult
from verifier.search.pages import PageReader, Reading, worth_reading
from verifier.settings import SearchSettings

TRUSTED_NEWS = ("reuters.com", "bbc.com", "apnews.com", "nytimes.com")
FACT_CHECKERS = domains_of_type(SourceType.FACT_CHECKER, 0.95)[:3]
ENOUGH_RELEVANT = 2
"""Relevant pieces from which the open web is spared."""
_QUERY_CHARACTERS = 300
_MOST_SITES = 10
_LEAST_SECONDS = 0.2
"""Time left below which nothing more is asked."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One query: where it went, what it was, how it ended, and whether the answer was kept from before."""

    stage: str
    provider: str
    query: str
    outcome: Outcome
    found: int
    detail: str
    cached: bool = False


@dataclass(frozen=True, slots=True)
class SearchStage:
    """A stage: the sites that it asks (none: all), the kinds of search in it, and how many results it wants."""

    name: str
    sites: tuple[str, ...]
    kinds: frozenset[Kind]
    limit: int
    origin: Origin

    @property
    def open(self) -> bool:
        """Whether it asks the open web."""
        return not self.sites


@dataclass(frozen=True, slots=True)
class StageReport:
    """What one stage brought: passages of the pages it found, every attempt, how many pages were read or could not be, its time."""

    stage: SearchStage
    items: tuple[NewEvidence, ...]
    attempts: tuple[Attempt, ...]
    read: int = 0
    unread: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def answered(self) -> bool:
        """Whether any query was answered, be it with nothing."""
        return any(attempt.outcome in {Outcome.ANSWERED, Outcome.EMPTY} for attempt in self.attempts)

    @property
    def failed(self) -> tuple[Attempt, ...]:
        """The attempts of which nobody knows what they would have found."""
        known = {Outcome.ANSWERED, Outcome.EMPTY, Outcome.NOT_ASKED}
        return tuple(a for a in self.attempts if a.outcome not in known)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know of this stage."""
        if not self.failed or not self.answered:
            return ()
        who = ", ".join(dict.fromkeys(f"{a.provider} ({a.outcome})" for a in self.failed))
        return (f"a part of the web search failed: {who}",)

    @property
    def offline(self) -> bool:
        """Whether no provider could be reached at all."""
        asked = [a.outcome for a in self.attempts if a.outcome is not Outcome.NOT_ASKED]
        return bool(asked) and all(outcome is Outcome.UNREACHABLE for outcome in asked)


class StagedSearch:
    """The staged search over all configured providers. Safe to share between threads."""

    def __init__(
        self,
        providers: Sequence[Provider],
        settings: SearchSettings,
        reader: PageReader | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        publisher_of: PublisherOf = publisher_of,
        preferred: Callable[[SourceType], Sequence[str]] = lambda source_type: (),
        one_by_one: Collection[str] = (),
    ) -> None:
        """Make the search.

        Args:
            providers: in the order in which they are to be asked.
            settings: limits and times.
            reader: reads pages; without it the engines' own lines are all there is.
            sleep: waits, so many seconds; an argument, so that waiting can be tested without waiting.
            clock: tells the time in seconds.
            publisher_of: who stands behind an address; denied publishers are neither asked nor read.
            preferred: the user's own sites of a type, which are asked before the usual ones.
            one_by_one: names of providers that take one query in several seconds, and hence one a stage.
        """
        self._providers, self._settings, self._reader = tuple(providers), settings, reader
        self._sleep, self._clock, self._publisher_of = sleep, clock, publisher_of
        self._preferred, self._one_by_one = preferred, frozenset(one_by_one)

    @property
    def stages(self) -> tuple[SearchStage, ...]:
        """The stages in their order."""
        news, settings = frozenset({Kind.WEB, Kind.NEWS}), self._settings
        checks = frozenset({Kind.WEB, Kind.FACT_CHECKS})
        return (
            SearchStage(
                "trusted news", self._sites(SourceType.NEWS, TRUSTED_NEWS), news, settings.trusted_results, Origin.WEB
            ),
            SearchStage(
                "fact-checkers",
                self._sites(SourceType.FACT_CHECKER, FACT_CHECKERS),
                checks,
                settings.fact_check_results,
                Origin.FACT_CHECK,
            ),
            SearchStage("open web", (), news, settings.open_results, Origin.WEB),
        )

    def _sites(self, source_type: SourceType, usual: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._preferred(source_type), *usual)))[:_MOST_SITES]

    @property
    def names(self) -> tuple[str, ...]:
        """The providers that a claim may be sent to."""
        return tuple(provider.name for provider in self._providers)

    def by_stages(
        self, claim: str, queries: Sequence[str], seconds: Callable[[], float], relevant: Callable[[], int]
    ) -> Iterator[StageReport]:
        """Ask stage after stage, as long as there is time, somebody can be reached, and the open web only where it is needed.

        Args:
            claim: what is searched for.
            queries: what is asked.
            seconds: how much time is left; asked before each stage.
            relevant: how many relevant pieces there are so far.
        """
        for stage in self.stages if queries else ():
            left = seconds()
            if left <= 0 or (stage.open and relevant() >= ENOUGH_RELEVANT):
                return
            report = self.ask(stage, claim, queries, left)
            yield report
            if report.offline:
                return

    def ask(self, stage: SearchStage, claim: str, queries: Sequence[str], seconds: float) -> StageReport:
        """Ask one stage, for at most `seconds`: its queries at once, then the pages that they found at once."""
        started = self._clock()
        end = started + seconds
        sites = tuple(site for site in stage.sites if not self._publisher_of(f"https://{site}").denied)
        if stage.sites and not sites:  # without sites it would ask the open web
            return StageReport(stage, (), ())
        asked = [Query(text[:_QUERY_CHARACTERS].strip(), stage.limit, sites) for text in dict.fromkeys(queries)]
        attempts: list[Attempt] = []
        results: list[SearchResult] = []
        with _pool() as pool:
            beside = [p for p in self._providers if p.kind is Kind.FACT_CHECKS and p.kind in stage.kinds]
            open_query = [replace(asked[0], sites=())]
            waiting = [(p, pool.submit(self._ask_one, p, open_query, end)) for p in beside]
            in_order = [p for p in self._providers if p.kind in stage.kinds and p.kind is not Kind.FACT_CHECKS]
            answers = self._ask_in_order(in_order, asked, end)
            for provider, future in waiting:
                answers += [(provider, query, answer) for query, answer in future.result()]
        for provider, query, answer in answers:
            attempts.append(
                Attempt(
                    stage.name,
                    provider.name,
                    query.text,
                    answer.outcome,
                    len(answer.results),
                    answer.detail,
                    answer.cached,
                )
            )
            results += answer.results
        chosen = worth_reading(claim, results, stage.limit, self._publisher_of)
        readings = self._read(claim, stage, chosen, end)
        items = tuple(item for reading in readings for item in reading.items)
        unread = tuple(f"{reading.url}: {reading.failed}" for reading in readings if reading.failed)
        taken = self._clock() - started
        return StageReport(stage, items, tuple(attempts), len(readings) - len(unread), unread, taken)

    def _ask_in_order(
        self, providers: Sequence[Provider], queries: Sequence[Query], end: float
    ) -> list[tuple[Provider, Query, SearchAnswer]]:
        """Ask one provider after the other until one has results; then wait for the rate-limited, as long as time allows."""
        answers: list[tuple[Provider, Query, SearchAnswer]] = []
        for provider in providers:
            if end - self._clock() < _LEAST_SECONDS:
                break
            answers += [(provider, query, answer) for query, answer in self._ask_one(provider, queries, end)]
            if any(answer.results for _, _, answer in answers):
                return answers
        for delay in self._settings.backoff:
            again = _to_ask_again(answers)
            if again is None or end - self._clock() < delay + _LEAST_SECONDS:
                break
            self._sleep(delay)
            answers += [(again, query, answer) for query, answer in self._ask_one(again, queries, end)]
        return answers

    def _ask_one(self, provider: Provider, queries: Sequence[Query], end: float) -> list[tuple[Query, SearchAnswer]]:
        """Put all queries to one provider at once."""
        if provider.name in self._one_by_one:
            queries = queries[:1]
        seconds = max(_LEAST_SECONDS, end - self._clock())
        if len(queries) == 1:
            return [(queries[0], provider.search(queries[0], seconds))]
        with _pool() as pool:
            futures = [(query, pool.submit(provider.search, query, seconds)) for query in queries]
            return [(query, future.result()) for query, future in futures]

    def _read(self, claim: str, stage: SearchStage, results: Sequence[SearchResult], end: float) -> list[Reading]:
        """The passages of the pages behind the results; what is still being fetched at the end of the time counts as unread."""
        if self._reader is None:
            return [Reading.of_snippet(result, stage.origin, "") for result in results]
        seconds = max(0.0, end - self._clock())
        pool = ThreadPoolExecutor(self._settings.pages_at_once, "page")
        try:
            futures = [(r, pool.submit(self._reader.read, claim, r, stage.origin, seconds)) for r in results]
            readings = []
            for result, future in futures:
                try:
                    readings.append(future.result(max(0.0, end - self._clock())))
                except NotInTime:
                    readings.append(
                        Reading.of_snippet(result, stage.origin, "not read within the time for this search")
                    )
            return readings
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _to_ask_again(answers: Sequence[tuple[Provider, Query, SearchAnswer]]) -> Provider | None:
    """The first provider that is, or may be, rate-limited; None once any has said what it knows.

    "No answer" to a query limited to a few sites is usually the truth; to an open query it usually means a limit.
    """
    if any(answer.outcome in {Outcome.ANSWERED, Outcome.EMPTY} for _, _, answer in answers):
        return None
    return next(
        (
            provider
            for provider, query, answer in answers
            if answer.outcome is Outcome.RATE_LIMITED or (answer.outcome is Outcome.NO_ANSWER and not query.sites)
        ),
        None,
    )


def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(4, "search")


def attempts_told(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Attempts in words, those alike but for their query together: "SearxNG: answered, 8 results (“a”, “b”)"."""
    grouped: dict[tuple[str, Outcome, str, bool], list[Attempt]] = {}
    for attempt in attempts:
        grouped.setdefault((attempt.provider, attempt.outcome, attempt.detail, attempt.cached), []).append(attempt)
    for (provider, outcome, detail, cached), group in grouped.items():
        found = sum(attempt.found for attempt in group)
        told = f", {found} results" if outcome is Outcome.ANSWERED else f" ({detail})" if detail else ""
        queries = ", ".join(f"\u201c{attempt.query}\u201d" for attempt in group)
        yield f"{provider}: {outcome}{told}{', kept from before' if cached else ''}, asked {queries}"
