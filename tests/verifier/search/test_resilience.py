"""A provider behind its limits: what is asked, what is kept, and who is left alone."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from verifier.search.base import Kind, Outcome, Query, SearchAnswer, SearchResult
from verifier.search.engines.providers import configured
from verifier.search.guard.budget import Ceiling, report
from verifier.search.guard.limits import Limits, known, limits_for
from verifier.search.guard.resilience import Guarded, guarded
from verifier.search.guard.shared import Shared
from verifier.settings import SearchSettings
from verifier.settings.providers import ProviderSettings

ROOT = Path(__file__).parents[3]
QUERY = Query("The bridge opened", 8)
FREE = Limits(calls=1_000)
FOUND = SearchAnswer(
    Outcome.ANSWERED,
    (
        SearchResult(
            "https://news.example/a",
            "Bridge – opens",
            "It opened ☂ on Monday.",
            datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC),
            "News",
            "False",
            "It fell",
        ),
    ),
)
EMPTY = SearchAnswer(Outcome.EMPTY)
DOWN = SearchAnswer(Outcome.UNREACHABLE, detail="HTTP 500")
LIMITED = SearchAnswer(Outcome.RATE_LIMITED)


class Scripted:
    """A provider that gives its answers in order, then the last one for ever, and notes what it was asked and when."""

    kind = Kind.WEB

    def __init__(self, clock: Clock, *answers: SearchAnswer, name: str = "Scripted", takes: float = 0.0) -> None:
        self.name, self.takes = name, takes
        self.answers, self.clock = list(answers), clock
        self.asked, self.times, self.timeouts = list[Query](), list[float](), list[float]()

    def search(self, query: Query, timeout: float) -> SearchAnswer:
        self.asked.append(query)
        self.times.append(self.clock.now - self.clock.start)
        self.timeouts.append(timeout)
        if self.takes:
            time.sleep(self.takes)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Clock:
    """Time that passes only by sleeping. It begins at noon (UTC), so that a test can cross midnight where it wants to."""

    start = datetime(2026, 5, 20, 12, tzinfo=UTC).timestamp()

    def __init__(self) -> None:
        self.now = self.start

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shared(tmp_path: Path, clock: Clock) -> Shared:
    return Shared(tmp_path / "cache", clock)


def guard(provider: Scripted, shared: Shared, limits: Limits = FREE, ceiling: Ceiling | None = None) -> Guarded:
    return Guarded(provider, limits, shared, ceiling, sleep=provider.clock.sleep)


def questions(number: int) -> list[Query]:
    return [Query(f"question {position}", 8, ("a.example",)) for position in range(number)]


# Kept answers


def test_an_answer_is_kept_word_for_word_until_its_time_is_over(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared, replace(FREE, keep=3600))
    assert asked.search(QUERY, 5) == FOUND
    clock.sleep(3599)
    assert asked.search(QUERY, 5) == replace(FOUND, cached=True)
    clock.sleep(1)
    assert asked.search(QUERY, 5) == FOUND and len(provider.asked) == 2


@pytest.mark.parametrize("answer", [EMPTY, FOUND])
def test_found_and_nothing_found_are_kept(shared: Shared, clock: Clock, answer: SearchAnswer) -> None:
    provider = Scripted(clock, answer)
    first, second = (guard(provider, shared).search(QUERY, 5) for _ in range(2))
    assert (first.cached, second.cached, len(provider.asked)) == (False, True, 1)


@pytest.mark.parametrize("outcome", [Outcome.UNREACHABLE, Outcome.NO_ANSWER, Outcome.RATE_LIMITED])
def test_a_failure_is_never_kept(shared: Shared, clock: Clock, outcome: Outcome) -> None:
    provider = Scripted(clock, SearchAnswer(outcome), FOUND)
    query = replace(QUERY, sites=("a.example",))
    asked = guard(provider, shared, replace(FREE, backoff=()))
    assert [asked.search(query, 5).outcome for _ in range(2)] == [outcome, Outcome.ANSWERED]


@pytest.mark.parametrize(
    "other",
    [
        replace(QUERY, text="The bridge closed"),
        replace(QUERY, limit=5),
        replace(QUERY, sites=("a.example",)),
    ],
)
def test_another_question_is_asked_anew(shared: Shared, clock: Clock, other: Query) -> None:
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared)
    asked.search(QUERY, 5)
    assert not asked.search(other, 5).cached


def test_the_same_question_in_other_case_and_spacing_is_the_same(shared: Shared, clock: Clock) -> None:
    asked = guard(Scripted(clock, FOUND), shared)
    asked.search(replace(QUERY, sites=("a.example", "b.example")), 5)
    assert asked.search(Query(" the  BRIDGE opened\n", 8, ("b.example", "a.example")), 5).cached


def test_providers_do_not_answer_for_each_other(shared: Shared, clock: Clock) -> None:
    guard(Scripted(clock, FOUND, name="One"), shared).search(QUERY, 5)
    assert not guard(Scripted(clock, EMPTY, name="Two"), shared).search(QUERY, 5).cached


def test_the_same_question_from_many_threads_is_asked_once(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, FOUND, takes=0.2)
    asked, answers = guard(provider, shared), list[SearchAnswer]()
    threads = [threading.Thread(target=lambda: answers.append(asked.search(QUERY, 5))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(provider.asked) == 1 and {answer.results for answer in answers} == {FOUND.results}
    assert sum(not answer.cached for answer in answers) == 1


def test_no_more_requests_at_once_than_allowed(shared: Shared, clock: Clock) -> None:
    running, most = [0], [0]

    class Slow(Scripted):
        def search(self, query: Query, timeout: float) -> SearchAnswer:
            running[0] += 1
            most[0] = max(most[0], running[0])
            time.sleep(0.2)  # long enough for the others on a starved machine
            running[0] -= 1
            return FOUND

    asked = guard(Slow(clock, FOUND), shared, replace(FREE, concurrent=2))
    threads = [threading.Thread(target=asked.search, args=(query, 5)) for query in questions(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 2
    slow = guard(Scripted(clock, FOUND, takes=0.5), shared, replace(FREE, concurrent=1))
    first = threading.Thread(target=slow.search, args=(Query("first", 8), 5))
    first.start()
    time.sleep(0.1)
    refused = slow.search(Query("second", 8), 0.1)
    first.join()
    assert refused == SearchAnswer(Outcome.OVER_BUDGET, detail="1 at once")


# The breaker


def test_three_failures_in_a_row_open_the_breaker_and_one_trial_closes_it(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, DOWN, DOWN, DOWN, DOWN, FOUND)
    asked = guard(provider, shared)
    queries = questions(12)
    assert [asked.search(query, 5).outcome for query in queries[:3]] == [Outcome.UNREACHABLE] * 3
    refused = asked.search(queries[3], 5)
    until = time.strftime("%H:%M", time.localtime(clock.start + 600))
    assert refused == SearchAnswer(Outcome.OVER_BUDGET, detail=f"paused until {until} after 3 failures")
    clock.sleep(599)
    assert asked.search(queries[4], 5).outcome is Outcome.OVER_BUDGET and len(provider.asked) == 3
    clock.sleep(1)
    assert asked.search(queries[5], 5).outcome is Outcome.UNREACHABLE  # the trial fails: another pause
    assert asked.search(queries[6], 5).outcome is Outcome.OVER_BUDGET
    clock.sleep(600)
    assert [asked.search(query, 5).outcome for query in queries[7:]] == [Outcome.ANSWERED] * 5
    assert len(provider.asked) == 9


def test_while_one_tries_nobody_else_does(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, DOWN, DOWN, DOWN, FOUND)
    asked = guard(provider, shared)
    queries = questions(6)
    for query in queries[:3]:
        asked.search(query, 5)
    clock.sleep(600)
    provider.takes = 0.3
    trial = threading.Thread(target=asked.search, args=(queries[3], 5))
    trial.start()
    time.sleep(0.1)
    assert asked.search(queries[4], 5).detail.startswith("paused until")
    trial.join()
    assert asked.search(queries[5], 5).outcome is Outcome.ANSWERED


def test_an_answer_between_failures_keeps_the_breaker_closed(shared: Shared, clock: Clock) -> None:
    asked = guard(Scripted(clock, DOWN, DOWN, EMPTY, DOWN, DOWN, FOUND), shared)
    assert asked.search(questions(6)[5], 5).outcome is Outcome.UNREACHABLE
    assert Outcome.OVER_BUDGET not in [asked.search(query, 5).outcome for query in questions(5)]


def test_a_kept_answer_is_given_while_the_breaker_is_open(shared: Shared, clock: Clock) -> None:
    asked = guard(Scripted(clock, FOUND, DOWN), shared)
    asked.search(QUERY, 5)
    for query in questions(3):
        asked.search(query, 5)
    assert asked.search(questions(4)[3], 5).outcome is Outcome.OVER_BUDGET
    assert asked.search(QUERY, 5) == replace(FOUND, cached=True)


def test_who_was_given_no_time_is_not_blamed(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, DOWN)
    asked = guard(provider, shared)
    assert {asked.search(query, 0.5).outcome for query in questions(5)} == {Outcome.UNREACHABLE}
    assert len(provider.asked) == 5


def test_other_guards_over_the_same_folder_see_the_breaker(shared: Shared, tmp_path: Path, clock: Clock) -> None:
    provider = Scripted(clock, DOWN)
    for query in questions(3):
        guard(provider, shared).search(query, 5)
    other = guard(provider, Shared(tmp_path / "cache", clock))
    assert other.search(QUERY, 5).detail.startswith("paused until")


# Rates, caps and cost


def test_a_rate_is_kept_by_waiting_where_the_time_allows_it(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared, Limits(calls=1, window=5.0))
    outcomes = [asked.search(query, timeout) for query, timeout in zip(questions(3), (5, 10, 5), strict=True)]
    assert provider.times == [0, 5]
    assert outcomes[2] == SearchAnswer(Outcome.OVER_BUDGET, detail="1 in 5 s")


def test_the_window_of_a_rate_slides(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared, Limits(calls=3, window=60.0))
    for query in questions(20):
        asked.search(query, 5)
        clock.sleep(7)
    for moment in provider.times:
        assert sum(moment <= other < moment + 60 for other in provider.times) <= 3
    assert len(provider.asked) == 9  # three in each of the windows that begin at 0, 60 and 120


def test_no_wait_passes_the_time_given_and_a_request_gets_what_is_left(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared, Limits(calls=1, window=4.0, timeout=30.0))
    asked.search(questions(1)[0], 9)
    asked.search(questions(2)[1], 9)
    assert provider.timeouts == [9, 5] and clock.now - clock.start == 4


def test_one_request_gets_at_most_the_providers_own_time(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, FOUND)
    guard(provider, shared, replace(FREE, timeout=10.0)).search(QUERY, 40)
    assert provider.timeouts == [10]


@pytest.mark.parametrize(
    ("limits", "words", "wait"),
    [(Limits(per_day=2), "2 a day", 86_400), (Limits(per_month=2), "2 a month", 12 * 86_400)],
)
def test_caps_hold_until_the_day_or_the_month_is_over(
    shared: Shared, clock: Clock, limits: Limits, words: str, wait: float
) -> None:
    provider = Scripted(clock, FOUND)
    asked = guard(provider, shared, limits)
    queries = questions(4)
    for query in queries[:2]:
        assert asked.search(query, 5).outcome is Outcome.ANSWERED
    assert asked.search(queries[2], 5) == SearchAnswer(Outcome.OVER_BUDGET, detail=words)
    clock.sleep(wait)
    assert asked.search(queries[3], 5).outcome is Outcome.ANSWERED


def test_cost_is_counted_over_all_providers_warned_of_and_stopped(shared: Shared, clock: Clock) -> None:
    first, second = Scripted(clock, FOUND, name="First"), Scripted(clock, FOUND, name="Second")
    ceiling = Ceiling(warn=4, stop=7)
    one = guard(first, shared, replace(FREE, units=1), ceiling)
    three = guard(second, shared, replace(FREE, units=3), ceiling)
    free = guard(Scripted(clock, FOUND, name="Free"), shared, FREE, ceiling)
    queries = questions(9)
    assert one.search(queries[0], 5).outcome is Outcome.ANSWERED and not list(shared.warnings)
    assert three.search(queries[1], 5).outcome is Outcome.ANSWERED
    (warning,) = shared.warnings
    assert "4 units" in warning and "VERIFIER_COST_WARN" in warning
    assert three.search(queries[2], 5).outcome is Outcome.ANSWERED  # 7 units: the ceiling itself may be reached
    stopped = [guarded.search(queries[3], 5) for guarded in (one, three)]
    assert {answer.outcome for answer in stopped} == {Outcome.OVER_BUDGET} and "7 cost units" in stopped[0].detail
    assert free.search(queries[3], 5).outcome is Outcome.ANSWERED
    assert len(shared.warnings) == 1
    clock.sleep(12 * 86_400)
    assert one.search(queries[4], 5).outcome is Outcome.ANSWERED


def test_a_query_that_the_provider_did_not_send_costs_nothing_and_proves_nothing(shared: Shared, clock: Clock) -> None:
    unsent = SearchAnswer(Outcome.NOT_ASKED, detail="too short")
    provider = Scripted(clock, unsent, DOWN, DOWN, unsent, DOWN, unsent, FOUND)
    asked = guard(provider, shared, Limits(calls=1_000, per_day=4, units=1), Ceiling(stop=4))
    queries = questions(8)
    assert asked.search(queries[0], 5) == unsent
    for query in queries[1:5]:
        asked.search(query, 5)
    assert asked.search(queries[5], 5).detail.startswith("paused until")
    clock.sleep(600)
    assert asked.search(queries[5], 5) == unsent  # neither closes the breaker nor keeps the trial to itself
    assert asked.search(queries[6], 5) == FOUND
    assert asked.search(queries[7], 5).detail == "4 a day"
    assert "cost this month: 4 units" in list(report(shared))


# Rate limits


def test_after_a_rate_limit_the_next_query_waits_or_is_not_asked(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, LIMITED, LIMITED, FOUND)
    asked = guard(provider, shared)
    assert asked.search(QUERY, 2.5).outcome is Outcome.RATE_LIMITED and clock.now == clock.start
    assert asked.search(QUERY, 1).detail == "asked to slow down, resting for 2 s"
    assert asked.search(QUERY, 5).outcome is Outcome.RATE_LIMITED
    assert asked.search(QUERY, 10).outcome is Outcome.ANSWERED
    assert provider.times == [0, 2, 7]


def test_each_next_query_waits_longer_and_three_limits_open_the_breaker(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, LIMITED, LIMITED, LIMITED, FOUND)
    asked = guard(provider, shared)
    outcomes = [asked.search(query, 60).outcome for query in questions(4)]
    assert outcomes == [Outcome.RATE_LIMITED] * 3 + [Outcome.OVER_BUDGET]  # and after three in a row it rests
    assert provider.times == [0, 2, 7]


def test_refusals_of_queries_that_were_asked_together_are_one(shared: Shared, clock: Clock) -> None:
    provider = Scripted(clock, LIMITED, takes=0.2)
    asked = guard(provider, shared, replace(FREE, failures=100))
    threads = [threading.Thread(target=asked.search, args=(query, 60)) for query in questions(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    provider.takes = 0.0
    asked.search(QUERY, 60)
    assert provider.times == [0, 0, 2]


def test_a_provider_that_is_not_limited_is_asked_again_at_once(shared: Shared, clock: Clock) -> None:
    nothing = SearchAnswer(Outcome.NO_ANSWER)
    asked = guard(Scripted(clock, FOUND, DOWN, EMPTY, nothing), shared)
    for query in questions(6):  # with sites, "no answer" is the truth
        asked.search(query, 5)
    assert clock.now == clock.start
    for query in (QUERY, replace(QUERY, text="Without sites it may be a limit")):
        asked.search(query, 5)
    assert clock.now == clock.start + 2


# Processes


CHILD = """
import sys
from pathlib import Path
from verifier.search.base import Kind, Outcome, Query, SearchAnswer
from verifier.search.guard.limits import Limits
from verifier.search.guard.resilience import Guarded
from verifier.search.guard.shared import Shared

