"""Filters for the store: values become literals here, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence


def quoted(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("'", "''") + "'"


def any_of(column: str, values: Sequence[str]) -> str:
    """A filter: the column has one of the values."""
    return f"{column} IN ({', '.join(map(quoted, values))})"
