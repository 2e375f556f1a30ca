"""Name the sources that a web search missed, and why: not asked, or no answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verifier.schema.missing import Unasked, Why
from verifier.search.base import Outcome
from verifier.search.literature import asks_literature
from verifier.search.reports import DENIED, NO_ENGINE, NO_TIME, SearchStage, StageReport
from verifier.search.staged import StagedSearch
from verifier.settings.providers import ProviderSettings

_IDLE = {NO_TIME: Why.NO_TIME, NO_ENGINE: Why.NO_ENGINE, DENIED: Why.DENIED}
_FAILED = {
    Outcome.OVER_BUDGET: Why.BUDGET,
    Outcome.UNREACHABLE: Why.NO_NETWORK,
    Outcome.RATE_LIMITED: Why.REFUSED,
    Outcome.NO_ANSWER: Why.NO_ANSWER,
}
"""Uninformative outcomes -> why; the first of several counts, as later ones may be retries."""


def unasked(
    reports: Sequence[StageReport], search: StagedSearch, claims: Mapping[str, bool], chosen: ProviderSettings
) -> tuple[Unasked, ...]:
    """Name each unasked source once: stages, engines that did not answer, then those left out.

    Args:
        reports: the reports of the stages that were asked.
        search: the search that was asked; it decides which stages there are for a claim.
        claims: the claims searched for, and whether reference works are asked about each (see `Plan.lasting`).
        chosen: which engines may be asked.
    """
    if not reports:
        return ()
    stages = max((search.stages_for(claim) for claim in claims), key=len, default=())  # the longest contains all others
    lasting, literature = any(claims.values()), any(map(asks_literature, claims))
    found = (*_stages(reports, stages, lasting), *_engines(reports), *left_out(chosen, lasting, literature))
    return tuple({source.source: source for source in found}.values())


def left_out(chosen: ProviderSettings, reference: bool, literature: bool) -> Iterator[Unasked]:
    """Name the public engines that the settings leave out: switched off, or without a key.

    Crossref is never among them: it tells a refresh what was retracted, and finds nothing for a claim.

    Args:
        chosen: which engines may be asked.
        reference: whether reference works are asked about the claim.
        literature: whether the research literature is asked about it.
    """
    off = {
        "Wikipedia": chosen.wikipedia or not reference,
        "Wikidata": chosen.wikidata or not reference,
        "Europe PMC": chosen.europe_pmc or not literature,
        "OpenAlex": chosen.openalex or not literature,
        "DuckDuckGo": chosen.duckduckgo,
        "GDELT": chosen.gdelt,
    }
    yield from (Unasked(name, Why.OFF) for name, asked in off.items() if not asked)
    keys: Mapping[str, str] = {
        "Event Registry": chosen.event_registry_key,
        "NewsAPI": chosen.newsapi_key,
        "Brave": chosen.brave_key,
        "SerpAPI": chosen.serpapi_key,
        "Google Fact Check": chosen.google_fact_check_key,
    }
    yield from (Unasked(name, Why.NO_KEY) for name, key in keys.items() if not key)


def _stages(reports: Sequence[StageReport], stages: Sequence[SearchStage], lasting: bool) -> Iterator[Unasked]:
    """Yield stages that asked no engine in any round.

    The last report says why later ones had no turn.
    """
    asked = {report.stage.name for report in reports if report.attempts}
    idle = {report.stage.name: _IDLE[report.idle] for report in reports if report.idle in _IDLE}
    last = reports[-1]
    over = Why.NO_TIME if last.idle == NO_TIME else Why.NO_NETWORK if last.offline else Why.SPARED
    for stage in stages:
        if stage.name not in asked:
            passed_over = stage.reference and not lasting
            yield Unasked(stage.name, Why.PRESENT if passed_over else idle.get(stage.name, over))


def _engines(reports: Sequence[StageReport]) -> Iterator[Unasked]:
    """Yield engines that answered no query at all."""
    ends: dict[str, list[Outcome]] = {}
    for report in reports:
        for attempt in report.attempts:
            ends.setdefault(attempt.provider, []).append(attempt.outcome)
    for name, outcomes in ends.items():
        if not {Outcome.ANSWERED, Outcome.EMPTY} & {*outcomes}:
            yield from (Unasked(name, why) for why in [_FAILED[o] for o in outcomes if o in _FAILED][:1])