class Counting:
    name, kind, asked = "Counting", Kind.WEB, 0
    def search(self, query, timeout):
        self.asked += 1
        return SearchAnswer(Outcome.EMPTY)

provider = Counting()
guarded = Guarded(provider, Limits(calls=1000, per_day=50, units=1), Shared(Path(sys.argv[1])))
for position in range(40):
    guarded.search(Query(f"{sys.argv[2]} {position}", 8, ("a.example",)), 5)
print(provider.asked)
"""


def start(folder: Path, words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), words], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


def test_two_processes_at_once_keep_one_cap_and_a_third_asks_nothing_again(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    children = [start(folder, words) for words in ("left", "right")]
    asked = [int(child.communicate(timeout=60)[0]) for child in children]
    assert sum(asked) == 50 and min(asked) >= 10
    words = "left" if asked[0] == 40 else "right"
    again = start(folder, words)
    assert int(again.communicate(timeout=60)[0]) == 0
    lines = list(report(Shared(folder)))
    assert lines[0].startswith("50 answers kept") and "cost this month: 50 units" in lines
    assert "Counting: 50 requests today, 50 this month" in lines


# The table


def test_each_provider_has_its_limits(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, Callable[[Limits], bool]]] = [
        ("Google Fact Check", lambda limits: (limits.rate, limits.keep) == ("60 a minute", 48 * 3600)),
        ("YaCy", lambda limits: limits.timeout == 10 and not limits.units),
        ("GDELT", lambda limits: limits.rate == "1 in 5 s"),
        ("DuckDuckGo", lambda limits: limits.rate == "20 a minute" and limits.keep == 24 * 3600),
        ("NewsAPI", lambda limits: limits.per_day == 100 and limits.units == 1),
        ("Brave", lambda limits: limits.rate == "1 a second" and limits.units == 1),
        ("SerpAPI", lambda limits: limits.per_month == 100 and limits.units == 1),
        ("Event Registry", lambda limits: limits.per_month == 2_000 and limits.units == 1),
        ("Feeds", lambda limits: limits.keep == 900),
        ("Somebody else", lambda limits: limits == Limits()),
    ]
    for name, check in cases:
        with subtests.test(repr(name)[:80]):
            assert check(limits_for(name, SearchSettings()))


def test_no_provider_was_forgotten_and_those_with_a_price_have_units() -> None:
    address, key = "https://a.example", "key"
    chosen = ProviderSettings(
        yacy_url=address,
        searxng_url=address,
        event_registry_key=key,
        newsapi_key=key,
        brave_key=key,
        serpapi_key=key,
        google_fact_check_key=key,
        feeds=(address,),
    )
    settings = SearchSettings(providers=chosen)
    names = [provider.name for provider in configured(settings)]
    assert len(names) == 15 and all(known(name) for name in names)
    priced = {name for name in names if limits_for(name, settings).units}
    assert priced == {"Event Registry", "NewsAPI", "Brave", "SerpAPI"}


def test_the_settings_reach_the_limits(tmp_path: Path) -> None:
    settings = SearchSettings(cache_hours=1, cool_down=60, failures=2, backoff=(1,), timeout=8)
    limits = limits_for("DuckDuckGo", settings)
    assert (limits.keep, limits.cool_down, limits.failures, limits.backoff, limits.timeout) == (3600, 60, 2, (1,), 8)
    assert limits_for("Feeds", settings).keep == 900


def test_guarded_providers_share_one_cache_and_one_ceiling(tmp_path: Path, clock: Clock) -> None:
    settings = SearchSettings(cache_path=tmp_path / "cache", cost_warn=1, cost_stop=1)
    news, brave = guarded([Scripted(clock, FOUND, name="NewsAPI"), Scripted(clock, FOUND, name="Brave")], settings)
    assert (news.name, news.kind) == ("NewsAPI", Kind.WEB)
    assert news.search(QUERY, 5).outcome is Outcome.ANSWERED
    assert "VERIFIER_COST_STOP" in brave.search(QUERY, 5).detail
