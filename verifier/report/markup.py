"""What the forms of a report share: which words are quoted, which addresses may be followed, which dates are told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape

from verifier.judgement.reliability import LEAST, Band, Reliability
from verifier.schema import Citation, Evidence, StanceLabel, Verdict

STANCES = {
    StanceLabel.SUPPORTS: "supports the claim",
    StanceLabel.REFUTES: "contradicts the claim",
    StanceLabel.NEUTRAL: "does not settle it",
}
ORIGINS = {"kb": "Evidence store", "web": "Web", "fact_check": "Fact-checker", "user": "Added by you"}
_HOW_TO_READ = (
    "Confidence is an estimate from 0 to 99%. {} On other claims it may be off by more. It is high only where a source other "
    "than social media stands behind the verdict, and low where sources contradict each other or are missing. "
    "Not Enough Evidence says nothing about whether the claim is true. Models on one machine made this report; read the "
    "marked words, which are quoted as they stand in their source, before you rely on the verdict."
)
NOT_MEASURED = "How often verdicts are right was not measured with the weights in use."
LEFT_OPEN = "left open"
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_WEB = re.compile(r"https?://[^\s<>\"'\\]+", re.IGNORECASE)


def visible(text: str) -> str:
    """The text without control characters, and without those that turn the reading direction of what follows it."""
    return _UNSEEN.sub("", text)


def one_line(text: str) -> str:
    """The visible text with white space collapsed."""
    return " ".join(visible(text).split())


def web_address(source: str) -> str:
    """`source` if it is an http(s) address that may be followed, or ""."""
    return source if _WEB.fullmatch(source) else ""


def quoted_spans(text: str, citations: Sequence[Citation]) -> Iterator[tuple[str, bool]]:
    """The text in pieces that join to the whole, each with whether it is quoted. Of overlapping quotations the first counts."""
    end = 0
    for citation in sorted(citations, key=lambda citation: citation.start):
        if citation.start >= end:
            yield text[end : citation.start], False
            yield text[citation.start : citation.end], True
            end = citation.end
    yield text[end:], False


def marked(text: str, citations: Sequence[Citation]) -> str:
    """The text as HTML, escaped, with the quoted spans in <mark>."""
    pieces = ((escape(visible(piece)), quoted) for piece, quoted in quoted_spans(text, citations))
    return "".join(f"<mark>{piece}</mark>" if quoted else piece for piece, quoted in pieces)


def stance_of(piece: Evidence) -> str:
    """What the piece says of the claim, in words."""
    return STANCES[piece.stance.label] if piece.stance else "not judged"


def remarks(piece: Evidence) -> tuple[str, ...]:
    """How the text speaks of the claim, what a fact-checker rated, and who reports the same; each on one line."""
    said = (
        f"Note: {piece.note}" if piece.note else "",
        f"Rated: {piece.rating}" if piece.rating else "",
        f"Also reported by {', '.join(piece.also)}" if piece.also else "",
    )
    return tuple(one_line(remark) for remark in said if remark)


def how_to_read(measured: Reliability | None) -> str:
    """What a confidence means, with the shares that were measured with the weights in use."""
    if measured is None:
        return _HOW_TO_READ.format(NOT_MEASURED)
    shares = ", ".join(
        f"{band.share:.0%} of {band.given} with {between(band)}" for band in measured.bands if band.given >= LEAST
    )
    whole = measured.whole
    told = f"Of {measured.claims} labelled claims, {whole.given} got a verdict that takes a side"
    return _HOW_TO_READ.format(
        f"{told}; right were {whole.share:.0%} of them: {shares or 'too few to tell by confidence'}."
    )


def between(band: Band) -> str:
    """The confidences of a band, such as "70 to 80%"."""
    return f"{band.least:.0%} or more" if band.most >= 1 else f"{band.least * 100:.0f} to {band.most:.0%}"


def confidence_in_words(verdict: Verdict, confidence: float, tier: str) -> str:
    """Such as "93% (high)"; what decided nothing is "left open": how sure that is would read as evidence against the claim."""
    return LEFT_OPEN if verdict is Verdict.NOT_ENOUGH_EVIDENCE else f"{round(confidence * 100)}% ({tier})"


def judged_in_words(verdict: Verdict, confidence: float, tier: str) -> str:
    """A verdict with its confidence, on one line of plain text."""
    return f"{verdict}, {confidence_in_words(verdict, confidence, tier)}"


def minute(moment: datetime) -> str:
    """The moment in UTC, to the minute."""
    return f"{_utc(moment):%Y-%m-%d %H:%M} UTC"


def newest(evidence: Sequence[Evidence]) -> str:
    """The day of the newest dated piece of evidence, or ""."""
    dates = [_utc(piece.published_at) for piece in evidence if piece.published_at]
    return f"{max(dates):%Y-%m-%d}" if dates else ""


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
