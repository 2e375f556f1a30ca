from __future__ import annotations

from kb.record import Origin
from verifier.search.base import Outcome
from verifier.search.reports import NO_TIME, Attempt, SearchStage, StageReport, WebAccount

NEWS = SearchStage("trusted news", ("reuters.com",), frozenset(), 8, Origin.WEB)
OPEN = SearchStage("open web", (), frozenset(), 8, Origin.WEB)


def report(stage: SearchStage, *ends: tuple[str, Outcome], idle: str = "") -> StageReport:
    return StageReport(stage, (), tuple(Attempt(stage.name, name, "q", end, 0, "") for name, end in ends), idle=idle)


def told(*reports: StageReport) -> str:
    account = WebAccount(20)
    for one in reports:
        account.note("The bridge opened", one)
    return account.told()


def test_a_search_that_was_answered_needs_no_warning() -> None:
    assert told() == ""
    assert told(report(NEWS, ("A", Outcome.ANSWERED)), report(OPEN, ("A", Outcome.EMPTY))) == ""


def test_where_nobody_answered_the_verdict_rests_on_the_store_and_it_says_who_was_asked() -> None:
    assert told(report(NEWS, ("A", Outcome.UNREACHABLE), ("B", Outcome.RATE_LIMITED))) == (
        "web search unavailable: A (unreachable) and B (rate-limited) did not answer; the verdict rests on the store alone"
    )


def test_several_stages_make_one_line_that_says_who_answered_and_who_did_not() -> None:
    line = told(
        report(NEWS, ("A", Outcome.NO_ANSWER), ("B", Outcome.ANSWERED)),
        report(OPEN, ("A", Outcome.NO_ANSWER), ("C", Outcome.RATE_LIMITED), ("B", Outcome.EMPTY)),
    )
    assert line == "a part of the web search failed: A (no answer) and C (rate-limited); B answered"


def test_an_end_of_the_time_is_told_as_such_and_never_as_a_web_that_nobody_reaches() -> None:
    answered = report(NEWS, ("A", Outcome.ANSWERED))
    assert told(answered, report(OPEN, idle=NO_TIME)) == (
        "the 20 s for searching the web were over before this was asked: open web"
    )


def test_a_part_that_nobody_searched_for_is_named() -> None:
    account = WebAccount(20)
    account.note("The bridge opened", report(NEWS, ("A", Outcome.ANSWERED)))
    account.note("The bridge sank", report(NEWS, idle=NO_TIME))
    assert account.told() == (
        "the 20 s for searching the web were over before this was asked: anything about “The bridge sank”"
    )


def test_without_an_engine_it_says_so() -> None:
    none = "no search engine for it is configured"
    assert told(report(NEWS, idle=none), report(OPEN, idle=none)) == (
        "web search unavailable: no search engine was asked, because no search engine for it is configured; "
        "the verdict rests on the store alone"
    )
