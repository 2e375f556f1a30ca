"""What is counted, read back as Prometheus would read it."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from errors import DownloadCancelled, InputError
from kb.publishers.credibility import SourceType
from kb.record import Origin
from tests.verifier.search.test_resilience import DOWN, FOUND, QUERY, Clock, Scripted, questions
from verifier.schema import ClaimType, Evidence, Stage, Status, Step, Tier, Verdict, VerificationResult
from verifier.search.base import Outcome, Query
from verifier.search.guard.budget import report
from verifier.search.guard.limits import Limits
from verifier.search.guard.resilience import Guarded
from verifier.search.guard.shared import Shared
from verifier.serve.metrics import Metrics
from verifier.settings import SearchSettings, Settings
from verifier.settings.providers import ProviderSettings

PIECE = Evidence("text", "https://a.example/x", "", Origin.WEB, SourceType.NEWS, 0.8, "a.example", "a.example")
RESULT = VerificationResult(
    session_id="s",
    checked_at=datetime.now(UTC),
    original_claim="Secret claim",
    claim="Secret claim",
    claim_type=ClaimType.FACTUAL,
    type_reason="",
    verdict=Verdict.FALSE,
    confidence=0.9,
    tier=Tier.HIGH,
    status=Status.OK,
    reasoning="",
    evidence=(PIECE,),
    citations=(),
    steps=(Step(Stage.RETRIEVE, "", 0.03), Step(Stage.RETRIEVE, "", 0.3), Step(Stage.VERDICT, "", 0.001)),
    tool_calls=1,
    store_version=1,
    warnings=(),
)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


def values(metrics: Metrics) -> dict[str, float]:
    """Every sample, as name{label=value}."""
    samples = [
        sample for family in text_string_to_metric_families(metrics.text().decode()) for sample in family.samples
    ]
    return {
        sample.name
        + (
            "{" + ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items())) + "}"
            if sample.labels
            else ""
        ): (sample.value)
        for sample in samples
        if not sample.name.endswith("_created")
    }


def test_checks_are_counted_by_verdict_and_timed_with_their_stages(metrics: Metrics) -> None:
    metrics.check_done(RESULT, 0.7)
    metrics.check_done(replace(RESULT, verdict=Verdict.TRUE), 3)
    found = values(metrics)
    assert found["verifier_checks_total{verdict=False}"] == found["verifier_checks_total{verdict=True}"] == 1
    assert found["verifier_checks_total{verdict=Misleading}"] == 0
    assert found["verifier_check_seconds_count"] == 2 and found["verifier_check_seconds_sum"] == pytest.approx(3.7)
    assert found["verifier_stage_seconds_count{stage=retrieve}"] == 4
    assert found["verifier_stage_seconds_bucket{le=0.05,stage=retrieve}"] == 2


def test_matches_are_shares_of_the_checks_that_looked_for_evidence(metrics: Metrics) -> None:
    metrics.check_done(RESULT, 1)
    metrics.check_done(replace(RESULT, evidence=(replace(PIECE, rating="False", also=("b.example",)), PIECE)), 1)
    metrics.check_done(replace(RESULT, evidence=()), 1)
    metrics.check_done(replace(RESULT, claim_type=ClaimType.OPINION, evidence=()), 1)
    found = values(metrics)
    names = ("gathered", "evidence_matches", "fact_check_matches", "corroborated")
    assert [found[f"verifier_{name}_total"] for name in names] == [3, 2, 1, 1]


def test_errors_are_counted_by_kind_and_go_on(metrics: Metrics) -> None:
    errors: tuple[Exception, ...] = (
        InputError("the claim is empty"),
        DownloadCancelled("x"),
        type("Odd", (InputError,), {})("x"),
        ZeroDivisionError("a bug"),
    )
    for error in errors:
        with pytest.raises(type(error)), metrics.failures():
            raise error
    found = values(metrics)
    counted = {
        kind: found[f"verifier_errors_total{{kind={kind}}}"] for kind in ("InputError", "DownloadCancelled", "other")
    }
    assert counted == {"InputError": 2, "DownloadCancelled": 1, "other": 1}
    assert found["verifier_check_seconds_count"] == 4


def test_queries_hits_and_breakers_are_counted_where_they_happen(metrics: Metrics, tmp_path: Path) -> None:
    clock = Clock()
    provider = Scripted(clock, FOUND, DOWN, DOWN, DOWN, name="GDELT")
    asked = Guarded(provider, Limits(), Shared(tmp_path, clock), observer=metrics, sleep=clock.sleep)
    for query in (QUERY, QUERY, *questions(4)):
        asked.search(query, 5)
    found = values(metrics)
    assert found["verifier_queries_total{outcome=answered,provider=gdelt}"] == 2
    assert found["verifier_queries_total{outcome=unreachable,provider=gdelt}"] == 3
    assert found["verifier_queries_total{outcome=over budget,provider=gdelt}"] == 1
    assert found["verifier_cache_hits_total{provider=gdelt}"] == 1
    assert found["verifier_query_seconds_count{provider=gdelt}"] == 5
    assert found["verifier_breaker_open{provider=gdelt}"] == 1
    clock.sleep(600)
    provider.answers = [FOUND]
    asked.search(Query("later", 8), 5)
    assert values(metrics)["verifier_breaker_open{provider=gdelt}"] == 0


def test_no_label_is_open_and_no_claim_or_address_is_told(metrics: Metrics) -> None:
    metrics.check_done(RESULT, 1)
    for name in ("https://evil.example/", "x" * 10_000, "Secret claim"):
        metrics.observe_query(name, Outcome.EMPTY, 1, False)
        metrics.breaker(name, True)
    text = metrics.text().decode()
    assert 'provider="other"' in text and len(text) < 20_000
    assert not any(word in text for word in ("Secret", "example", "xxx", "/"))


def test_counts_from_many_threads_add_up_while_they_are_read(metrics: Metrics) -> None:
    def work() -> None:
        for _ in range(100):
            metrics.check_done(RESULT, 0.1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        found = values(metrics)
        assert found["verifier_evidence_matches_total"] == found["verifier_gathered_total"]
    assert values(metrics)["verifier_checks_total{verdict=False}"] == 400


def test_two_sets_of_counts_do_not_mix(metrics: Metrics) -> None:
    metrics.check_done(RESULT, 1)
    assert values(Metrics())["verifier_check_seconds_count"] == 0


def test_a_check_counts_the_queries_that_it_sends(
    metrics: Metrics, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo

    from verifier.serve.checker import Checker

    monkeypatch.setattr(Duckduckgo, "search_url", "http://127.0.0.1:9/html/")
    engines = ProviderSettings(wikipedia=False, wikidata=False, europe_pmc=False, openalex=False)
    own = replace(settings, web=True, search=SearchSettings(cache_path=tmp_path / "cache", providers=engines))
    checker = Checker(own, metrics=metrics)
    result = checker.verify("The Zorvath bridge in Quellin was opened in 1931")
    checker.close()
    assert "web search unavailable" in " ".join(result.warnings)
    found = values(metrics)
    asked = found["verifier_queries_total{outcome=unreachable,provider=duckduckgo}"]
    assert asked >= 1 and found["verifier_breaker_open{provider=duckduckgo}"] == (asked >= 3)
    assert f"DuckDuckGo: {asked:.0f} requests today, {asked:.0f} this month" in "\n".join(
        report(Shared(tmp_path / "cache"))
    )
    assert found["verifier_kb_records"] > 900 and found["verifier_stage_seconds_count{stage=search}"] >= 1
