"""Name the sources that a web search did not ask, or that did not answer, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verifier.missing import Unasked, Why
from verifier.provider_settings import ProviderSettings
from verifier.search.base import Outcome
from verifier.search.reports import DENIED, NO_ENGINE, NO_TIME, StageReport

_IDLE = {NO_TIME: Why.NO_TIME, NO_ENGINE: Why.NO_ENGINE, DENIED: Why.DENIED}
_FAILED = {
    Outcome.OVER_BUDGET: Why.BUDGET,
    Outcome.UNREACHABLE: Why.NO_NETWORK,
    Outcome.RATE_LIMITED: Why.REFUSED,
    Outcome.NO_ANSWER: Why.NO_ANSWER,
}
"""How a query ends that says nothing about the world -> why. Of several the first counts: a later one may be a second try."""


def unasked(reports: Sequence[StageReport], stages: Sequence[str], chosen: ProviderSettings) -> tuple[Unasked, ...]:
    """Name what was not asked, each source once: stages, then engines that did not answer, then those without a key.

    Args:
        reports: what the stages did that were asked.
        stages: the names of all stages, in their order.
        chosen: which engines may be asked.
    """
    if not reports:
        return ()
    found = (*_stages(reports, stages), *_engines(reports), *left_out(chosen))
    return tuple({source.source: source for source in found}.values())


def left_out(chosen: ProviderSettings) -> Iterator[Unasked]:
    """Name the public engines that the settings leave out: switched off, or without a key."""
    off = (("DuckDuckGo", chosen.duckduckgo), ("GDELT", chosen.gdelt))
    yield from (Unasked(name, Why.OFF) for name, on in off if not on)
    keys: Mapping[str, str] = {
        "Event Registry": chosen.event_registry_key,
        "NewsAPI": chosen.newsapi_key,
        "Brave": chosen.brave_key,
        "SerpAPI": chosen.serpapi_key,
        "Google Fact Check": chosen.google_fact_check_key,
    }
    yield from (Unasked(name, Why.NO_KEY) for name, key in keys.items() if not key)


def _stages(reports: Sequence[StageReport], stages: Sequence[str]) -> Iterator[Unasked]:
    """Stages that asked no engine in any round; the last report says why those after it had no turn."""
    asked = {report.stage.name for report in reports if report.attempts}
    idle = {report.stage.name: _IDLE[report.idle] for report in reports if report.idle in _IDLE}
    last = reports[-1]
    over = Why.NO_TIME if last.idle == NO_TIME else Why.NO_NETWORK if last.offline else Why.SPARED
    for stage in stages:
        if stage not in asked:
            yield Unasked(stage, idle.get(stage, over))


def _engines(reports: Sequence[StageReport]) -> Iterator[Unasked]:
    """Engines that answered no query at all."""
    ends: dict[str, list[Outcome]] = {}
    for report in reports:
        for attempt in report.attempts:
            ends.setdefault(attempt.provider, []).append(attempt.outcome)
    for name, outcomes in ends.items():
        if not {Outcome.ANSWERED, Outcome.EMPTY} & {*outcomes}:
            yield from (Unasked(name, why) for why in [_FAILED[o] for o in outcomes if o in _FAILED][:1])
