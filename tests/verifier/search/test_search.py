from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from errors import FetchError
from kb.publishers.lists import DomainLists
from kb.publishers.rules import parse_line
from kb.record import Collection, Origin
from verifier.search.base import Kind, Outcome, Provider, Query, SearchAnswer, SearchResult
from verifier.search.engines.duckduckgo import DuckDuckGo
from verifier.search.pages import Page, PageReader, Reading
from verifier.search.reports import NO_TIME, StageReport, attempts_told
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
    answered = threading.Event()

    def silent(_: Request) -> Response:
        answered.wait(60)
        return Response("")

    engine.expect_request("/html/").respond_with_handler(silent)
    start = time.monotonic()
    assert DuckDuckGo().search(Query("anything", 8), 1).outcome is Outcome.UNREACHABLE
    assert time.monotonic() - start < 20
    answered.set()


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


QUERIES = ("The bridge opened", '"bridge" opened')


def staged(*providers: Provider, clock: Clock | None = None) -> StagedSearch:
    clock = clock or Clock()
    return StagedSearch(providers, SearchSettings(), sleep=clock.sleep, clock=clock)


def ask(search: StagedSearch, stage: int, queries: Sequence[str] = QUERIES, seconds: float = 60) -> StageReport:
    return search.ask(search.stages_for("The bridge opened")[stage], "The bridge opened", queries, seconds)


def outcomes(report: StageReport) -> list[tuple[str, Outcome]]:
    return [(attempt.provider, attempt.outcome) for attempt in report.attempts]


def test_trusted_news_then_fact_checkers_then_the_open_web() -> None:
    names = ("https://www.reuters.com/a", "https://www.snopes.com/b", "https://blog.example/c")
    provider = Scripted(*(found(url) for url in names))
    search = staged(provider)
    reports = [ask(search, n, QUERIES[:1]) for n in range(3)]
    assert [report.stage.name for report in reports] == ["trusted news", "fact-checkers", "open web"]
    assert [query.limit for query in provider.asked] == [8, 5, 8]
    assert {"reuters.com", "bbc.com"} <= set(provider.asked[0].sites) and "snopes.com" in provider.asked[1].sites
    assert provider.asked[2].text == "The bridge opened" and provider.asked[2].sites == ()
    items = [item for report in reports for item in report.items]
    assert [item.origin for item in items] == [Origin.WEB, Origin.FACT_CHECK, Origin.WEB]
    assert {item.collection for item in items} == {Collection.CURRENT}


def handed_over(*passages: str) -> SearchAnswer:
    result = SearchResult(
        "https://en.wikipedia.org/wiki/Bridge", "Bridge", "A bridge.", passages=passages, language="de"
    )
    return SearchAnswer(Outcome.ANSWERED, (result,))


def reached(search: StagedSearch, reference: str = "en", relevant: int = 0) -> list[StageReport]:
    return list(search.by_stages("The bridge opened", QUERIES, lambda: 60, lambda: relevant, reference))


class TestReferenceWorks:
    def test_all_are_asked_at_once_before_any_news_with_the_claim_in_its_language(self) -> None:
        first = named("A", Kind.REFERENCE, handed_over("It opened in 1962.", "It is long."))
        second, web = named("B", Kind.REFERENCE, handed_over("It has arches.")), named("W", Kind.WEB)
        reports = reached(staged(web, first, second), "de")
        assert [report.stage.name for report in reports][:2] == ["reference works", "trusted news"]
        assert first.asked == second.asked == [Query("The bridge opened", 5, language="de")]
        assert outcomes(reports[0]) == [("A", Outcome.ANSWERED), ("B", Outcome.ANSWERED)]
        assert all("de" != query.language for query in web.asked)

    def test_they_hand_over_their_words_and_no_page_is_fetched(self) -> None:
        def load(url: str, seconds: float) -> Page:
            raise AssertionError(f"{url} was fetched")

        wiki = named("A", Kind.REFERENCE, handed_over("It opened in 1962.", "It is long."))
        clock = Clock()
        search = StagedSearch([wiki], SearchSettings(), PageReader(load), sleep=clock.sleep, clock=clock)
        (report,) = reached(search)[:1]
        assert [item.text for item in report.items] == ["It opened in 1962.", "It is long."]
        assert {(item.source, item.language, item.extraction_failed) for item in report.items} == {
            ("https://en.wikipedia.org/wiki/Bridge", "de", False)
        }

    def test_they_are_left_out_where_the_claim_is_not_theirs_and_where_none_is_configured(self) -> None:
        wiki = named("A", Kind.REFERENCE)
        assert [report.stage.name for report in reached(staged(wiki, Scripted()), "")][0] == "trusted news"
        assert wiki.asked == []
        assert [stage.name for stage in staged(Scripted()).stages_for("The bridge opened")][0] == "trusted news"

    def test_a_refusal_is_not_repeated_and_none_of_them_ends_the_search(self) -> None:
        for outcome in (Outcome.RATE_LIMITED, Outcome.UNREACHABLE):
            wiki, clock = named("A", Kind.REFERENCE, *[SearchAnswer(outcome)] * 5), Clock()
            names = [r.stage.name for r in reached(staged(wiki, named("W", Kind.WEB, *[NOTHING] * 9), clock=clock))]
            assert len(wiki.asked) == 1 and clock.slept == [] and names[-1] == "open web"

    def test_a_reference_work_on_the_blocklist_is_not_read(self, tmp_path: Path) -> None:
        lists = DomainLists(tmp_path / "domains.csv")
        lists.add(parse_line("wikipedia.org", "deny"))
        wiki = named("A", Kind.REFERENCE, handed_over("It opened in 1962."))
        search = StagedSearch([wiki], SearchSettings(), publisher_of=lists.publisher_of)
        assert reached(search)[0].items == ()


