"""Which sources were not asked, and why, from what the stages of a real search report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier.schema.missing import Missing, Unasked, Why
from verifier.search.base import LANGUAGE, Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.staged import StagedSearch
from verifier.search.unasked import left_out, unasked
from verifier.settings import SearchSettings
from verifier.settings.providers import ProviderSettings

KEYS = ProviderSettings(
    event_registry_key="k", newsapi_key="k", brave_key="k", serpapi_key="k", google_fact_check_key="k"
)
VACCINES = "Vaccines cause autism in children"
PAGE = SearchAnswer(Outcome.ANSWERED, (SearchResult("https://a.example/b", "A bridge", "A bridge was opened."),))


class Answers:
    """An engine that answers every query alike."""

    def __init__(self, name: str, answer: SearchAnswer, kind: Kind = Kind.WEB) -> None:
        self.name, self.kind, self._answer = name, kind, answer

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        return self._answer


def asked(
    *engines: Answers,
    chosen: ProviderSettings = KEYS,
    seconds: float = 5.0,
    relevant: int = 0,
    claim: str = "A bridge was opened",
    lasting: bool = True,
) -> dict[str, Why]:
    search = StagedSearch(engines, SearchSettings(backoff=()))
    language = LANGUAGE if lasting else ""
    reports = list(search.by_stages(claim, ["bridge"], lambda: seconds, lambda: relevant, language))
    return {source.source: source.why for source in unasked(reports, search, {claim: lasting}, chosen)}


def test_where_all_was_asked_nothing_is_named() -> None:
    checks = Answers("Checks", SearchAnswer(Outcome.EMPTY), Kind.FACT_CHECKS)
    assert asked(Answers("One", PAGE), checks) == {}
    assert unasked([], StagedSearch((), SearchSettings()), {}, ProviderSettings()) == ()


def test_engines_without_a_key_or_switched_off_are_named() -> None:
    bare = ProviderSettings(wikidata=False, openalex=False, duckduckgo=False, gdelt=False, brave_key="k")
    told = Missing(("a text",), tuple(left_out(bare, True, True))).told
    assert told.endswith(
        "Not asked: Wikidata, OpenAlex, DuckDuckGo, GDELT (switched off); "
        "Event Registry, NewsAPI, SerpAPI, Google Fact Check (no key)."
    )
    assert list(left_out(KEYS, True, True)) == []


@pytest.mark.parametrize(
    ("claim", "lasting", "named"),
    [
        (VACCINES, True, {"Wikipedia", "Wikidata", "Europe PMC", "OpenAlex"}),
        (VACCINES, False, {"Europe PMC", "OpenAlex"}),
        ("A bridge was opened", True, {"Wikipedia", "Wikidata"}),
        ("A bridge was opened", False, set()),
    ],
)
def test_services_are_named_where_the_claim_would_be_asked_of_them(claim: str, lasting: bool, named: set[str]) -> None:
    bare = replace(KEYS, wikipedia=False, wikidata=False, europe_pmc=False, openalex=False, crossref=False)
    checks = Answers("Checks", SearchAnswer(Outcome.EMPTY), Kind.FACT_CHECKS)
    found = asked(Answers("One", PAGE), checks, chosen=bare, claim=claim, lasting=lasting)
    assert found == dict.fromkeys(named, Why.OFF)


def test_the_stages_are_those_of_the_claim() -> None:
    works = Answers("Works", SearchAnswer(Outcome.EMPTY), Kind.REFERENCE)
    papers = Answers("Papers", SearchAnswer(Outcome.EMPTY), Kind.LITERATURE)
    late = asked(works, papers, claim=VACCINES, seconds=0.0)
    assert list(late) == ["reference works", "the research literature", "trusted news", "fact-checkers", "open web"]
    assert "the research literature" not in asked(works, papers, seconds=0.0)
    checks = Answers("Checks", SearchAnswer(Outcome.EMPTY), Kind.FACT_CHECKS)
    present = asked(works, papers, Answers("One", PAGE), checks, claim=VACCINES, lasting=False)
    assert present == {"reference works": Why.PRESENT}


def test_a_claim_in_parts_has_the_stages_of_all_its_parts() -> None:
    papers = Answers("Papers", SearchAnswer(Outcome.EMPTY), Kind.LITERATURE)
    search = StagedSearch([papers, Answers("One", PAGE)], SearchSettings(backoff=()))
    reports = [
        *search.by_stages("A bridge was opened", ["bridge"], lambda: 5.0, lambda: 0),
        *search.by_stages(VACCINES, ["vaccines"], lambda: 0.0, lambda: 0),
    ]
    found = unasked(reports, search, {"A bridge was opened": True, VACCINES: True}, KEYS)
    assert found == (Unasked("the research literature", Why.NO_TIME),)


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
