"""Guard a provider: answer from the cache, keep its limits, and pause it after failures.

The order is: the cached answer; one request for identical concurrent queries; the limit on concurrent requests; the
breaker; the budget per minute, day and month; the cost; the pause after a rate limit; and the request.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from verifier.search.base import Kind, Outcome, Provider, Query, SearchAnswer, may_be_limited
from verifier.search.guard.budget import Budget, Ceiling, Gate, failed
from verifier.search.guard.kept import from_text, key_of, to_text
from verifier.search.guard.limits import Limits, limits_for
from verifier.search.guard.shared import Shared
from verifier.settings import SearchSettings

_KEPT = frozenset({Outcome.ANSWERED, Outcome.EMPTY})
_LEAST = 1.0
"""Seconds that must be left for a request after a wait, to make it worthwhile."""
_FAIR = 2.0
"""A provider that had fewer seconds than this is not blamed for not answering."""


class Observer(Protocol):
    """The observer that counts queries."""

    def observe_query(self, provider: str, outcome: Outcome, seconds: float, cached: bool) -> None:
        """Count a finished query."""

    def breaker(self, provider: str, is_open: bool) -> None:
        """Note the state of a provider's breaker."""


class Guarded:
    """A provider with its limits enforced; itself a provider."""

    def __init__(
        self,
        provider: Provider,
        limits: Limits,
        shared: Shared,
        ceiling: Ceiling | None = None,
        observer: Observer | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Guard a provider.

        Args:
            provider: the provider to ask.
            limits: how often, and for how long.
            shared: keeps answers and counts, and tells the time.
            ceiling: limits on the month's cost.
            observer: counts queries, if given.
            sleep: waits for a number of seconds; an argument, so that tests need not wait.
        """
        self._provider, self._limits, self._shared = provider, limits, shared
        self._budget = Budget(provider.name, limits, ceiling or Ceiling(), shared)
        self._observer, self._sleep, self._clock = observer, sleep, shared.clock
        self._places = threading.BoundedSemaphore(limits.concurrent)
        self._flights: dict[str, Future[SearchAnswer]] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._provider.name

    @property
    def kind(self) -> Kind:
        """The kind of content that the provider searches."""
        return self._provider.kind

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        """Search as in `Provider`.

        `timeout` covers everything: waiting for a turn, the request, and asking again. One request gets at most the
        provider's own limit. OVER_BUDGET means that it was not asked; `detail` says why.
        """
        start = self._clock()
        words = " ".join(query.text.split()).casefold()
        key = key_of(self.name, words, query.limit, sorted(query.sites), query.language)
        answer = self._kept(key) or self._once(key, query, start + timeout)
        if self._observer:
            self._observer.observe_query(self.name, answer.outcome, max(0.0, self._clock() - start), answer.cached)
        return answer

    def _kept(self, key: str) -> SearchAnswer | None:
        kept = from_text(SearchAnswer, self._shared.answer(key), self._clock(), self._limits.keep)
        return replace(kept, cached=True) if kept else None

    def _once(self, key: str, query: Query, end: float) -> SearchAnswer:
        """Ask the provider, or wait for the answer if another thread is asking the same."""
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
        """Send one request when its turn comes, and report its outcome to the budget."""
        gate = self._turn(end)
        if gate.why:
            self._observe(gate.why.startswith("paused"))
            return SearchAnswer(Outcome.OVER_BUDGET, detail=gate.why)
        seconds = min(self._limits.timeout, end - self._clock())
        answer = self._provider.search(query, max(0.0, seconds))
        if answer.outcome is Outcome.NOT_ASKED:
            self._budget.give_back()
            self._observe(is_open=False)
            return answer
        self._budget.note(may_be_limited(answer, query))
        had_time = seconds >= min(_FAIR, self._limits.timeout)
        if had_time or not failed(answer) or answer.outcome is Outcome.RATE_LIMITED:
            self._observe(self._budget.settle(answer.outcome, gate.trial))
        else:
            if gate.trial:
                self._budget.release()
            self._observe(is_open=False)
        return answer

    def _turn(self, end: float) -> Gate:
        """Wait for a turn; return a closed gate if it would come too late."""
        while True:
            gate = self._budget.enter()
            if not gate.wait or self._clock() + gate.wait + _LEAST > end:
                return gate
            self._sleep(gate.wait)

    def _observe(self, is_open: bool) -> None:
        if self._observer:
            self._observer.breaker(self.name, is_open)


def guarded(
    providers: Iterable[Provider],
    settings: SearchSettings,
    observer: Observer | None = None,
    shared: Shared | None = None,
) -> tuple[Guarded, ...]:
    """Return every provider with its limits enforced.

    All share one cache and one set of budgets, by default those at `settings.cache_path`.
    """
    shared = shared or Shared(settings.cache_path)
    ceiling = Ceiling(settings.cost_warn, settings.cost_stop)
    return tuple(
        Guarded(provider, limits_for(provider.name, settings), shared, ceiling, observer) for provider in providers
    )