class Slow(Scripted):
    """A provider that answers no query before four are asked."""

    together = threading.Barrier(4)

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        self.together.wait(60)
        return found("https://www.reuters.com/" + str(len(query.text)))


def test_the_queries_of_a_stage_run_at_once() -> None:
    report = ask(staged(Slow()), 2, [f"{n} bridges" * n for n in range(1, 5)])
    assert len(report.attempts) == 4


def named(name: str, kind: Kind, *answers: SearchAnswer) -> Scripted:
    provider = Scripted(*answers)
    provider.name, provider.kind = name, kind
    return provider


def test_providers_are_asked_in_order_until_one_has_results() -> None:
    first = named("A", Kind.WEB, SearchAnswer(Outcome.UNREACHABLE))
    second = named("B", Kind.NEWS, found("https://www.reuters.com/a"))
    third = named("C", Kind.WEB, found("https://www.reuters.com/b"))
    report = ask(staged(first, second, third), 0, QUERIES[:1])
    assert outcomes(report) == [("A", Outcome.UNREACHABLE), ("B", Outcome.ANSWERED)] and third.asked == []
    assert [attempt.provider for attempt in report.failed] == ["A"] and report.answered and not report.offline


def test_fact_checks_are_asked_beside_the_others_with_the_claim_and_no_sites() -> None:
    web = named("A", Kind.WEB, found("https://www.snopes.com/a"))
    checks = named("Checks", Kind.FACT_CHECKS, found("https://fullfact.org/b"))
    report = ask(staged(web, checks), 1)
    assert {name for name, _ in outcomes(report)} == {"A", "Checks"} and len(report.items) == 2
    assert [(query.text, query.sites) for query in checks.asked] == [("The bridge opened", ())]
    assert ask(staged(checks), 0).attempts == () and ask(staged(checks), 2).attempts == ()


def paying(*providers: Provider, **more: object) -> StagedSearch:
    """A search in which the engines whose names begin with "Paid" cost money."""
    clock = Clock()
    paid = [provider.name for provider in providers if provider.name.startswith("Paid")]
    settings = SearchSettings(**more)  # type: ignore[arg-type]
    return StagedSearch(providers, settings, sleep=clock.sleep, clock=clock, paid=paid)


NOTHING = SearchAnswer(Outcome.EMPTY)


def test_a_paid_engine_is_asked_only_where_the_whole_stage_has_no_result() -> None:
    free, paid = named("Free", Kind.WEB, NOTHING), named("Paid", Kind.WEB, found("https://www.snopes.com/b"))
    checks = named("Checks", Kind.FACT_CHECKS, found("https://fullfact.org/b"))
    assert outcomes(ask(paying(free, paid, checks), 1, QUERIES[:1])) == [
        ("Free", Outcome.EMPTY),
        ("Checks", Outcome.ANSWERED),
    ]
    free.answers = [NOTHING]
    assert outcomes(ask(paying(free, paid), 1, QUERIES[:1])) == [("Free", Outcome.EMPTY), ("Paid", Outcome.ANSWERED)]


