"""Turn a file's row into a text for the store, or say why not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from kb.record import Collection, EvidenceRecord, NewEvidence, parse_collection

MAX_TEXT = 4_000
"""Characters of a record's text. Longer texts belong in a .txt or .html file, which is cut into passages."""
MAX_ADDRESSES = 100
_FIELDS = ("text", "source", "title", "published_at", "rating", "publisher", "language", "collection")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})?")


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used; `line` counts from 1, or is 0 without lines."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class WithVector:
    """A text with its unit vector from the file, of shape (384,)."""

    evidence: NewEvidence
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Stored:
    """A whole record of an export, counters included, with its unit vector if one fits."""

    record: EvidenceRecord
    vector: NDArray[np.float32] | None


Found = NewEvidence | WithVector | Stored | BadRow


def parse_row(line: str) -> NewEvidence:
    """Parse one JSON row: see `parse_fields`.

    Raises:
        InputError: not JSON, no text, a text too long, or a field of the wrong kind.
    """
    return parse_fields(parse_object(line))


def parse_object(line: str) -> dict[str, Any]:
    """Parse one JSON row that must be an object.

    Raises:
        InputError: it is not one.
    """
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise InputError(f"not JSON ({exc})") from exc
    if not isinstance(row, dict):
        raise InputError('a row must be an object such as {"text": "..."}')
    return row


def parse_fields(row: Mapping[str, Any]) -> NewEvidence:
    """Turn a row into a text.

    `text` is required; optional are source, title, published_at (ISO 8601), rating, publisher, language, collection and
    source_urls. What the store decides itself (credibility, counters, origin, whether a record may be evicted) is not
    read: a file of unknown origin must not raise its own standing.

    Raises:
        InputError: no text, a text too long, or a field of the wrong kind.
    """
    values = {key: _text(key, row.get(key)) for key in _FIELDS}
    if not any(character.isalpha() for character in values["text"]):
        raise InputError("text is empty or has no letters")
    if len(values["text"]) > MAX_TEXT:
        raise InputError(
            f"text must have at most {MAX_TEXT:,} characters, this one has {len(values['text']):,}; add it as a .txt file"
        )
    return NewEvidence(
        values["text"].strip(),
        values["source"].strip(),
        values["title"].strip(),
        collection=_collection(values["collection"].strip()),
        published_at=parse_time("published_at", row.get("published_at")),
        publisher=values["publisher"].strip(),
        rating=values["rating"].strip(),
        language=_language(values["language"].strip()),
        also_at=_addresses(row.get("source_urls")),
    )


def _text(name: str, value: object) -> str:
    if value is None or isinstance(value, date):
        return ""
    if not isinstance(value, str):
        if not value:  # 0, false or an empty list, as a spreadsheet may write for "nothing"
            return ""
        raise InputError(f"{name} must be text, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise InputError(f"{name} is not UTF-8 text (character {exc.start}); save the file as UTF-8") from exc
    return value.replace("\0", "")


def _collection(value: str) -> str:
    try:
        return parse_collection(value) if value else Collection.STATIC
    except ValueError as exc:
        raise InputError(f"collection must be static, current or pack/NAME, not {value[:40]!r}") from exc


def _language(value: str) -> str:
    if value and not _LANGUAGE.fullmatch(value):
        raise InputError(f"language must be a code such as en, not {value[:40]!r}")
    return value.lower() or "en"


def _addresses(value: object) -> tuple[str, ...]:
    if not value:
        return ()
    if not isinstance(value, (list, tuple)) or len(value) > MAX_ADDRESSES:
        raise InputError(f"source_urls must be a list of at most {MAX_ADDRESSES} addresses")
    return tuple(_text("source_urls", item) for item in value if item)


def parse_time(name: str, value: object) -> datetime | None:
    """Parse a time from a file; one without a zone is UTC.

    Raises:
        InputError: it is neither empty nor an ISO 8601 date.
    """
    if isinstance(value, datetime):
        moment = value
    else:
        text = value.isoformat() if isinstance(value, date) else _text(name, value)
        if not text:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as exc:
            raise InputError(f"{name} must be an ISO 8601 date such as 2024-05-31, not {text[:40]!r}") from exc
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
