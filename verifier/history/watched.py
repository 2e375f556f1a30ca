"""The records of watched claims: when one is checked again, what the last check said, and each change of that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from verifier.schema import Tier, Verdict, VerificationResult

NO_GRADE = "none"
"""The grade of a check for which nothing was tested."""


class Every(StrEnum):
    """When a claim is checked again: after each refresh of the store, and for some also once in a while."""

    DAY = "day"
    WEEK = "week"
    REFRESH = "refresh"

    @property
    def period(self) -> timedelta | None:
        """How long a check counts where the store is not refreshed; None where it counts until then."""
        return {"day": timedelta(days=1), "week": timedelta(weeks=1)}.get(self.value)

    @property
    def told(self) -> str:
        """When, in words."""
        return "after each refresh" + (f" and once a {self}" if self.period else "")


@dataclass(frozen=True, slots=True)
class Standing:
    """What a check said of a claim; `grade` is the level that was tested, "none" where nothing was, and "" of a check that did not know."""

    verdict: Verdict
    confidence: float
    tier: Tier
    grade: str = ""

    def differs(self, other: Standing) -> bool:
        """Whether verdict, tier or grade are others. A claim that is left open has no confidence, and so no tier."""
        if self.verdict is not other.verdict:
            return True
        graded = bool(self.grade and other.grade and self.grade != other.grade)
        return graded or (self.tier is not other.tier and self.verdict is not Verdict.NOT_ENOUGH_EVIDENCE)


@dataclass(frozen=True, slots=True)
class Watched:
    """A claim that is watched. Times are UTC; `error` is of the last check, "" where that succeeded.

    `looked_at` and `standing` are of the last check that succeeded, None before the first; `session` is that check's id, and `logged`
    the id of the one that the log has: the first, or the last that changed something.
    """

    number: int
    claim: str
    every: Every
    web: bool
    since: datetime
    looked_at: datetime | None = None
    standing: Standing | None = None
    error: str = ""
    session: str = ""
    logged: str = ""

    def due(self, now: datetime, refreshed: datetime | None) -> bool:
        """Whether it is to be checked again; `refreshed` is when the store was last refreshed, None for never."""
        if self.looked_at is None or self.error or (refreshed is not None and self.looked_at < refreshed):
            return True
        return self.every.period is not None and now - self.looked_at >= self.every.period


@dataclass(frozen=True, slots=True)
class Turn:
    """A change of what a check says of a watched claim: `session` is the id of the later check, `told` are the reasons as text."""

    watched: int
    claim: str
    session: str
    at: datetime
    before: Standing
    after: Standing
    told: str


@dataclass(frozen=True, slots=True)
class Feed:
    """The id of the list, which it keeps as long as its file lives, when it began, and its newest changes first."""

    id: str
    since: datetime
    turns: tuple[Turn, ...]


def standing_of(result: VerificationResult) -> Standing:
    """Take from a result what is compared with the next one."""
    grade = NO_GRADE if result.grade is None else f"{result.grade.level:g}"
    return Standing(result.verdict, result.confidence, result.tier, grade)
