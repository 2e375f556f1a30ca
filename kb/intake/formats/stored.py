"""Turn a row of an export back into its whole record, to restore a backup."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from errors import InputError
from kb.intake.formats.rows import Stored, parse_fields, parse_time
from kb.publishers.credibility import SourceType
from kb.record import EvidenceRecord, Origin, Standing, make_record


def parse_stored(row: Mapping[str, Any]) -> Stored:
    """Parse a row as a record, still without its vector.

    Raises:
        InputError: a field is missing or of the wrong kind.
    """
    return Stored(parse_record(row), None)


def parse_record(row: Mapping[str, Any]) -> EvidenceRecord:
    """Parse a row as the record that was exported.

    What an older export lacks is filled in as for a new text.

    Raises:
        InputError: a field is of the wrong kind, or the id is not that of the text.
    """
    made = make_record(parse_fields(row))
    if row.get("id") not in (None, made.id):
        raise InputError("the id is not that of the text: this row was changed after the export")
    values: dict[str, Any] = {}
    for name, convert in _KEPT.items():
        if row.get(name) is not None:
            try:
                values[name] = convert(row[name])
            except (ValueError, TypeError, OverflowError) as exc:
                raise InputError(f"{name} cannot be {str(row[name])[:40]!r}") from exc
    return replace(made, **values)


def _time(value: object) -> datetime:
    moment = parse_time("a time", value)
    if moment is None:
        raise ValueError("empty")
    return moment


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**62:
        raise ValueError("not a count")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("not from 0 to 1")
    return float(value)


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1e6 < value < 1e6:
        raise ValueError("not a score")
    return float(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("not true or false")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str) or len(value) > 1_000:
        raise ValueError("not a short text")
    return value


def _words(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(_word(item) for item in value)


_KEPT: dict[str, Callable[[Any], Any]] = {
    "domain": _word,
    "source_type": SourceType,
    "source_credibility": _share,
    "origin": Origin,
    "timestamp": _time,
    "last_accessed": _time,
    "access_count": _count,
    "verification_count": _count,
    "avg_relevance": _score,
    "expires_at": _time,
    "source_urls": _words,
    "publisher": _word,
    "extraction_failed": _flag,
    "pinned": _flag,
    "standing": Standing,
    "looked_at": _time,
}
