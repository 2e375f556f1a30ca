from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from verifier.check import trace
from verifier.check.trace import Trace, merged
from verifier.schema import Stage, Step


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the clock of the trace on."""
    clock = [1000.0]
    monkeypatch.setattr(trace, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def move(seconds: float) -> None:
        clock[0] += seconds

    return move


def test_a_step_takes_the_time_since_the_one_before(wait: Callable[[float], None]) -> None:
    made = Trace(60)
    wait(1.5)
    first = made.step(Stage.INTAKE, "cleaned")
    wait(0.25)
    second = made.step(Stage.CLASSIFY, "classified")
    third = made.step(Stage.PLAN, "planned")
    assert first == Step(Stage.INTAKE, "cleaned", 1.5)
    assert (second.seconds, third.seconds) == (0.25, 0.0)
    assert made.steps == [first, second, third]


def test_times_of_steps_add_up_to_the_time_of_the_check(wait: Callable[[float], None]) -> None:
    made = Trace(60)
    for seconds in (0.1, 0.2, 0.4):
        wait(seconds)
        made.step(Stage.RETRIEVE, "found")
    assert sum(step.seconds for step in made.steps) == pytest.approx(0.7) == pytest.approx(60 - made.left)


def test_seconds_have_four_decimals(wait: Callable[[float], None]) -> None:
    made = Trace(60)
    wait(0.123456)
    assert made.step(Stage.STORE, "stored").seconds == 0.1235


def test_the_time_left_runs_from_the_deadline_to_below_zero_whatever_the_steps(wait: Callable[[float], None]) -> None:
    made = Trace(10)
    assert made.left == 10
    wait(4)
    made.step(Stage.SEARCH, "searched")
    assert made.left == 6
    wait(7)
    assert made.left == -1


def test_a_warning_is_noted_once_and_warnings_keep_their_order() -> None:
    made = Trace(60)
    for warning in ("no web", "no time", "no web"):
        made.warn(warning)
    assert made.warnings == ["no web", "no time"]


def test_two_checks_share_nothing() -> None:
    first, second = Trace(60), Trace(60)
    first.warn("no web")
    first.step(Stage.PLAN, "planned")
    first.tool_calls += 1
    assert (second.steps, second.warnings, second.tool_calls) == ([], [], 0)


def test_the_last_warning_on_a_subject_stands_in_the_place_of_the_first() -> None:
    made = Trace(60)
    made.warn("A failed", "web")
    made.warn("something else")
    made.warn("A and B failed", "web")
    assert made.warnings == ["A and B failed", "something else"]


NEEDS = "a verdict needs two independent sources"


@pytest.mark.parametrize(
    ("lines", "one"),
    [
        (["the sources contradict each other"] * 2, ["the sources contradict each other"]),
        (
            [
                f"a single source takes a side (a.example); {NEEDS}",
                f"a single source takes a side (b.example); {NEEDS}",
            ],
            [f"a single source takes a side (a.example and b.example); {NEEDS}"],
        ),
        (
            [f"one of them ({name}) could not be read in time" for name in "abc"],
            ["one of them (a, b and c) could not be read in time"],
        ),
        (["one source decides alone", "the sources contradict each other"],) * 2,
    ],
)
def test_lines_that_differ_in_one_place_become_one(lines: list[str], one: list[str]) -> None:
    assert list(merged(lines)) == one