def test_free_engines_that_find_nothing_lead_to_one_paid_engine_or_as_many_as_the_user_allows() -> None:
    def asked(**more: object) -> list[str]:
        engines = [named("Free", Kind.WEB, NOTHING), *(named(f"Paid {n}", Kind.WEB, NOTHING) for n in (1, 2, 3))]
        return [name for name, _ in outcomes(ask(paying(*engines, **more), 2, QUERIES[:1]))]

    assert asked() == ["Free", "Paid 1"]
    assert asked(paid_engines=2) == ["Free", "Paid 1", "Paid 2"]
    assert asked(paid_engines=0) == ["Free"]


def test_a_paid_engine_that_was_not_asked_leaves_its_place_to_the_next() -> None:
    spent = named("Paid 1", Kind.WEB, SearchAnswer(Outcome.OVER_BUDGET))
    report = ask(paying(spent, named("Paid 2", Kind.WEB, NOTHING), named("Paid 3", Kind.WEB, NOTHING)), 2, QUERIES[:1])
    assert [name for name, _ in outcomes(report)] == ["Paid 1", "Paid 2"]


def test_a_stage_that_asked_nobody_says_why() -> None:
    assert ask(staged(), 0).idle == "no search engine for it is configured"
    assert ask(staged(named("Checks", Kind.FACT_CHECKS)), 2).idle == "no search engine for it is configured"
    assert ask(staged(Scripted()), 0, seconds=0.1).idle == NO_TIME


def test_a_search_whose_time_is_over_says_what_it_did_not_ask() -> None:
    left = iter((60.0, 0.0))
    search = staged(Scripted(SearchAnswer(Outcome.EMPTY)))
    reports = list(search.by_stages("The bridge opened", QUERIES[:1], lambda: next(left), lambda: 0))
    assert [(report.stage.name, report.idle) for report in reports] == [
        ("trusted news", ""),
        ("fact-checkers", NO_TIME),
    ]


def test_a_rate_limit_is_waited_out_2_5_10_seconds_when_nobody_else_knows() -> None:
    limited, clock = SearchAnswer(Outcome.RATE_LIMITED), Clock()
    provider = Scripted(limited, limited, limited, found("https://www.reuters.com/a"))
    report = ask(staged(provider, clock=clock), 0, QUERIES[:1])
    assert [outcome for _, outcome in outcomes(report)] == [Outcome.RATE_LIMITED] * 3 + [Outcome.ANSWERED]
    assert clock.slept == [2, 5, 10]


def test_a_rate_limit_is_not_waited_out_where_another_provider_answered() -> None:
    clock = Clock()
    ask(
        staged(
            Scripted(SearchAnswer(Outcome.RATE_LIMITED)), named("B", Kind.WEB, SearchAnswer(Outcome.EMPTY)), clock=clock
        ),
        0,
    )
    assert clock.slept == []


def test_no_wait_ever_passes_the_deadline() -> None:
    clock = Clock()
    ask(staged(Scripted(*[SearchAnswer(Outcome.RATE_LIMITED)] * 20), clock=clock), 0, QUERIES[:1], 6)
    assert clock.now < 6


def test_a_provider_that_nobody_reaches_is_asked_once_a_stage_and_the_machine_counts_as_offline() -> None:
    report = ask(staged(Scripted(SearchAnswer(Outcome.UNREACHABLE, detail="DNSError"))), 0, QUERIES[:1])
    assert outcomes(report) == [("Scripted", Outcome.UNREACHABLE)] and report.offline and not report.answered


def test_no_answer_is_asked_again_on_the_open_web_only() -> None:
    assert len(ask(staged(Scripted()), 0, QUERIES[:1]).attempts) == 1
    assert len(ask(staged(Scripted()), 2, QUERIES[:1]).attempts) == 4


def test_pages_come_once_and_front_pages_not_at_all() -> None:
    pages = (
        "https://www.reuters.com/a?utm_source=x",
        "http://reuters.com/a/",
        "https://www.reuters.com",
        "https://www.bbc.com/news",
        "javascript:alert(1)",
    )
    report = ask(staged(Scripted(found(*pages))), 2, QUERIES[:1])
    assert [item.source for item in report.items] == ["https://www.reuters.com/a?utm_source=x"]


