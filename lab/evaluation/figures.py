"""One measured number, and tables of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` of `measure` on `rows` rows of a split. Shares are between 0 and 1."""

    suite: str
    split: str
    rows: int
    measure: str
    value: float


def as_table(figures: Sequence[Figure]) -> str:
    """A Markdown table: a line per split, a column per measure."""
    measures = list(dict.fromkeys(figure.measure for figure in figures))
    values = {(figure.split, figure.measure): f"{figure.value:.3f}" for figure in figures}
    rows = {figure.split: figure.rows for figure in figures}
    lines = [f"| split | rows | {' | '.join(measures)} |", "|---" * (len(measures) + 2) + "|"]
    for split, count in rows.items():
        lines.append(f"| {split} | {count:,} | {' | '.join(values.get((split, m), '') for m in measures)} |")
    return "\n".join(lines)


def write_csv(figures: Iterable[Figure], model: str, path: Path) -> None:
    """One line per figure, with the model's name or path in the first column."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model", *(field.name for field in fields(Figure))])
        writer.writerows([model, *astuple(figure)] for figure in figures)
