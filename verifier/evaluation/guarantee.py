"""Run `evaluate --guarantee`: test how confident verdicts must be to keep an error level.

For a level, thresholds of confidence are tested from the strictest down, and the first failure ends it; the loosest
that passed is the grade. Each test asks whether the share of wrong verdicts among those at least so confident is above
the level, by the exact binomial distribution (Clopper and Pearson, Biometrika 1934). Since the order is fixed
beforehand, all tests together are wrong with a probability of 5% at most: fixed-sequence testing, as in "Learn then
Test" (Angelopoulos, Bates, Candes, Jordan and Lei, 2021). Thresholds that too few verdicts reach to pass with a usual
error are left out before the first test. How many reach one depends only on confidences, not on whether verdicts are
right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from verifier.evaluation.measures import Row
from verifier.judgement.grades import Grades, Kind, Passed, Running, checksum_of, kind_of
from verifier.schema import VerificationResult
from verifier.schema.grade import CERTAINTY, Grade

THRESHOLDS = tuple(round(0.99 - step / 100, 2) for step in range(50))
"""0.99 to 0.50, in test order; fixed before anything was measured."""
FEWEST = 15
"""Testing begins where FEWEST / level verdicts are as confident: 300 for 5%, 8 of which may be wrong; 150 for 10%."""

Judged = tuple[Row, VerificationResult | None]


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict that takes a side: what it rests on, its confidence, whether wrong."""

    kind: Kind
    confidence: float
    wrong: bool


def decided_of(judged: Sequence[Judged]) -> list[Decided]:
    """Select the verdicts that count (True, False, Partially True, Misleading).

    One is wrong if another was expected.
    """
    return [
        Decided(kind_of(result.evidence), row.confidence, not row.correct)
        for row, result in judged
        if result and row.decided
    ]


def grades_of(verdicts: Sequence[Decided], levels: Sequence[float], running: Running, claims: Sequence[Path]) -> Grades:
    """Test each level on each kind of evidence separately and on all together.

    Args:
        verdicts: of claims that were not used to choose anything tested.
        levels: shares of wrong verdicts, 0 to 1.
        running: what the verdicts were made with.
        claims: the files that the claims are from.
    """
    tested = []
    for kind in Kind:
        some = [each for each in verdicts if kind in {each.kind, Kind.ALL}]
        for level in sorted(levels):
            found = loosest(some, level)
            if found:
                tested.append(Passed(kind, found[0], len(some), found[1]))
    names = {path.name: checksum_of(path) for path in claims}
    return Grades(datetime.now(UTC).date(), running, names, tuple(tested))


def loosest(verdicts: Sequence[Decided], level: float) -> tuple[float, Grade] | None:
    """Find the last threshold that passes, with its grade; None if the first fails."""
    passed = None
    for threshold in THRESHOLDS:
        sure = [each.wrong for each in verdicts if each.confidence >= threshold]
        if len(sure) < FEWEST / level:
            continue
        bound = upper_bound(sum(sure), len(sure))
        if bound > level:
            break
        passed = threshold, Grade(level, len(sure), sum(sure), round(bound, 4))
    return passed


def grades_as_markdown(grades: Grades, levels: Sequence[float]) -> str:
    """Write a table of what passed and what did not."""
    lines = [
        "| evidence | at most wrong | from confidence | verdicts | wrong | bound | coverage of decided |",
        "|---" * 7 + "|",
    ]
    for kind in Kind:
        for level in sorted(levels):
            found = next((e for e in grades.tested if e.kind is kind and e.grade.level == level), None)
            told = "did not pass | | | | |"
            if found:
                grade = found.grade
                told = f"{found.threshold:.2f} | {grade.n:,} | {grade.errors:,} | {grade.bound:.4f} | {found.coverage:.3f} |"
            lines.append(f"| {kind} | {level:g} | {told}")
    return "\n".join(lines) + "\n"


def upper_bound(errors: int, n: int, certainty: float = CERTAINTY) -> float:
    """Compute the exact one-sided upper bound of a binomial share, 0 to 1.

    Source: Clopper and Pearson, Biometrika 1934. At this share, that few errors or fewer have a probability of 1 -
    certainty.
    """
    if errors >= n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(errors, n, middle) > 1 - certainty else (low, middle)
    return high


def _at_most(errors: int, n: int, share: float) -> float:
    """Compute the probability of at most `errors` errors among n; 0 < share < 1.

    Each error has the probability `share`.
    """
    whole = math.lgamma(n + 1)
    logs = (
        whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(share) + (n - k) * math.log1p(-share)
        for k in range(errors + 1)
    )
    return math.fsum(map(math.exp, logs))
