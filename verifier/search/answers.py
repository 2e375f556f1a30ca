"""An answer as text that can be kept, and back. What is read back is believed no more than what a provider sends."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from verifier.search.base import Outcome, Query, SearchAnswer, SearchResult

_FORMAT = 1
_TEXTS = ("url", "title", "snippet", "publisher", "rating", "claim")


def key_of(provider: str, query: Query) -> str:
    """What tells one question to one provider from all others; the words cannot be read from it."""
    words = " ".join(query.text.split()).casefold()
    asked = [_FORMAT, provider, words, query.limit, sorted(query.sites), query.language]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def to_text(answer: SearchAnswer, until: float) -> str:
    """`answer` as ASCII text that holds until the time `until` (seconds since 1970)."""
    rows = [asdict(result) for result in answer.results]
    for row in rows:
        row["published_at"] = row["published_at"].isoformat() if row["published_at"] else None
    return json.dumps({"until": until, "outcome": answer.outcome, "detail": answer.detail, "results": rows})


def from_text(text: str, now: float, longest: float) -> SearchAnswer | None:
    """The answer in `text`; None where it holds no longer, or is not an answer.

    Args:
        text: what `to_text` made, or anything else.
        now: the time, seconds since 1970.
        longest: an answer that claims to hold for more than these seconds from now was kept by a wrong clock.
    """
    try:
        kept = json.loads(text)
        if not now < kept["until"] <= now + longest:
            return None
        results = tuple(_result(row) for row in kept["results"])
        return SearchAnswer(Outcome(kept["outcome"]), results, str(kept["detail"]), cached=True)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _result(row: Mapping[str, Any]) -> SearchResult:
    """One result.

    Raises:
        KeyError, TypeError, ValueError: `row` is none.
    """
    fields = {name: row[name] for name in _TEXTS}
    if not all(isinstance(value, str) for value in fields.values()):
        raise TypeError("a field is no text")
    when = row["published_at"]
    return SearchResult(**fields, published_at=None if when is None else datetime.fromisoformat(when))
