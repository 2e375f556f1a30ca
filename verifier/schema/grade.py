"""The grade of a verdict.

It says how often verdicts given as surely were wrong, if that was tested.
"""

from __future__ import annotations

from dataclasses import dataclass

CERTAINTY = 0.95
"""Certainty that the share of wrong verdicts is at most the level of a grade."""
NOT_TESTED = "Not tested to hold"


@dataclass(frozen=True, slots=True)
class Grade:
    """A tested promise: of `n` verdicts given at least this surely, `errors` were wrong.

    `level` is the largest share of wrong ones that the test allows, 0 to 1; `bound` is the upper end of the exact
    one-sided interval for that share, which is no higher.
    """

    level: float
    n: int
    errors: int
    bound: float

    @property
    def told(self) -> str:
        """The promise in words; its level was tested, and holds whichever threshold the test chose."""
        was = "was" if self.errors == 1 else "were"
        return (
            f"Tested: of {self.n:,} claims decided this surely, {self.errors:,} {was} wrong "
            f"(at most {self.level:.0%} with {CERTAINTY:.0%} certainty)"
        )


def told(grade: Grade | None) -> str:
    """Say what was promised about a verdict, or that nothing was."""
    return grade.told if grade else NOT_TESTED
