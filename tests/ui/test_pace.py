from __future__ import annotations

from ui.pace import Pace
from ui.trace import trace
from verifier.schema import Stage, Step

READ, FOUND, JUDGED = (
    Step(Stage.INTAKE, "read", 0.0),
    Step(Stage.RETRIEVE, "found", 1.0),
    Step(Stage.VERDICT, "judged", 4.0),
)


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert Pace().left([READ], web=True) is None
    assert "left" not in trace([READ], True, None)


def test_the_time_left_is_that_of_earlier_checks_from_the_same_stage_on() -> None:
    pace = Pace()
    for seconds in (4.0, 2.0, 60.0):
        pace.note([READ, FOUND, Step(Stage.VERDICT, "judged", seconds)], web=True)
    assert pace.left([], web=True) == 5.0
    assert pace.left([READ, FOUND], web=True) == 4.0
    assert pace.left([READ, FOUND, Step(Stage.PLAN, "a stage that no check had", 1.5)], web=True) == 2.5
    assert pace.left([READ, FOUND, Step(Stage.PLAN, "slow", 99.0)], web=True) == 0.0
    assert pace.left([READ], web=False) is None
    assert "about 4 s left" in trace([READ, FOUND], True, pace.left([READ, FOUND], True))
    assert "any moment now" in trace([READ, FOUND, JUDGED], True, pace.left([READ, FOUND, JUDGED], True))
