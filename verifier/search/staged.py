"""Search reference works, trusted news, fact-checkers, then the open web, with one deadline for all.

Within a stage, queries and page fetches run at once. Claims of science and health are first searched in the research
literature, whose abstracts are evidence as they are.

A stage asks its free providers in order until one has results, self-hosted ones first. Fact-check searches run
together with them, and feeds come last among the free ones. A provider that costs money is asked only if all of these find nothing. Evidence is read from pages,
not from the engine's snippets. Reference works are all asked at once, with only the claim, and never again after a
refusal. They return their own text, so their pages are not fetched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from contextlib import ExitStack
from dataclasses import replace

from kb.publishers.credibility import PublisherOf, SourceType, domains_of_type, publisher_of
from kb.record import Origin
from verifier.search.base import LANGUAGE, Kind, Outcome, Provider, Query, SearchAnswer, SearchResult, may_be_limited
from verifier.search.engines.papers import ORDER
from verifier.search.literature import asks_literature, readings_of, works_to_read
from verifier.search.pages import PageReader, Reading, worth_reading
from verifier.search.reports import DENIED, NO_ENGINE, NO_TIME, UNCHARGED, Attempt, SearchStage, StageReport
from verifier.settings import SearchSettings

TRUSTED_NEWS = ("reuters.com", "bbc.com", "apnews.com", "nytimes.com")
FACT_CHECKERS = domains_of_type(SourceType.FACT_CHECKER, 0.95)[:3]
ENOUGH_RELEVANT = 2
"""Number of relevant pieces that makes the open web unnecessary."""
_QUERY_CHARACTERS = 300
_MOST_SITES = 10
_TOGETHER = frozenset({Kind.REFERENCE, Kind.LITERATURE, Kind.FACT_CHECKS})
"""Kinds of providers that are all asked at once, with only the claim."""
LITERATURE = SearchStage("the research literature", (), frozenset({Kind.LITERATURE}), 6, Origin.WEB)
_LEAST_SECONDS = 0.2
"""With less time than this left, nothing more is asked."""


_Asked = tuple[Provider, Query, SearchAnswer]


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
        paid: Collection[str] = (),
        closing: Sequence[Callable[[], None]] = (),
    ) -> None:
        """Make the search.

        Args:
            providers: in the order in which they are asked.
            settings: limits and times.
            reader: reads pages; without it, only the engines' snippets are used.
            sleep: waits for a number of seconds; an argument, so that tests need not wait.
            clock: tells the time in seconds.
            publisher_of: finds the publisher of an address; publishers on the blocklist are neither asked nor read.
            preferred: the user's own sites of a type, which are asked before the usual ones.
            one_by_one: names of providers that take one query every few seconds, and so one per stage.
            paid: names of providers whose requests count against a purchased or trial quota.
            closing: functions that close the connections of providers, pages and caches.
        """
        self._providers, self._settings, self._reader = tuple(providers), settings, reader
        self._sleep, self._clock, self._publisher_of = sleep, clock, publisher_of
        self._preferred, self._one_by_one = preferred, frozenset(one_by_one)
        self._paid, self._closing = frozenset(paid), tuple(closing)

    def stages_for(self, claim: str) -> tuple[SearchStage, ...]:
        """List a claim's stages in order: reference works, literature (science and health), the web.

        The first two are included only if a service for them is configured.
        """
        literature = any(provider.kind is Kind.LITERATURE for provider in self._providers) and asks_literature(claim)
        return (*self._reference_stage(), *((LITERATURE,) if literature else ()), *self._web_stages())

    def _reference_stage(self) -> Iterator[SearchStage]:
        if any(provider.kind is Kind.REFERENCE for provider in self._providers):
            kinds = frozenset({Kind.REFERENCE})
            yield SearchStage("reference works", (), kinds, self._settings.reference_results, Origin.WEB)

    def _web_stages(self) -> tuple[SearchStage, ...]:
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

    def close(self) -> None:
        """Close every connection; a later search opens new ones."""
        with ExitStack() as stack:  # closes each one, even if another raises
            for close in self._closing:
                stack.callback(close)

    def by_stages(
        self,
        claim: str,
        queries: Sequence[str],
        seconds: Callable[[], float],
        relevant: Callable[[], int],
        reference: str = LANGUAGE,
    ) -> Iterator[StageReport]:
        """Ask stage after stage while there is time and providers can be reached.

        The open web is asked only if it is needed. If time runs out, the last report is for the stage that was not
        asked.

        Args:
            claim: the claim to search for.
            queries: the queries to send.
            seconds: returns the time left; called before each stage.
            relevant: returns the number of relevant pieces so far.
            reference: the language (ISO 639-1) in which reference works are asked with the claim; "" leaves them out.
        """
        for stage in self.stages_for(claim) if queries else ():
            if stage.reference and not reference:
                continue
            left = seconds()
            if stage.open and relevant() >= ENOUGH_RELEVANT:
                return
            if left <= 0:
                yield StageReport(stage, (), (), idle=NO_TIME)
                return
            report = self.ask(stage, claim, queries, left, reference if stage.reference else LANGUAGE)
            yield report
            if report.offline and stage.of_web:
                return

    def ask(
        self, stage: SearchStage, claim: str, queries: Sequence[str], seconds: float, language: str = LANGUAGE
    ) -> StageReport:
        """Run one stage within `seconds`: its queries at once, then the found pages at once."""
        started = self._clock()
        end = started + seconds
        sites = tuple(site for site in stage.sites if not self._publisher_of(f"https://{site}").denied)
        if stage.sites and not sites:  # without sites it would ask the open web
            return StageReport(stage, (), (), idle=DENIED)
        if not any(provider.kind in stage.kinds for provider in self._providers):
            return StageReport(stage, (), (), idle=NO_ENGINE)
        texts = dict.fromkeys(text[:_QUERY_CHARACTERS].strip() for text in (queries if stage.of_web else [claim]))
        asked = [Query(text, stage.limit, sites, language) for text in texts]
        attempts: list[Attempt] = []
        results: list[SearchResult] = []
        for provider, query, answer in self._answers(stage, asked, end):
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
        works = works_to_read(claim, [r for r in results if r.study], stage.limit, ORDER, self._publisher_of)
        chosen = worth_reading(claim, [r for r in results if not r.study], stage.limit, self._publisher_of)
        readings = [*readings_of(claim, works), *self._read(claim, stage, chosen, end)]
        items = tuple(item for reading in readings for item in reading.items)
        unread = tuple(f"{reading.url}: {reading.failed}" for reading in readings if reading.failed)
        taken = self._clock() - started
        idle = "" if attempts else NO_TIME
        return StageReport(stage, items, tuple(attempts), len(readings) - len(unread), unread, taken, idle)

    def _answers(self, stage: SearchStage, queries: Sequence[Query], end: float) -> list[_Asked]:
        """Ask the free providers, then the paid ones, then a rate-limited one again.

        Those that replace none of them are asked together with the free ones.
        """
        here = [p for p in self._providers if p.kind in stage.kinds]
        in_order = [p for p in here if p.kind not in _TOGETHER]
        with _pool() as pool:
            open_query = [replace(queries[0], sites=())]
            waiting = [(p, pool.submit(self._ask_one, p, open_query, end)) for p in here if p.kind in _TOGETHER]
            answers = self._ask_in_order([p for p in in_order if p.name not in self._paid], queries, end)
            checks = [(p, query, answer) for p, future in waiting for query, answer in future.result()]
        if not _results(answers + checks):
            paid = [p for p in in_order if p.name in self._paid]
            answers += self._ask_in_order(paid, queries, end, self._settings.paid_engines)
        return answers + self._ask_again(answers, queries, end) + checks

    def _ask_in_order(
        self, providers: Sequence[Provider], queries: Sequence[Query], end: float, most: int | None = None
    ) -> list[_Asked]:
        """Ask providers in order, at most `most`, until one has results or time is up.

        A provider that its own limits kept from being asked does not count.
        """
        answers: list[_Asked] = []
        charged = 0
        for provider in providers:
            if end - self._clock() < _LEAST_SECONDS or charged == most:
                break
            said = [(provider, query, answer) for query, answer in self._ask_one(provider, queries, end)]
            answers += said
            charged += any(answer.outcome not in UNCHARGED for _, _, answer in said)
            if _results(said):
                break
        return answers

    def _ask_again(self, answers: Sequence[_Asked], queries: Sequence[Query], end: float) -> list[_Asked]:
        """Wait for a rate-limited provider while time allows, if no provider has answered."""
        later: list[_Asked] = []
        for delay in self._settings.backoff:
            again = None if _results([*answers, *later]) else _to_ask_again([*answers, *later])
            if again is None or end - self._clock() < delay + _LEAST_SECONDS:
                break
            self._sleep(delay)
            later += [(again, query, answer) for query, answer in self._ask_one(again, queries, end)]
        return later

    def _ask_one(self, provider: Provider, queries: Sequence[Query], end: float) -> list[tuple[Query, SearchAnswer]]:
        """Send all queries to one provider at once."""
        if provider.name in self._one_by_one:
            queries = queries[:1]
        seconds = max(_LEAST_SECONDS, end - self._clock())
        if len(queries) == 1:
            return [(queries[0], provider.search(queries[0], seconds))]
        with _pool() as pool:
            futures = [(query, pool.submit(provider.search, query, seconds)) for query in queries]
            return [(query, future.result()) for query, future in futures]

    def _read(self, claim: str, stage: SearchStage, results: Sequence[SearchResult], end: float) -> list[Reading]:
        """Return the passages of the results' pages.

        A page still being fetched at the deadline counts as unread.
        """
        handed = [Reading.of_passages(result, stage.origin) for result in results if result.passages]
        results = [result for result in results if not result.passages]
        if self._reader is None or not results:
            return handed + [Reading.of_snippet(result, stage.origin, "") for result in results]
        seconds = max(0.0, end - self._clock())
        pool = ThreadPoolExecutor(self._settings.pages_at_once, "page")
        try:
            futures = [(r, pool.submit(self._reader.read, claim, r, stage.origin, seconds)) for r in results]
            readings = handed
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


def _results(answers: Sequence[_Asked]) -> bool:
    return any(answer.results for _, _, answer in answers)


def _to_ask_again(answers: Sequence[_Asked]) -> Provider | None:
    """Return the first provider that is, or may be, rate-limited; None if any has answered."""
    if any(answer.outcome in {Outcome.ANSWERED, Outcome.EMPTY} for _, _, answer in answers):
        return None
    return next((provider for provider, query, answer in answers if may_be_limited(answer, query)), None)


def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(4, "search")