def test_denied_publishers_are_neither_asked_nor_read(tmp_path: Path) -> None:
    lists = DomainLists(tmp_path / "domains.csv")
    lists.add(parse_line("reuters.com", "deny"))
    provider = Scripted(found("https://www.reuters.com/a", "https://www.bbc.com/news/articles/a1b2c3"))
    clock = Clock()
    search = StagedSearch([provider], SearchSettings(), sleep=clock.sleep, clock=clock, publisher_of=lists.publisher_of)
    assert [item.source for item in ask(search, 0, QUERIES[:1]).items] == ["https://www.bbc.com/news/articles/a1b2c3"]
    assert provider.asked[0].sites == ("bbc.com", "apnews.com", "nytimes.com")
    for site in provider.asked[0].sites:
        lists.add(parse_line(site, "deny"))
    shut = ask(search, 0)
    assert shut.attempts == () and len(provider.asked) == 1
    assert shut.idle == "your list of domains denies all of its sites"


def test_a_long_claim_is_cut_for_the_query() -> None:
    provider = Scripted()
    ask(staged(provider), 0, ["word " * 400], 1)
    assert provider.asked and all(len(query.text) <= 300 for query in provider.asked)


def test_attempts_are_told_with_their_queries_and_how_they_ended() -> None:
    report = ask(staged(Scripted(found("https://www.reuters.com/a"), SearchAnswer(Outcome.EMPTY))), 0)
    told = list(attempts_told(report.attempts))
    assert told == [
        "Scripted: answered, 1 result, asked \u201cThe bridge opened\u201d",
        'Scripted: empty, asked \u201c"bridge" opened\u201d',
    ]


@dataclass(frozen=True)
class Article:
    """A page as the reader wants it."""

    text: str
    url: str = "https://www.reuters.com/world/bridge"
    title: str = "Bridge"
    published_at: datetime | None = None
    ratings: tuple[Check, ...] = ()
    is_article: bool = True


@dataclass(frozen=True)
class Check:
    claim: str
    rating: str


def reading(page: Article | FetchError, result: SearchResult | None = None) -> Reading:
    def load(url: str, seconds: float) -> Article:
        if isinstance(page, FetchError):
            raise page
        return page

    result = result or SearchResult("https://www.reuters.com/world/bridge", "Bridge", "A line of the engine.")
    return PageReader(load).read("The bridge opened in 1931", result, Origin.WEB, 5)


def test_of_a_page_the_passages_near_the_claim_are_kept_word_for_word() -> None:
    filler = "\n".join(f"Paragraph {n} is about cheese and nothing else at all." for n in range(30))
    items = reading(Article(f"{filler}\nThe bridge opened in 1931.\n{filler}")).items
    assert [item.text for item in items] == ["The bridge opened in 1931."] and not items[0].extraction_failed


def test_the_lines_of_the_engine_stand_in_for_a_page_that_cannot_be_had() -> None:
    found = reading(FetchError("https://www.reuters.com/world/bridge: HTTP 503"))
    assert "503" in found.failed and found.items[0].extraction_failed and found.items[0].text == "A line of the engine."


def test_a_page_that_is_no_article_proves_nothing() -> None:
    assert reading(Article("The bridge opened in 1931.", is_article=False)).items == ()


def test_markup_of_a_fact_checker_is_evidence_and_that_of_anybody_else_is_not() -> None:
    check = Check("The bridge opened in 1931", "False")
    rated = reading(Article("Some words.", url="https://www.snopes.com/fact-check/bridge", ratings=(check,))).items[0]
    assert rated.rating == "False" and rated.origin is Origin.FACT_CHECK
    assert rated.text == "Snopes rated the claim \u201cThe bridge opened in 1931\u201d: False."
    assert reading(Article("Some words.", url="https://blog.example/x/y", ratings=(check,))).items == ()


def test_what_is_still_being_fetched_at_the_end_of_the_time_counts_as_unread() -> None:
    searched = threading.Event()

    def load(url: str, seconds: float) -> Article:
        searched.wait(60)
        return Article("The bridge opened in 1931.")

    start = time.monotonic()
    search = StagedSearch([Scripted(found("https://www.reuters.com/a"))], SearchSettings(), PageReader(load))
    report = search.ask(search.stages_for("The bridge opened")[2], "The bridge opened", QUERIES[:1], 0.5)
    searched.set()
    assert time.monotonic() - start < 20 and report.read == 0 and "not read within the time" in report.unread[0]
    assert report.items[0].extraction_failed
