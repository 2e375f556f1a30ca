"""Compute the figures of a run of judged cases, each by its published definition.

A case is decided when its verdict takes a side: neither Not Enough Evidence nor Not Verifiable. A failed check has no
verdict. It counts as a wrong answer, without confidence, time or tool calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from models.metrics import expected_calibration_error, macro_f1
from verifier.schema import Verdict

FAILED = "no verdict"
"""Name of a failed check in tables."""
_OPPOSITE = {Verdict.TRUE: Verdict.FALSE, Verdict.FALSE: Verdict.TRUE}


@dataclass(frozen=True, slots=True)
class Row:
    """One judged case.

    `predicted` is None if the check failed, and `reason` says why; `latency` is in seconds. `violations` are the rules
    of a check that its result broke, each in a few words. `plain` is the confidence of the votes alone.
    """

    case_id: str
    claim: str
    difficulty: str
    kind: str
    expected: Verdict
    predicted: Verdict | None
    confidence: float
    latency: float
    tool_calls: int
    violations: tuple[str, ...]
    reason: str
    plain: float = 0.0

    @property
    def correct(self) -> bool:
        """Whether the verdict is the expected one, of all six."""
        return self.predicted is self.expected

    @property
    def decided(self) -> bool:
        """Whether the verdict takes a side."""
        return self.predicted is not None and self.predicted.decided


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run. Shares are between 0 and 1; None without cases.

    accuracy: correct cases out of all.
    macro_f1: mean F1 over the verdicts that occur in `expected` (the averaged F1 of Opitz and Burst, 2019).
    calibration_error: of confidence as the probability of being correct, over decided cases, in ten equal bins
        (Guo et al., ICML 2017); `calibration_error_all` is over all cases with a verdict.
    risk_coverage: area under the curve of wrong decided cases against how many are decided, the most confident first;
        see `risk_coverage_area`. `risk_coverage_plain` is by the votes alone.
    abstention: share of all cases with Not Enough Evidence.
    decided_precision: correct cases out of those decided.
    not_enough_recall: of the cases where Not Enough Evidence is expected, those that got it.
    opposite_rate: of the cases where True or False is expected, those that got the other of the two.
    latency_p50_ms, latency_p95_ms: percentiles with linear interpolation (type 7 of Hyndman and Fan, 1996).
    tool_calls: mean per case. violations: all of them; several in one case each count.
    """

    cases: int
    failed: int
    accuracy: float
    macro_f1: float
    calibration_error: float | None
    calibration_error_all: float | None
    risk_coverage: float | None
    risk_coverage_plain: float | None
    abstention: float
    decided_precision: float | None
    not_enough_recall: float | None
    opposite_rate: float | None
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    tool_calls: float | None
    violations: int


def figures(rows: Sequence[Row]) -> Summary:
    """Compute the summary of a run.

    Raises:
        InputError: there are no rows.
    """
    _need(rows)
    judged = [row for row in rows if row.predicted is not None]
    decided = [row for row in judged if row.decided]
    order = list(Verdict)
    guess = np.array([order.index(row.predicted) if row.predicted else -1 for row in rows], dtype=np.int64)
    truth = np.array([order.index(row.expected) for row in rows], dtype=np.int64)
    waits = [1000 * row.latency for row in judged]
    accuracy = _share(rows, lambda row: row.correct)
    abstention = _share(rows, lambda row: row.predicted is Verdict.NOT_ENOUGH_EVIDENCE)
    assert accuracy is not None and abstention is not None  # there are rows
    return Summary(
        cases=len(rows),
        failed=len(rows) - len(judged),
        accuracy=accuracy,
        macro_f1=macro_f1(guess, truth),
        calibration_error=calibration_error(decided),
        calibration_error_all=calibration_error(judged),
        risk_coverage=risk_coverage_area(decided),
        risk_coverage_plain=risk_coverage_area([replace(row, confidence=row.plain) for row in decided]),
        abstention=abstention,
        decided_precision=_share(decided, lambda row: row.correct),
        not_enough_recall=_share(
            [row for row in rows if row.expected is Verdict.NOT_ENOUGH_EVIDENCE], lambda row: row.correct
        ),
        opposite_rate=_share(
            [row for row in rows if row.expected in _OPPOSITE], lambda row: row.predicted is _OPPOSITE[row.expected]
        ),
        latency_p50_ms=float(np.percentile(waits, 50)) if waits else None,
        latency_p95_ms=float(np.percentile(waits, 95)) if waits else None,
        tool_calls=sum(row.tool_calls for row in judged) / len(judged) if judged else None,
        violations=sum(len(row.violations) for row in rows),
    )


