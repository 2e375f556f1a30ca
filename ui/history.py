"""List earlier checks in one style: those a browser keeps, and this machine's log."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ui.cards import SIGNS, TONES
from verifier.history.kept import PastCheck
from verifier.report.markup import visible
from verifier.schema import Verdict, VerificationResult

KEPT = 50
_CLAIM = 300
"""Characters of a claim shown in a list."""


def with_check(history: object, result: VerificationResult) -> list[dict[str, str]]:
    """Add a check to what the browser keeps: at most 50, newest first."""
    fresh = PastCheck(
        result.session_id, result.checked_at.isoformat(), result.original_claim[:_CLAIM], result.verdict.value
    )
    return [_row(check) for check in (fresh, *parsed(history))][:KEPT]


def _row(check: PastCheck) -> dict[str, str]:
    return {"id": check.session_id, "at": check.checked_at, "claim": check.claim, "verdict": check.verdict}


def parsed(history: object) -> list[PastCheck]:
    """Read a browser's history, keeping only entries that look like a check."""
    rows: list[Any] = history if isinstance(history, list) else []
    return [check for row in rows[:KEPT] if isinstance(row, dict) and (check := _check(row))]


def _check(row: dict[Any, Any]) -> PastCheck | None:
    texts = [text[:_CLAIM] for name in ("id", "at", "claim", "verdict") if isinstance(text := row.get(name), str)]
    return PastCheck(*texts) if len(texts) == 4 else None


def history_list(checks: Sequence[PastCheck], kept: bool) -> str:
    """Write the checks, newest first.

    Each links to its result if that is kept, or else puts the claim into the box.
    """
    if not checks:
        return '<p class="cv-soft">No checks yet.</p>'
    return f'<ol class="cv-past">{"".join(_line(check, kept) for check in checks)}</ol>'


def _line(check: PastCheck, kept: bool) -> str:
    known = next((verdict for verdict in Verdict if verdict.value == check.verdict), None)
    tone = TONES[known] if known else "unknown"
    link = f"?check={quote(check.session_id, safe='')}" if kept else f"?claim={quote(check.claim, safe='')}"
    day = escape(visible(check.checked_at[:16].replace("T", " ")))
    return (
        f'<li class="cv-{tone}"><span class="cv-mini" aria-hidden="true">{SIGNS[tone]}</span>'
        f'<a href="{escape(link)}">{escape(visible(check.claim[:_CLAIM]))}</a>'
        f'<span class="cv-soft">{escape(check.verdict[:40])}, <time>{day}</time></span></li>'
    )
