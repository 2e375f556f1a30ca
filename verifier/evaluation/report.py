"""Report a run of judged cases: a line per case, tables, and diagrams."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from errors import InputError
from models.metrics import reliability
from verifier.evaluation.measures import (
    Row,
    Summary,
    as_probabilities,
    calibration_error,
    confusion,
    coverage_curve,
    figures,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Row",
    "Summary",
    "as_markdown",
    "coverage_curve",
    "draw_confusion",
    "draw_coverage",
    "draw_reliability",
    "figures",
    "write_csv",
]

_COLUMNS = (
    "id",
    "claim",
    "difficulty",
    "kind",
    "expected",
    "predicted",
    "correct",
    "confidence",
    "latency_ms",
    "tool_calls",
    "violations",
    "reason",
)
_NAMES = {
    "cases": "cases",
    "failed": "without a verdict",
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "calibration_error": "calibration error, decided cases",
    "calibration_error_all": "calibration error, all cases",
    "risk_coverage": "area under risk-coverage, decided cases",
    "risk_coverage_plain": "the same, by the votes alone",
    "abstention": "abstention",
    "decided_precision": "precision of decided cases",
    "not_enough_recall": "recall of Not Enough Evidence",
    "opposite_rate": "opposite verdicts",
    "latency_p50_ms": "latency p50, ms",
    "latency_p95_ms": "latency p95, ms",
    "tool_calls": "tool calls per case",
    "violations": "violations",
}
_BLUE, _GREY = "#1f5fa8", "0.7"


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write a line per case.

    `predicted` is empty if the check failed; violations are separated by semicolons.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(_COLUMNS)
            writer.writerows(map(_cells, rows))
    except OSError as exc:
        raise InputError(f"cannot write {path}: {exc.strerror or exc}; choose another place for it") from exc


def _cells(row: Row) -> tuple[str | int | float, ...]:
    return (
        row.case_id,
        row.claim,
        row.difficulty,
        row.kind,
        row.expected,
        row.predicted or "",
        str(row.correct).lower(),  # "True" is a verdict
        row.confidence,
        round(1000 * row.latency, 1),
        row.tool_calls,
        "; ".join(row.violations),
        row.reason,
    )


def as_markdown(rows: Sequence[Row]) -> str:
    """Write the summary, accuracy per group, and the confusion matrix as tables.

    The groups are kind and difficulty, if rows name one.

    Raises:
        InputError: there are no rows.
    """
    summary = figures(rows)
    lines = [(_NAMES[field.name], _number(field.name, getattr(summary, field.name))) for field in fields(Summary)]
    parts = [_table(("measure", "value"), lines)]
    groups: dict[str, Callable[[Row], str]] = {"kind": lambda row: row.kind, "difficulty": lambda row: row.difficulty}
    parts += [_by(rows, name, group) for name, group in groups.items() if any(map(group, rows))]
    expected, given, counts = confusion(rows)
    cells = [(name, *map(str, row)) for name, row in zip(expected, counts, strict=True)]
    return "\n\n".join([*parts, _table(("expected \\ given", *given), cells)]) + "\n"


def _number(name: str, value: float | None) -> str:
    """Format counts whole, milliseconds rounded, shares to three places; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if isinstance(value, int) or name.endswith("_ms") else f"{value:.3f}"


def _by(rows: Sequence[Row], name: str, group: Callable[[Row], str]) -> str:
    """Write each group's cases and accuracy, in the order of their first rows."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(group(row), []).append(row)
    lines = [
        (key or "–", f"{len(some):,}", f"{sum(r.correct for r in some) / len(some):.3f}") for key, some in found.items()
    ]
    return _table((name, "cases", "accuracy"), lines)


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table; bars in cells are escaped, or they would end the cell."""
    written = [[cell.replace("|", "\\|") for cell in line] for line in (head, *lines)]
    written.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(line)} |" for line in written)


def draw_confusion(rows: Sequence[Row], path: Path) -> None:
    """Draw a PNG: how often each expected verdict was given each verdict.

    Cells are darker for a larger share of their row.

    Raises:
        InputError: there are no rows, matplotlib is not installed, or the file cannot be written.
    """
    expected, given, counts = confusion(rows)

    def draw(axes: Axes) -> None:
        shares = np.array(counts) / np.maximum(np.sum(counts, axis=1, keepdims=True), 1)
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for i, line in enumerate(counts):
            for j, count in enumerate(line):
                axes.text(
                    j, i, f"{count:,}", ha="center", va="center", color="white" if shares[i, j] > 0.6 else "black"
                )
        axes.set(xlabel="given", ylabel="expected")
        axes.set_xticks(range(len(given)), given, rotation=30, ha="right")
        axes.set_yticks(range(len(expected)), expected)
        axes.set_title(f"Verdicts of {len(rows):,} cases", fontsize=10)

    _write(draw, (2.5 + 0.8 * len(given), 2 + 0.6 * len(expected)), path)


def draw_reliability(rows: Sequence[Row], path: Path) -> None:
    """Draw a PNG: accuracy of decided cases against confidence, in ten bins.

    The size of each dot is its bin's share.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    decided = [row for row in rows if row.decided]
    error = calibration_error(decided)

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=_GREY, linewidth=1)
        if decided:
            sure, right, count = np.array(reliability(*as_probabilities(decided))).T
            axes.plot(sure, right, color=_BLUE, linewidth=1)
            axes.scatter(sure, right, s=400 * count / count.sum() + 12, color=_BLUE)
        axes.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        found = "" if error is None else f", calibration error {error:.3f}"
        axes.set_title(f"{len(decided):,} decided of {len(rows):,} cases{found}", fontsize=10)

    _write(draw, (4.5, 4.5), path)


def draw_coverage(rows: Sequence[Row], path: Path) -> None:
    """Draw a PNG: accuracy of decided cases against their share, as required confidence falls.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    points = coverage_curve(rows)

    def draw(axes: Axes) -> None:
        axes.plot(
            *zip(*points, strict=True) if points else ((), ()), color=_BLUE, linewidth=1, marker="o", markersize=3
        )
        axes.set(xlabel="share of cases decided", ylabel="accuracy of these", xlim=(0, 1), ylim=(0, 1.02))
        axes.set_title(f"{len(rows):,} cases, the surest first", fontsize=10)

    _write(draw, (5.5, 4), path)


def _write(draw: Callable[[Axes], None], size: tuple[float, float], path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError as exc:
        raise InputError("diagrams need matplotlib; run: pip install -r requirements-dev.txt") from exc
    figure = Figure(figsize=size, dpi=120, layout="constrained", facecolor="white")
    draw(figure.subplots())
    try:
        figure.savefig(path, format="png")
    except OSError as exc:
        raise InputError(f"cannot write {path}: {exc.strerror or exc}; choose another place for it") from exc
