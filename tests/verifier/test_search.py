from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from kb.record import Collection, NewEvidence, Origin
from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.duckduckgo import DuckDuckGo
from verifier.search.staged import StagedSearch
from verifier.settings import SearchSettings

RESULT = """<div class="result results_links"><div class="links_main result__body">
<h2 class="result__title"><a class="result__a" href="{url}">{title}</a></h2>
<a class="result__snippet" href="{url}">{snippet}</a></div></div>"""


@pytest.fixture
def engine(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPServer]:
    """DuckDuckGo's HTML page, served on loopback to the real client."""
    from ddgs.engines.duckduckgo import Duckduckgo

    monkeypatch.setattr(Duckduckgo, "search_url", httpserver.url_for("/html/"))
    yield httpserver


def test_results_are_read_from_the_real_page_format(engine: HTTPServer) -> None:
    page = RESULT.format(
        url="https://www.reuters.com/world/bridge", title="Bridge <b>opens</b>", snippet="It opened on Monday."
    )
    engine.expect_request("/html/", method="POST").respond_with_data(
        f"<html><body>{page}</body></html>", content_type="text/html"
    )
    answer = DuckDuckGo().search(Query("the bridge", 8), 5)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.results[0].url == "https://www.reuters.com/world/bridge"
    assert "opens" in answer.results[0].title and "It opened on Monday." in answer.results[0].snippet
    request, _ = engine.log[0]
    assert request.form["q"] == "the bridge"


@pytest.mark.parametrize("status", [200, 202, 403, 429, 500])
def test_an_empty_page_and_a_refusal_are_no_answer_never_no_evidence(engine: HTTPServer, status: int) -> None:
    engine.expect_request("/html/").respond_with_data(
        "<html><body></body></html>", status=status, content_type="text/html"
    )
    assert DuckDuckGo().search(Query("anything", 8), 5).outcome is Outcome.NO_ANSWER


def test_nobody_there_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    from ddgs.engines.duckduckgo import Duckduckgo

    monkeypatch.setattr(Duckduckgo, "search_url", "http://127.0.0.1:9/html/")
    answer = DuckDuckGo().search(Query("anything", 8), 2)
    assert answer.outcome is Outcome.UNREACHABLE and answer.detail


def test_a_silent_server_is_unreachable_within_the_timeout(engine: HTTPServer) -> None:
    import time

    def silent(_: Request) -> Response:
        time.sleep(3)
        return Response("")

    engine.expect_request("/html/").respond_with_handler(silent)
    start = time.monotonic()
    assert DuckDuckGo().search(Query("anything", 8), 1).outcome is Outcome.UNREACHABLE
    assert time.monotonic() - start < 2.9


class Scripted:
    """A provider that gives its answers in order, and notes what it was asked."""

    name, kind = "Scripted", Kind.WEB

    def __init__(self, *answers: SearchAnswer) -> None:
        self.answers, self.asked = list(answers), list[Query]()

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        self.asked.append(query)
        return self.answers.pop(0) if self.answers else SearchAnswer(Outcome.NO_ANSWER)


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def found(*urls: str) -> SearchAnswer:
    return SearchAnswer(Outcome.ANSWERED, tuple(SearchResult(url, f"Title of {url}", f"Text of {url}") for url in urls))


def run(
    provider: Scripted, clock: Clock, relevant: int = 0, deadline: float = 60
) -> tuple[list[NewEvidence], list[Outcome]]:
    search = StagedSearch(provider, SearchSettings(deadline=deadline), clock.sleep, clock)
    report = search.run("The bridge opened", lambda items: relevant, 60)
    return list(report.items), [attempt.outcome for attempt in report.attempts]


def test_trusted_news_then_fact_checkers_then_the_open_web() -> None:
    provider, clock = (
        Scripted(
            found("https://www.reuters.com/a"), found("https://www.snopes.com/b"), found("https://blog.example/c")
        ),
        Clock(),
    )
    items, outcomes = run(provider, clock)
    assert outcomes == [Outcome.ANSWERED] * 3 and clock.slept == [2, 2]
    assert [query.limit for query in provider.asked] == [8, 5, 8]
    assert {"reuters.com", "bbc.com"} <= set(provider.asked[0].sites) and "snopes.com" in provider.asked[1].sites
    assert provider.asked[2].text == "The bridge opened" and provider.asked[2].sites == ()
    assert [item.origin for item in items] == [Origin.WEB, Origin.FACT_CHECK, Origin.WEB]
    assert {item.collection for item in items} == {Collection.CURRENT}


def test_the_open_web_is_spared_when_two_relevant_pieces_were_found() -> None:
    provider = Scripted(
        found("https://www.reuters.com/a"), found("https://www.snopes.com/b"), found("https://blog.example/c")
    )
    assert len(run(provider, Clock(), relevant=2)[1]) == 2


def test_a_rate_limit_is_waited_out_2_5_10_seconds() -> None:
    limited = SearchAnswer(Outcome.RATE_LIMITED)
    provider, clock = Scripted(limited, limited, limited, found("https://www.reuters.com/a")), Clock()
    _, outcomes = run(provider, clock, relevant=2)
    assert outcomes[:4] == [Outcome.RATE_LIMITED] * 3 + [Outcome.ANSWERED]
    assert clock.slept[:3] == [2, 5, 10]


def test_no_wait_ever_passes_the_deadline() -> None:
    provider, clock = Scripted(*[SearchAnswer(Outcome.RATE_LIMITED)] * 20), Clock()
    run(provider, clock, deadline=6)
    assert clock.now < 6


def test_an_unreachable_web_is_asked_once() -> None:
    provider = Scripted(SearchAnswer(Outcome.UNREACHABLE, detail="DNSError"))
    items, outcomes = run(provider, Clock())
    assert items == [] and outcomes == [Outcome.UNREACHABLE]


def test_no_answer_is_retried_on_the_open_web_only() -> None:
    clock = Clock()
    _, outcomes = run(Scripted(), clock)
    assert len(outcomes) == 2 + 4


def test_pages_come_once_and_front_pages_not_at_all() -> None:
    pages = (
        "https://www.reuters.com/a?utm_source=x",
        "http://reuters.com/a/",
        "https://www.reuters.com",
        "https://www.bbc.com/news",
        "javascript:alert(1)",
    )
    items, _ = run(Scripted(found(*pages)), Clock())
    assert [item.source for item in items] == ["https://www.reuters.com/a?utm_source=x"]


def test_a_long_claim_is_cut_for_the_query() -> None:
    provider = Scripted()
    StagedSearch(provider, SearchSettings(deadline=1), lambda seconds: None).run("word " * 400, lambda items: 0, 1)
    assert all(len(query.text) <= 300 for query in provider.asked)