def _need(rows: Sequence[Row]) -> None:
    if not rows:
        raise InputError("no judged cases, so there is nothing to report; give at least one")


def _share(rows: Sequence[Row], holds: Callable[[Row], bool]) -> float | None:
    return sum(map(holds, rows)) / len(rows) if rows else None


def calibration_error(rows: Sequence[Row]) -> float | None:
    """Compute the mean distance between confidence and accuracy in ten bins.

    Source: Guo et al., ICML 2017. None without rows.
    """
    return float(expected_calibration_error(*as_probabilities(rows))) if rows else None


def as_probabilities(rows: Sequence[Row]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Turn confidences into probabilities of one label, shape (rows, 1), and the truth.

    The truth has shape (rows,): 0 if correct. The measures of classifiers, which take the likeliest label as the guess,
    then apply to verdicts too.
    """
    truth = [0 if row.correct else 1 for row in rows]
    return np.array([[row.confidence] for row in rows], dtype=np.float64), np.array(truth, dtype=np.int64)


def risk_coverage_area(rows: Sequence[Row]) -> float | None:
    """Compute the mean share of wrong cases among the surest 1, 2, ...; None without rows.

    It is the area under the risk-coverage curve (Geifman, Uziel and El-Yaniv, ICLR 2019). The lower it is, the better
    confidence separates right from wrong. Cases of equal confidence each count as their mean.
    """
    wrong: dict[float, list[bool]] = {}
    for row in rows:
        wrong.setdefault(row.confidence, []).append(not row.correct)
    risks, errors, cases = [], 0.0, 0
    for _, equal in sorted(wrong.items(), reverse=True):
        for _ in equal:
            errors, cases = errors + sum(equal) / len(equal), cases + 1
            risks.append(errors / cases)
    return sum(risks) / len(risks) if risks else None


def coverage_curve(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Compute (share of cases decided, accuracy of these) at every confidence threshold, highest first.

    It is the curve of selective classification (El-Yaniv and Wiener, JMLR 2010), with accuracy instead of risk. Cases
    of equal confidence share a point, since a threshold keeps or drops them together. Empty if nothing is decided.
    """
    decided = sorted((row for row in rows if row.decided), key=lambda row: -row.confidence)
    points, right = [], 0
    for count, row in enumerate(decided, start=1):
        right += row.correct
        if count == len(decided) or decided[count].confidence < row.confidence:
            points.append((count / len(rows), right / count))
    return points


def confusion(rows: Sequence[Row]) -> tuple[list[str], list[str], list[list[int]]]:
    """Count cases by verdict: (expected verdicts, verdicts given, counts of shape (expected, given)).

    Both lists are in the order of `Verdict`, with only verdicts that occur. Every expected verdict is among those
    given, and `FAILED` comes last.

    Raises:
        InputError: there are no rows.
    """
    _need(rows)
    expected = [verdict for verdict in Verdict if any(row.expected is verdict for row in rows)]
    given: list[Verdict | None] = [v for v in Verdict if v in expected or any(row.predicted is v for row in rows)]
    if any(row.predicted is None for row in rows):
        given.append(None)
    counts = [[sum(row.expected is e and row.predicted is g for row in rows) for g in given] for e in expected]
    return [str(verdict) for verdict in expected], [str(verdict or FAILED) for verdict in given], counts
