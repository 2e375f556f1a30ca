"""List the formats for a checked text, for the command line, programs and the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atomic import atomic_write
from errors import InputError
from verifier.document.export.as_html import document_to_html
from verifier.document.export.as_jsonl import document_to_json, document_to_jsonl
from verifier.document.export.as_markdown import document_to_markdown
from verifier.document.export.pieces import SIGNS, how_checked, marks_by_sentence, place_of, summary_line
from verifier.document.schema import DocumentResult
from verifier.document.summary import Side, side_of
from verifier.report.as_claimreview import as_markup, result_to_claim_review
from verifier.report.markup import judged_in_words, one_line, web_address


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """One format: its name, file suffix (with the dot), media type, and writer."""

    name: str
    suffix: str
    mime: str
    render: Callable[[DocumentResult], str]


def document_to_text(result: DocumentResult) -> str:
    """Write the findings as plain text for a terminal.

    It is a summary, then each claim that was not left out, with its reasons.
    """
    lines = [summary_line(result), *(f"! {one_line(text)}" for text in (*result.document.warnings, *result.warnings))]
    for mark in (mark for marks in marks_by_sentence(result).values() for mark in marks):
        sentence = result.sentences[mark.claim.sentence]
        place = place_of(result.document.places, sentence.start)
        said = judged_in_words(mark.result.verdict, mark.result.confidence, mark.result.tier) if mark.result else str(mark.outcome)  # fmt: skip
        lines += [
            "",
            f"{SIGNS[side_of(mark)]} {said}{f'   {one_line(place)}' if place else ''}",
            f"  {one_line(mark.claim.text)}",
        ]
        how = how_checked(mark)
        reasons = (how, mark.reason, mark.result.reasoning if mark.result else "")
        lines += [f"    {one_line(reason)}" for reason in reasons if reason]
    return "\n".join(lines) + "\n"


def document_to_claim_reviews(result: DocumentResult) -> str:
    """Write a ClaimReview for each contradicted claim.

    It is JSON-LD that may stand in a <script> as it is. The reviewed text is the author's sentence; the claim as it was
    checked stands next to it.
    """
    reviews = []
    for mark in result.marks:
        if mark.result is None or side_of(mark) is not Side.CONTRADICTED:
            continue
        sentence = result.sentences[mark.claim.sentence]
        reviewed: dict[str, Any] = {
            "@type": "Claim",
            "text": one_line(result.document.text[sentence.start : sentence.end]),
        }
        if web_address(result.document.url):
            reviewed["appearance"] = {"@type": "WebPage", "url": result.document.url}
        review = result_to_claim_review(mark.result) | {"itemReviewed": reviewed}
        reviews.append({name: value for name, value in review.items() if name != "@context"})
    return as_markup({"@context": "https://schema.org", "@graph": reviews})


FORMATS: dict[str, DocumentFormat] = {
    made.name: made
    for made in (
        DocumentFormat("text", ".txt", "text/plain", document_to_text),
        DocumentFormat("markdown", ".md", "text/markdown", document_to_markdown),
        DocumentFormat("html", ".html", "text/html", document_to_html),
        DocumentFormat("jsonl", ".jsonl", "application/x-ndjson", document_to_jsonl),
        DocumentFormat("json", ".json", "application/json", document_to_json),
        DocumentFormat("claimreview", ".jsonld", "application/ld+json", document_to_claim_reviews),
    )
}
"""Every format by its name."""


def save_document(result: DocumentResult, made: DocumentFormat, out: Path) -> None:
    """Write a checked text to a file.

    An existing file is replaced only when the new one is complete.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        with atomic_write(out) as fresh:
            fresh.write_text(made.render(result), encoding="utf-8", newline="\n")
    except OSError as exc:
        raise InputError(f"cannot write {out}: {exc.strerror or exc}; choose another file") from exc
