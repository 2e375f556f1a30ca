"""Write a checked text as HTML: the text, what its marks mean, a statement's card.

All foreign text is escaped. The browser paints the marks (ui/text.js), so that a long text is sent once and each update
is a line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from html import escape

from ui.cards import error_card, note_card, verdict_card
from ui.pieces import evidence_cards, source_link
from ui.trace import trace
from verifier.document.export.pieces import SIGNS, gravest, how_checked, place_of, segments
from verifier.document.schema import CLAIMS, DocumentText, Marked, Outcome, Place, Sentence
from verifier.document.summary import Side
from verifier.report.grounds import other_sides
from verifier.report.markup import one_line, visible

TONES = {
    Side.SUPPORTED: "true",
    Side.CONTRADICTED: "false",
    Side.MIXED: "partial",
    Side.OPEN: "unknown",
    Side.UNCHECKED: "unchecked",
}
"""The class of a mark, by which the filter also names its side."""


def text_html(document: DocumentText, sentences: Sequence[Sentence]) -> str:
    """Write the text as it was, its sentences numbered; statements wait for their marks."""
    source = f'<p class="cv-small">{source_link(document.url, document.name)}</p>' if document.url else ""
    body = "".join(
        _sentence(number, sentences[number], inside) if number is not None else inside
        for start, end, number in segments(document.text, sentences)
        for inside in [_verbatim(document.text, start, end, document.places)]
    )
    warnings = "".join(f"<li>{escape(one_line(warning))}</li>" for warning in document.warnings)
    told = f'<ul class="cv-warnings">{warnings}</ul>' if warnings else ""
    return (
        f'{source}{told}{_legend()}<div class="cv-card cv-doc-text" role="region" aria-label="The text" tabindex="-1" dir="auto">'
        f"{body}</div>"
    )


def _sentence(number: int, sentence: Sentence, inside: str) -> str:
    if sentence.kind in CLAIMS:
        return f'<span class="cv-s cv-s-wait" data-n="{number}">{inside}</span>'
    why = f"{sentence.kind}: {sentence.reason}" if sentence.reason else str(sentence.kind)
    return f'<span class="cv-s-other" title="{escape(one_line(why))}">{inside}</span>'


def _verbatim(text: str, start: int, end: int, places: Sequence[Place]) -> str:
    """Write text[start:end] with the pages and times that begin in it."""
    written, at = "", start
    first, last = (bisect_left(places, offset, key=lambda place: place.start) for offset in (start, end))
    for place in places[first:last]:
        label = f'<i class="cv-doc-place" data-place="{escape(one_line(place.label))}"></i>'
        written += escape(visible(text[at : place.start])) + label
        at = place.start
    return written + escape(visible(text[at:end]))


def _legend() -> str:
    marks = "".join(
        f'<li><span class="cv-s cv-s-{TONES[side]}">{str(side).capitalize()}</span></li>'
        for side in Side
        if side is not Side.UNCHECKED
    )
    rest = '<li><span class="cv-s cv-s-wait">Not checked yet</span></li><li class="cv-s-other">Opinion, question or no statement</li>'
    return f'<ul class="cv-doc-legend" aria-label="What the marks mean">{marks}{rest}</ul>'


def news_html(marks: Sequence[Marked]) -> str:
    """Tell the browser how to mark each sentence: a number, a class and words."""
    sides: dict[int, list[Marked]] = {}
    for mark in marks:
        sides.setdefault(mark.claim.sentence, []).append(mark)
    items = "".join(
        f'<i data-n="{number}" data-tone="{TONES[side]}" data-said="{escape(side)}"></i>'
        for number, found in sides.items()
        for side in [gravest(found)]
    )
    return f'<div class="cv-doc-marks" hidden>{items}</div>'


def statement_card(document: DocumentText, sentence: Sentence, number: int, marks: Sequence[Marked]) -> str:
    """Write what was found on a sentence's claims, with a way back to it."""
    place = place_of(document.places, sentence.start)
    said = escape(one_line(document.text[sentence.start : sentence.end]))
    head = f"Statement{f', {escape(one_line(place))}' if place else ''}"
    back = f'<button type="button" class="cv-doc-back" data-back="{number}">Back to the text</button>'
    cards = "".join(_claim(mark, f"s{number}-{order}-") for order, mark in enumerate(marks))
    return (
        f'<section class="cv-doc-said" aria-label="The statement" tabindex="-1"><p class="cv-small cv-doc-head"><b>{head}</b> {back}</p>'
        f'<blockquote dir="auto">{said}</blockquote>{cards}</section>'
    )


def _claim(mark: Marked, within: str) -> str:
    how = how_checked(mark)
    told = f'<p class="cv-small cv-doc-how">{escape(one_line(how[:1].upper() + how[1:]))}.</p>' if how else ""
    if mark.outcome is Outcome.FAILED:
        return told + error_card(mark.reason)
    if mark.result is None:
        return told + note_card(f"{SIGNS[Side.UNCHECKED]} Not checked: {one_line(mark.reason)}.")
    found = mark.result
    pieces = evidence_cards(found.evidence, found.citations, within, other_sides(found))
    return (
        told
        + verdict_card(found, within)
        + pieces
        + trace([step for step in found.steps if not step.passing], running=False)
    )
