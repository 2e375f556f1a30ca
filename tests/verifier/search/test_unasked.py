"""Which sources were not asked, and why, from what the stages of a real search report."""

from __future__ import annotations

import pytest

from verifier.missing import Missing, Unasked, Why
from verifier.provider_settings import ProviderSettings
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.staged import StagedSearch
from verifier.search.unasked import left_out, unasked
from verifier.settings import SearchSettings

KEYS = ProviderSettings(
    event_registry_key="k", newsapi_key="k", brave_key="k", serpapi_key="k", google_fact_check_key="k"
)
PAGE = SearchAnswer(Outcome.ANSWERED, (SearchResult("https://a.example/b", "A bridge", "A bridge was opened."),))


class Answers:
    """An engine that answers every query alike."""

    def __init__(self, name: str, answer: SearchAnswer, kind: Kind = Kind.WEB) -> None:
        self.name, self.kind, self._answer = name, kind, answer

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        return self._answer


def asked(
    *engines: Answers, chosen: ProviderSettings = KEYS, seconds: float = 5.0, relevant: int = 0
) -> dict[str, Why]:
    search = StagedSearch(engines, SearchSettings(backoff=()))
    reports = list(search.by_stages("A bridge was opened", ["bridge"], lambda: seconds, lambda: relevant))
    return {source.source: source.why for source in unasked(reports, [stage.name for stage in search.stages], chosen)}


def test_where_all_was_asked_nothing_is_named() -> None:
    checks = Answers("Checks", SearchAnswer(Outcome.EMPTY), Kind.FACT_CHECKS)
    assert asked(Answers("One", PAGE), checks) == {}
    assert unasked([], ["open web"], ProviderSettings()) == ()


def test_engines_without_a_key_or_switched_off_are_named() -> None:
    bare = ProviderSettings(duckduckgo=False, gdelt=False, brave_key="k")
    told = Missing(("a text",), tuple(left_out(bare))).told
    assert told.endswith(
        "Not asked: DuckDuckGo, GDELT (switched off); Event Registry, NewsAPI, SerpAPI, Google Fact Check (no key)."
    )
    assert list(left_out(KEYS)) == []


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome.OVER_BUDGET, Why.BUDGET),
        (Outcome.RATE_LIMITED, Why.REFUSED),
        (Outcome.NO_ANSWER, Why.NO_ANSWER),
        (Outcome.UNREACHABLE, Why.NO_NETWORK),
    ],
)
def test_an_engine_that_did_not_answer_is_named_with_the_reason(outcome: Outcome, why: Why) -> None:
    found = asked(Answers("Down", SearchAnswer(outcome)), Answers("Up", PAGE))
    assert found == {"Down": why}


def test_stages_without_a_turn_are_named_with_the_reason() -> None:
    assert asked(Answers("One", PAGE), seconds=0.0) == dict.fromkeys(
        ("trusted news", "fact-checkers", "open web"), Why.NO_TIME
    )
    offline = asked(Answers("One", SearchAnswer(Outcome.UNREACHABLE)))
    assert offline == dict.fromkeys(("fact-checkers", "open web", "One"), Why.NO_NETWORK)
    assert asked(Answers("One", PAGE), relevant=2) == {"open web": Why.SPARED}
    assert asked(Answers("Checks", PAGE, Kind.FACT_CHECKS))["open web"] is Why.NO_ENGINE


def test_the_line_tells_apart_what_was_not_asked_and_what_gave_no_answer() -> None:
    sources = (Unasked("open web", Why.NO_TIME), Unasked("GDELT", Why.REFUSED), Unasked("Brave", Why.NO_KEY))
    missing = Missing(("a text that names X", "a recent source"), sources)
    assert missing.told == (
        "Looked for and not found: a text that names X; a recent source. No answer from: GDELT (too many requests). "
        "Not asked: open web (no time left); Brave (no key)."
    )
    assert missing.askable and not Missing(("a text",), sources[2:]).askable
