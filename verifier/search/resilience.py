"""E5: what stands between a search and its provider, so that one slow or angry engine harms nobody.

In this order: the kept answer; one question asked once, however many ask it; the breaker; the budget per minute, day and
month; the cost; so many requests at once; the pause after a rate limit; and the request. Whoever has no other provider to fall
back on may have a rate-limited one asked again at once, as often as the time allows (`patient`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from verifier.search.answers import from_text, key_of, to_text
from verifier.search.base import Kind, Outcome, Provider, Query, SearchAnswer
from verifier.search.budget import Budget, Ceiling, Gate, failed
from verifier.search.limits import Limits, limits_for
from verifier.search.shared import Shared
from verifier.settings import SearchSettings

_KEPT = frozenset({Outcome.ANSWERED, Outcome.EMPTY})
_LEAST = 1.0
"""Seconds that must be left for a request after a wait: fewer are not worth waiting for."""
_FAIR = 2.0
"""A provider that was given fewer seconds than this is not blamed for its silence."""


class Observer(Protocol):
    """Who counts queries."""

    def observe_query(self, provider: str, outcome: Outcome, seconds: float, cached: bool) -> None:
        """A query ended."""

    def breaker(self, provider: str, is_open: bool) -> None:
        """The state of a provider's breaker."""


class Guarded:
    """A provider behind its limits; itself a provider."""

    def __init__(
        self,
        provider: Provider,
        limits: Limits,
        shared: Shared,
        ceiling: Ceiling | None = None,
        observer: Observer | None = None,
        patient: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Guard a provider.

        Args:
            provider: who is asked.
            limits: how often, and for how long.
            shared: keeps answers and counts, and tells the time.
            ceiling: of the month's cost.
            observer: who counts queries, if anybody does.
            patient: whether a search goes on asking after a rate limit; without it the caller hears of the limit at once.
            sleep: waits, so many seconds; an argument, so that waiting can be tested without waiting.
        """
        self._provider, self._limits, self._shared = provider, limits, shared
        self._budget = Budget(provider.name, limits, ceiling or Ceiling(), shared)
        self._observer, self._sleep, self._clock = observer, sleep, shared.clock
        self._tries = 1 + len(limits.backoff) if patient else 1
        self._places = threading.BoundedSemaphore(limits.concurrent)
        self._flights: dict[str, Future[SearchAnswer]] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._provider.name

    @property
    def kind(self) -> Kind:
        """What the provider searches."""
        return self._provider.kind

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know of cache and cost; the same for all providers over one cache."""
        return self._shared.warnings

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """See `Provider`. `timeout` holds for everything: waiting for a turn, the request, and asking again.

        One request is given at most the provider's own limit. OVER_BUDGET means that it was not asked; `detail` says why.
        """
        start, key = self._clock(), key_of(self.name, query)
        answer = self._kept(key) or self._once(key, query, start + timeout)
        if self._observer:
            self._observer.observe_query(self.name, answer.outcome, max(0.0, self._clock() - start), answer.cached)
        return answer

    def _kept(self, key: str) -> SearchAnswer | None:
        text = self._shared.answer(key)
        return from_text(text, self._clock(), self._limits.keep) if text else None

    def _once(self, key: str, query: Query, end: float) -> SearchAnswer:
        """Ask, unless another thread is asking the same just now: then its answer is taken."""
        with self._lock:
            flight = self._flights.get(key)
            mine = flight is None
            if flight is None:
                flight = self._flights[key] = Future()
        if not mine:
            try:
                return replace(flight.result(max(0.0, end - self._clock())), cached=True)
            except TimeoutError:
                return SearchAnswer(Outcome.UNREACHABLE, detail="no answer in time to the same question asked before")
        try:
            answer = self._kept(key) or self._ask_and_keep(key, query, end)
            flight.set_result(answer)
        except BaseException as exc:
            flight.set_exception(exc)
            raise
        finally:
            with self._lock:
                del self._flights[key]
        return answer

    def _ask_and_keep(self, key: str, query: Query, end: float) -> SearchAnswer:
        if not self._places.acquire(timeout=max(0.0, end - self._clock())):
            return SearchAnswer(Outcome.OVER_BUDGET, detail=f"{self._limits.concurrent} at once")
        try:
            answer = self._ask(query, end)
        finally:
            self._places.release()
        if answer.outcome in _KEPT and self._limits.keep > 0:
            self._shared.keep(key, to_text(answer, self._clock() + self._limits.keep), self._limits.keep)
        return answer

    def _ask(self, query: Query, end: float) -> SearchAnswer:
        """Ask, if patient again after each rate limit while the time allows it; then tell the breaker how it went."""
        answer = SearchAnswer(Outcome.OVER_BUDGET)
        asked = trial = fair = False
        for _ in range(self._tries):
            gate = self._turn(end)
            if gate.why:
                answer = answer if asked else SearchAnswer(Outcome.OVER_BUDGET, detail=gate.why)
                break
            given = min(self._limits.timeout, end - self._clock())
            answer = self._provider.search(query, max(0.0, given))
            if answer.outcome is Outcome.NOT_ASKED:
                self._budget.give_back()
                break
            asked, trial, fair = True, gate.trial, given >= min(_FAIR, self._limits.timeout)
            limited = _limited(answer, query)
            self._budget.note(limited)
            if trial or not limited:
                break
        self._settle(answer, asked, trial, fair)
        return answer

    def _turn(self, end: float) -> Gate:
        """Wait for a turn; a closed gate where it would come too late."""
        while True:
            gate = self._budget.enter()
            if not gate.wait or self._clock() + gate.wait + _LEAST > end:
                return gate
            self._sleep(gate.wait)

    def _settle(self, answer: SearchAnswer, asked: bool, trial: bool, fair: bool) -> None:
        is_open = not asked and answer.detail.startswith("paused")
        if asked and (fair or not failed(answer) or answer.outcome is Outcome.RATE_LIMITED):
            is_open = self._budget.settle(answer.outcome, trial)
        elif trial:
            self._budget.release()
        if self._observer:
            self._observer.breaker(self.name, is_open)


def _limited(answer: SearchAnswer, query: Query) -> bool:
    """Whether it is worth asking again later.

    "No answer" to a query limited to a few sites is usually the truth; to an open query it usually means a limit.
    """
    return answer.outcome is Outcome.RATE_LIMITED or (answer.outcome is Outcome.NO_ANSWER and not query.sites)


def guarded(
    providers: Iterable[Provider],
    settings: SearchSettings,
    observer: Observer | None = None,
    shared: Shared | None = None,
) -> tuple[Guarded, ...]:
    """Every provider behind its limits, all over one cache and one set of budgets (by default those at `settings.cache_path`)."""
    shared = shared or Shared(settings.cache_path)
    ceiling = Ceiling(settings.cost_warn, settings.cost_stop)
    return tuple(
        Guarded(provider, limits_for(provider.name, settings), shared, ceiling, observer) for provider in providers
    )
