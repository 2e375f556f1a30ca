"""The grade of a verdict: how often verdicts that were given as surely were wrong, where that was tested."""

from __future__ import annotations

from dataclasses import dataclass

CERTAINTY = 0.95
"""How certain a grade is that at most its level of all such verdicts are wrong."""
NOT_TESTED = "Not tested to hold"


@dataclass(frozen=True, slots=True)
class Grade:
    """A tested promise: of `n` verdicts given at least this surely, `errors` were wrong.

    `level` is the share of wrong ones that the test allows at most, 0 to 1; `bound` is the upper end of the exact one-sided
    interval for that share, which is no higher.
    """

    level: float
    n: int
    errors: int
    bound: float

    @property
    def told(self) -> str:
        """The promise in words; its level is what was tested, and holds whichever threshold was chosen by the test."""
        was = "was" if self.errors == 1 else "were"
        return (
            f"Tested: of {self.n:,} claims decided this surely, {self.errors:,} {was} wrong "
            f"(at most {self.level:.0%} with {CERTAINTY:.0%} certainty)"
        )


def told(grade: Grade | None) -> str:
    """Say what was promised of a verdict, or that nothing was."""
    return grade.told if grade else NOT_TESTED
