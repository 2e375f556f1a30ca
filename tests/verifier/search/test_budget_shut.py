"""What costs money is not asked while the counts of it cannot be read: no fault is a new budget."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.verifier.search.test_resilience import FOUND, FREE, QUERY, Clock, Scripted, guard, questions
from verifier.search.base import Outcome
from verifier.search.guard.budget import Ceiling, cost_of_month
from verifier.search.guard.limits import Limits
from verifier.search.guard.shared import Shared

PAID = Limits(calls=1_000, units=1)
STOP = Ceiling(warn=2, stop=3)
DAY = 86_400
_NUMBERS = itertools.count()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("verifier.search.guard.boxes._LOCK_SECONDS", 0.1)
    monkeypatch.setattr("verifier.search.guard.boxes._REST_SECONDS", 0.0)
    return tmp_path / "cache"


def counts(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "counts" / "cache.db", isolation_level=None)


def spend(shared: Shared, clock: Clock, times: int) -> list[Outcome]:
    asked = guard(Scripted(clock, FOUND), shared, PAID, STOP)
    return [asked.search(replace(QUERY, text=f"question {next(_NUMBERS)}"), 5).outcome for _ in range(times)]


def test_a_lock_shuts_the_paid_ones_only_as_long_as_it_lasts(folder: Path) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    assert spend(shared, clock, 2) == [Outcome.ANSWERED] * 2
    with counts(folder) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert spend(shared, clock, 2) == [Outcome.OVER_BUDGET] * 2
        free = guard(Scripted(clock, FOUND, name="Free"), shared, FREE)
        assert free.search(questions(7)[6], 5).outcome is Outcome.ANSWERED
        other.execute("ROLLBACK")
    assert spend(shared, clock, 2) == [Outcome.ANSWERED, Outcome.OVER_BUDGET]


@pytest.mark.parametrize("moment", ["before", "while open"])
def test_a_damaged_file_shuts_the_paid_ones(folder: Path, moment: str) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    spend(shared, clock, 1)
    if moment == "before":
        shared.close()
    for path in (folder / "counts").glob("cache.db*"):
        path.write_bytes(b"\x00garbage" * 2_000)
    if moment == "before":
        shared = Shared(folder, clock)
    assert spend(shared, clock, 1) == [Outcome.OVER_BUDGET]
    answer = guard(Scripted(clock, FOUND), shared, PAID, STOP).search(questions(99)[98], 5)
    assert "search-cache reset" in answer.detail
    assert guard(Scripted(clock, FOUND), shared, FREE).search(questions(98)[97], 5).outcome is Outcome.ANSWERED


@pytest.mark.parametrize("key", ["cost", "use:Scripted"])
def test_a_count_that_says_nothing_shuts_the_paid_ones(folder: Path, key: str) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    spend(shared, clock, 1)
    for mode, value in ((1, "no JSON"), (1, '{"units": "many"}'), (1, "[]"), (1, 7), (4, b"\x80\x04.")):
        with counts(folder) as planted:
            planted.execute("UPDATE Cache SET mode = ?, value = ? WHERE key = ?", (mode, value, key))
        assert spend(shared, clock, 2) == [Outcome.OVER_BUDGET] * 2, (mode, value)


def test_a_clock_set_back_and_forth_makes_no_new_budget(folder: Path) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    assert spend(shared, clock, 4) == [Outcome.ANSWERED] * 3 + [Outcome.OVER_BUDGET]
    for days in (40, -80, 40, 365 * 20, -365 * 20):
        clock.sleep(days * DAY)
        spend(shared, clock, 1)
    assert cost_of_month(shared) == 3
    assert spend(shared, clock, 1) == [Outcome.OVER_BUDGET]


def test_caps_of_a_provider_hold_through_a_clock_set_back_and_forth(folder: Path) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    asked = guard(Scripted(clock, FOUND), shared, Limits(calls=1_000, per_day=2, per_month=3))
    answers = []
    for number, days in enumerate((0, 0, 0, 1, 1, -2, 40, -40)):
        clock.sleep(days * DAY)
        answers.append(asked.search(questions(number + 1)[number], 5).outcome is Outcome.ANSWERED)
    assert answers == [True, True, False, True, False, False, True, False]


def test_counts_of_an_earlier_form_are_read(folder: Path) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    spend(shared, clock, 1)
    with counts(folder) as old:
        old.execute("UPDATE Cache SET value = ? WHERE key = 'cost'", ('{"month": "2026-05", "units": 2}',))
    assert cost_of_month(shared) == 2
    assert spend(shared, clock, 2) == [Outcome.ANSWERED, Outcome.OVER_BUDGET]


def test_a_damaged_file_of_answers_does_not_forget_the_counts(folder: Path) -> None:
    clock = Clock()
    shared = Shared(folder, clock)
    spend(shared, clock, 2)
    for path in (folder / "answers").glob("cache.db*"):
        path.write_bytes(b"\x00garbage" * 2_000)
    assert spend(shared, clock, 2) == [Outcome.ANSWERED, Outcome.OVER_BUDGET]


def test_processes_that_spend_at_once_stay_under_the_stop(folder: Path) -> None:
    clock = Clock()
    stop = Ceiling(warn=5, stop=20)
    done: list[Outcome] = []

    def spender(number: int) -> None:
        asked = guard(Scripted(clock, FOUND), Shared(folder, clock), PAID, stop)
        done.extend(asked.search(query, 5).outcome for query in questions(10 * number + 10)[-10:])

    threads = [threading.Thread(target=spender, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.count(Outcome.ANSWERED) <= 20 and len(done) == 40
