"""Define watched claims: when each is checked again, its last result, and each change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from verifier.schema import Tier, Verdict, VerificationResult

NO_GRADE = "none"
"""The grade of a check where nothing was tested."""


class Every(StrEnum):
    """When to check a claim again: after each store refresh, and for some also regularly."""

    DAY = "day"
    WEEK = "week"
    REFRESH = "refresh"

    @property
    def period(self) -> timedelta | None:
        """How long a check counts without a store refresh; None if until the next."""
        return {"day": timedelta(days=1), "week": timedelta(weeks=1)}.get(self.value)

    @property
    def told(self) -> str:
        """When, in words."""
        return "after each refresh" + (f" and once a {self}" if self.period else "")


@dataclass(frozen=True, slots=True)
class Standing:
    """What a check said about a claim.

    `grade` is the tested level, "none" if nothing was tested, and "" for a check that did not know.
    """

    verdict: Verdict
    confidence: float
    tier: Tier
    grade: str = ""

    def differs(self, other: Standing) -> bool:
        """Return whether verdict, tier or grade differ.

        A claim left open has no confidence, and so no tier.
        """
        if self.verdict is not other.verdict:
            return True
        graded = bool(self.grade and other.grade and self.grade != other.grade)
        return graded or (self.tier is not other.tier and self.verdict is not Verdict.NOT_ENOUGH_EVIDENCE)


@dataclass(frozen=True, slots=True)
class Watched:
    """A watched claim. Times are UTC; `error` is the last check's, "" if it succeeded.

    `looked_at` and `standing` are from the last check that succeeded, None before the first. `session` is that check's
    id. `logged` is the id of the one in the log: the first, or the last that changed something.
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
        """Return whether to check it again; `refreshed`: the last store refresh, None for never."""
        if self.looked_at is None or self.error or (refreshed is not None and self.looked_at < refreshed):
            return True
        return self.every.period is not None and now - self.looked_at >= self.every.period


@dataclass(frozen=True, slots=True)
class Turn:
    """A change in what a check says about a watched claim.

    `session` is the later check's id, `told` are the reasons as text.
    """

    watched: int
    claim: str
    session: str
    at: datetime
    before: Standing
    after: Standing
    told: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A list's id, kept while its file exists, its start, and newest changes first."""

    id: str
    since: datetime
    turns: tuple[Turn, ...]


def standing_of(result: VerificationResult) -> Standing:
    """Extract from a result what is compared with the next one."""
    grade = NO_GRADE if result.grade is None else f"{result.grade.level:g}"
    return Standing(result.verdict, result.confidence, result.tier, grade)
