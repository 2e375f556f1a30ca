"""Keep one provider's budget: how often it may be asked, the cost, and pauses.

All counts are in `Shared`, and every decision is one transaction there, so that all processes keep the limits together.
The breaker uses the same counts instead of a library: it must be shared too, and must not hold a lock during a request.

If the counts cannot be read, providers that charge per query are not asked, so that no fault creates a new budget.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from verifier.search.base import Outcome, SearchAnswer
from verifier.search.guard.boxes import Ledger
from verifier.search.guard.counted import Cost, Usage, use_key
from verifier.search.guard.limits import Limits
from verifier.search.guard.shared import Shared

_FAILED = frozenset({Outcome.UNREACHABLE, Outcome.RATE_LIMITED})
_UNREADABLE = (
    "what searches have cost this month cannot be read; if that stays, run: python -m verifier search-cache reset"
)
_TRIAL_SECONDS = 30.0
"""A trial that runs longer than this (its process died) no longer blocks other trials."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Monthly costs in units: one warns the user, one stops providers with a key."""

    warn: int = 100
    stop: int = 2_000


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the provider may be asked now: yes, on trial, no, or in `wait` seconds.

    `why` says why not.
    """

    why: str = ""
    wait: float = 0.0
    trial: bool = False


class Budget:
    """The budget of the provider called `name`."""

    def __init__(self, name: str, limits: Limits, ceiling: Ceiling, shared: Shared) -> None:
        """Take the limits; `shared` keeps the counts and tells the time."""
        self._name, self._limits, self._ceiling, self._shared = name, limits, ceiling, shared

    def enter(self) -> Gate:
        """Ask to make one request, which is counted if the gate is open."""
        gate, units = self._shared.change(self._enter)
        if self._limits.units and units >= self._ceiling.warn and not gate.why:
            self._shared.warn(
                f"searches have cost {self._ceiling.warn:,} units or more this month; at {self._ceiling.stop:,} the providers"
                " with a key are asked no more (VERIFIER_COST_WARN, VERIFIER_COST_STOP)"
            )
        return gate

    def _enter(self, ledger: Ledger) -> tuple[Gate, int]:
        now, limits = self._shared.clock(), self._limits
        usage, cost, month = self._now(ledger, now), Cost.read(ledger), _month(now)
        if limits.units and not (ledger.lasting and usage.known and cost.known):
            return Gate(_UNREADABLE), 0
        refused, trial = self._refusal(usage, cost.of(month), now)
        gate = Gate(refused) if refused else self._wait(usage, now)
        if gate.why:
            return gate, cost.of(month)
        replace(
            usage,
            recent=(*usage.recent, now)[-limits.calls :],
            today=usage.today + 1,
            this_month=usage.this_month + 1,
            trial_until=now + limits.timeout + _TRIAL_SECONDS if trial else 0.0,
        ).write(ledger, self._name)
        if limits.units:
            cost.plus(month, limits.units).write(ledger)
        return Gate(trial=trial), cost.of(month) + limits.units

    def _now(self, ledger: Ledger, now: float) -> Usage:
        """Return the counts of this day and month, without what a wrong clock wrote.

        A pause longer than any real pause was written by a clock that was ahead, so a trial may end it.
        """
        usage, limits = Usage.read(ledger, self._name).at(_day(now), _month(now)), self._limits
        pauses = max(limits.backoff, default=0.0)
        return replace(
            usage,
            recent=tuple(moment for moment in usage.recent if now - limits.window < moment <= now),
            open_until=usage.open_until if usage.open_until <= now + limits.cool_down else now,
            trial_until=usage.trial_until if usage.trial_until <= now + limits.timeout + _TRIAL_SECONDS else 0.0,
            not_before=usage.not_before if usage.not_before <= now + pauses else 0.0,
        )

    def _refusal(self, usage: Usage, cost: int, now: float) -> tuple[str, bool]:
        """Return why the provider may not be asked, and whether asking would be a trial."""
        limits = self._limits
        if usage.open_until > now or usage.trial_until > now:
            until = time.strftime("%H:%M", time.localtime(max(usage.open_until, usage.trial_until)))
            return f"paused until {until} after {usage.failures} failures", False
        if limits.per_day is not None and usage.today >= limits.per_day:
            return f"{limits.per_day:,} a day", False
        if limits.per_month is not None and usage.this_month >= limits.per_month:
            return f"{limits.per_month:,} a month", False
        if limits.units and cost + limits.units > self._ceiling.stop:
            return f"the month's {self._ceiling.stop:,} cost units are used up (VERIFIER_COST_STOP)", False
        return "", usage.open_until > 0

    def _wait(self, usage: Usage, now: float) -> Gate:
        """Keep the gate closed until the rate and the provider's last refusal allow another request."""
        limits = self._limits
        full = len(usage.recent) >= limits.calls
        free = usage.recent[-limits.calls] + limits.window if full else now
        if usage.not_before > max(now, free):
            return Gate(f"asked to slow down, resting for {usage.not_before - now:.0f} s", usage.not_before - now)
        return Gate(limits.rate, free - now) if free > now else Gate()

    def note(self, limited: bool) -> None:
        """Note after a request whether it hit a rate limit.

        If so, the next one waits, longer each time. Refusals of simultaneous requests count as one.
        """

        def change(ledger: Ledger) -> None:
            now = self._shared.clock()
            usage = self._now(ledger, now)
            if limited and usage.not_before > now:
                return
            count = usage.limited + 1 if limited else 0
            pause = (
                self._limits.backoff[min(count, len(self._limits.backoff)) - 1] if count and self._limits.backoff else 0
            )
            replace(usage, limited=count, not_before=float(now + pause) if pause else 0.0).write(ledger, self._name)

        self._shared.change(change)

    def settle(self, outcome: Outcome, trial: bool) -> bool:
        """Note the outcome of a search that asked the provider.

        Return whether the breaker is now open.
        """

        def change(ledger: Ledger) -> bool:
            now = self._shared.clock()
            usage = self._now(ledger, now)
            if outcome not in _FAILED:
                replace(usage, failures=0, open_until=0.0, trial_until=0.0).write(ledger, self._name)
                return False
            failures = usage.failures + 1
            opens = trial or (failures >= self._limits.failures and usage.open_until <= now)
            until = now + self._limits.cool_down if opens else usage.open_until
            held = 0.0 if trial else usage.trial_until
            replace(usage, failures=failures, open_until=until, trial_until=held).write(ledger, self._name)
            return until > now

        return self._shared.change(change)

    def give_back(self) -> None:
        """Uncount a request that was counted but not sent."""

        def change(ledger: Ledger) -> None:
            now = self._shared.clock()
            usage, cost = self._now(ledger, now), Cost.read(ledger)
            replace(
                usage,
                recent=usage.recent[:-1],
                today=max(0, usage.today - 1),
                this_month=max(0, usage.this_month - 1),
                trial_until=0.0,
            ).write(ledger, self._name)
            if self._limits.units and cost.known:
                cost.plus(_month(now), -self._limits.units).write(ledger)

        self._shared.change(change)

    def release(self) -> None:
        """Give up an inconclusive trial, so that the next search may try."""
        self._shared.change(
            lambda ledger: replace(Usage.read(ledger, self._name), trial_until=0.0).write(ledger, self._name)
        )


