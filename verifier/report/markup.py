"""Mark quotations, check addresses, and write dates and confidences: shared by all report forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape

from kb.record import Origin, Standing
from verifier.schema import Citation, Evidence, StanceLabel, Verdict, VerificationResult
from verifier.schema.grade import told
from verifier.text.phrases import ENGLISH, Phrases

STANCES = {
    StanceLabel.SUPPORTS: "supports the claim",
    StanceLabel.REFUTES: "contradicts the claim",
    StanceLabel.NEUTRAL: "does not settle it",
}
ORIGINS = {"kb": "Evidence store", "web": "Web", "fact_check": "Fact-checker", "user": "Added by you"}
HOW_TO_READ = (
    "Confidence is an estimate from 0 to 99%; on claims unlike those that it was fitted to it may be off. It is high only where a source other "
    "than social media stands behind the verdict, and low where sources contradict each other or are missing. "
    "Not Enough Evidence says nothing about whether the claim is true. Models on one machine made this report; read the "
    "marked words, which are quoted as they stand in their source, before you rely on the verdict."
)
LEFT_OPEN = "left open"
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_WEB = re.compile(r"https?://[^\s<>\"'\\]+", re.IGNORECASE)


def visible(text: str) -> str:
    """Remove control characters, lone surrogates, and characters that change the reading direction."""
    return _UNSEEN.sub("", text)


def one_line(text: str) -> str:
    """Collapse the white space of the visible text."""
    return " ".join(visible(text).split())


def web_address(source: str) -> str:
    """Return `source` if it is an http(s) address that may be followed, or ""."""
    return source if _WEB.fullmatch(source) else ""


def quoted_spans(text: str, citations: Sequence[Citation]) -> Iterator[tuple[str, bool]]:
    """Split the text into pieces, each with whether it is quoted.

    Of overlapping quotations, the first counts.
    """
    end = 0
    for citation in sorted(citations, key=lambda citation: citation.start):
        if citation.start >= end:
            yield text[end : citation.start], False
            yield text[citation.start : citation.end], True
            end = citation.end
    yield text[end:], False


def marked(text: str, citations: Sequence[Citation]) -> str:
    """Write the text as HTML, escaped, with the quoted spans in <mark>."""
    pieces = ((escape(visible(piece)), quoted) for piece, quoted in quoted_spans(text, citations))
    return "".join(f"<mark>{piece}</mark>" if quoted else piece for piece, quoted in pieces)


def stance_of(piece: Evidence) -> str:
    """Say in words what the piece says of the claim."""
    return STANCES[piece.stance.label] if piece.stance else "not judged"


def dates_of(piece: Evidence) -> str:
    """Write when a piece was published and when it arrived; "" for neither.

    For example: "published 2024-05-01, retrieved 2026-01-02".
    """
    came = "retrieved" if piece.origin in {Origin.WEB, Origin.FACT_CHECK} else "stored"
    dates = (("published", piece.published_at), (came, piece.retrieved_at))
    return ", ".join(f"{what} {_utc(when):%Y-%m-%d}" for what, when in dates if when)


def staleness(piece: Evidence) -> str:
    """Say that a piece's page has changed since storage or is gone; "" if unknown."""
    if piece.standing is Standing.AS_STORED or piece.looked_at is None:
        return ""
    day = f"{_utc(piece.looked_at):%Y-%m-%d}"
    if piece.standing is Standing.GONE:
        return f"Gone since: on {day} there was no page at this address; the text is kept as it was"
    return f"Changed since: on {day} the page no longer held this text, which is kept as it was"


def remarks(piece: Evidence) -> tuple[str, ...]:
    """List how the text speaks of the claim, its rating, other reporters, its page's state."""
    said = (
        f"Note: {piece.note}" if piece.note else "",
        (piece.rating if piece.retracted else f"Rated: {piece.rating}") if piece.rating else "",
        f"Also reported by {', '.join(piece.also)}" if piece.also else "",
        staleness(piece),
    )
    return tuple(one_line(remark) for remark in said if remark)


def graded(result: VerificationResult) -> str:
    """Say what was tested of verdicts as sure as this one; "" if undecided."""
    return told(result.grade) if result.verdict.decided else ""


def confidence_in_words(verdict: Verdict, confidence: float, tier: str, phrases: Phrases = ENGLISH) -> str:
    """Write a confidence, such as "93% (high)"; an open claim is "left open".

    A figure for an open claim would read as evidence against it.
    """
    if verdict is Verdict.NOT_ENOUGH_EVIDENCE:
        return phrases.say(LEFT_OPEN)
    return f"{round(confidence * 100)}% ({phrases.say(tier)})"


def judged_in_words(verdict: Verdict, confidence: float, tier: str) -> str:
    """Write a verdict with its confidence on one line of plain text."""
    return f"{verdict}, {confidence_in_words(verdict, confidence, tier)}"


def minute(moment: datetime) -> str:
    """Write the moment in UTC, to the minute."""
    return f"{_utc(moment):%Y-%m-%d %H:%M} UTC"


def newest(evidence: Sequence[Evidence]) -> str:
    """Find the day of the newest dated piece of evidence, or ""."""
    dates = [_utc(piece.published_at) for piece in evidence if piece.published_at]
    return f"{max(dates):%Y-%m-%d}" if dates else ""


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
