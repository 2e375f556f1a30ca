"""Write rows as CSV that a spreadsheet opens as text.

Rows are records, batches, or a result with one row per piece of evidence.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verifier.report.as_json import result_to_dict
from verifier.schema import VerificationResult

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_OF_CHECK = ("session_id", "checked_at", "original_claim", "claim", "verdict", "confidence", "tier", "reasoning")
_OF_PIECE = (
    *("number", "stance", "quote", "text", "source", "title", "domain", "published_at", "retrieved_at", "origin"),
    *("source_type", "source_credibility", "relevance", "rating", "note", "also_reported_by", "standing", "id"),
)


def rows_to_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as CSV; a cell that looks like a formula gets a leading apostrophe."""
    out = io.StringIO()
    out.write("\ufeff")  # spreadsheets take a file without the mark for Latin-1
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name, "")) for name in columns] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> str:  # noqa: ANN401
    text = " ".join(value) if isinstance(value, list) else "" if value is None else str(value)
    return text if isinstance(value, (int, float)) or not text.startswith(_FORMULA) else f"'{text}"


def result_to_csv(result: VerificationResult) -> str:
    """Write a result, one row per piece of evidence; one row if there is none."""
    whole = result_to_dict(result)
    quotes = {citation.number: citation.quote for citation in reversed(result.citations)}
    pieces = [{**piece, "quote": quotes.get(piece["number"], "")} for piece in whole["evidence"]]
    return rows_to_csv((*_OF_CHECK, *_OF_PIECE), [{**whole, **piece} for piece in pieces or [{}]])