def failed(answer: SearchAnswer) -> bool:
    """Tell whether an answer counts against the provider."""
    return answer.outcome in _FAILED


def usages(shared: Shared) -> dict[str, Usage]:
    """Return the counts by provider name."""
    names = [key.removeprefix(use_key("")) for key in shared.counted() if key.startswith(use_key(""))]
    return shared.change(lambda ledger: {name: Usage.read(ledger, name) for name in names})


def cost_of_month(shared: Shared) -> int:
    """Return the units spent this month."""
    month = _month(shared.clock())
    return shared.change(lambda ledger: Cost.read(ledger).of(month))


def report(shared: Shared) -> Iterable[str]:
    """Yield the state of cache and budgets, one line each."""
    count, size = shared.sizes()
    now = shared.clock()
    yield f"{count} answers kept, {size / 1e6:.1f} MB"
    yield f"cost this month: {cost_of_month(shared):,} units"
    for name, usage in sorted(usages(shared).items()):
        usage = usage.at(_day(now), _month(now))
        rests = (
            time.strftime(", paused until %H:%M", time.localtime(usage.open_until)) if usage.open_until > now else ""
        )
        yield f"{name}: {usage.today:,} requests today, {usage.this_month:,} this month{rests}"
    yield from shared.warnings


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d")


def _month(now: float) -> str:
    return _day(now)[:7]
