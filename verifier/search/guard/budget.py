"""One provider's budget: how often it may be asked, what that costs, and when it is left alone.

All counts lie in `Shared`, and every decision is one transaction there, so that processes keep the limits together. The
breaker is made of the same counts rather than by a library: it has to be shared too, and must not hold a lock while a request
is under way.

Where the counts cannot be read, what is paid for by the query is not asked: no fault makes a new budget.
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
"""A trial request that has not ended by then (its process died) does not keep others from trying."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Units of a month's cost at which a user is warned, and at which no provider with a key is asked any more."""

    warn: int = 100
    stop: int = 2_000


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether the provider may be asked now: yes, yes as a trial, no, or not for `wait` seconds; `why` says why not."""

    why: str = ""
    wait: float = 0.0
    trial: bool = False


class Budget:
    """The budget of the provider called `name`."""

    def __init__(self, name: str, limits: Limits, ceiling: Ceiling, shared: Shared) -> None:
        """`shared` keeps the counts and tells the time."""
        self._name, self._limits, self._ceiling, self._shared = name, limits, ceiling, shared

    def enter(self) -> Gate:
        """Ask for one request; it is counted where the gate is open."""
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

        A pause that would last longer than any pause does was written by a clock that was ahead: a trial may end it.
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
        """Return why it may not be asked, and whether it would be asked on trial."""
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
        """Note after a request whether the provider refused it: the next one waits then, longer each time.

        Refusals of requests that were under way together are one.
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
        """Note how a search ended that did ask the provider; return whether the breaker is open now."""

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
        """Take a request back that was counted and not sent."""

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
        """Give up a trial that showed nothing of the provider, so that the next search may try."""
        self._shared.change(
            lambda ledger: replace(Usage.read(ledger, self._name), trial_until=0.0).write(ledger, self._name)
        )


def failed(answer: SearchAnswer) -> bool:
    """Tell whether an answer counts against the provider."""
    return answer.outcome in _FAILED


def usages(shared: Shared) -> dict[str, Usage]:
    """Return what is counted, by the provider's name."""
    names = [key.removeprefix(use_key("")) for key in shared.counted() if key.startswith(use_key(""))]
    return shared.change(lambda ledger: {name: Usage.read(ledger, name) for name in names})


def cost_of_month(shared: Shared) -> int:
    """Return the units spent this month."""
    month = _month(shared.clock())
    return shared.change(lambda ledger: Cost.read(ledger).of(month))


def report(shared: Shared) -> Iterable[str]:
    """Return the state of cache and budgets, a line each."""
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
