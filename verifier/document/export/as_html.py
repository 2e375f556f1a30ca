"""Write a checked text as one self-contained HTML page.

It has the original text, each sentence marked, and its evidence below. The element with the class `text` holds the text
character for character. Its empty elements carry what HTML cannot: `data-c` is the code of a character that is not
allowed there, `data-place` names a page or a time. The style draws the signs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from html import escape
from pathlib import Path

from verifier.document.export.pieces import (
    SIGNS,
    gravest,
    how_checked,
    marks_by_sentence,
    place_of,
    segments,
    summary_line,
)
from verifier.document.schema import DocumentResult, Marked, Outcome, Place, Sentence, SentenceKind
from verifier.document.summary import Side, side_of
from verifier.report.as_html import page_html, piece_html
from verifier.report.markup import HOW_TO_READ, judged_in_words, minute, one_line, web_address
from verifier.schema import VerificationResult

_STYLE = Path(__file__).parent / "document.css"
_CLASSES = {
    Side.SUPPORTED: "true",
    Side.CONTRADICTED: "false",
    Side.MIXED: "mixed",
    Side.OPEN: "open",
    Side.UNCHECKED: "unchecked",
}
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)
"""Characters that a page may not hold, and two that change the reading order."""


def document_to_html(result: DocumentResult) -> str:
    """Write the whole page. Foreign text is escaped.

    An address is linked only if it is http(s); there is no script.
    """
    marks = marks_by_sentence(result)
    cards = "\n".join(
        _card(position, result, found) for position, found in marks.items() if position < len(result.sentences)
    )
    body = f"""{_head(result)}
<h2>The text</h2>
<div class="text">{_text(result, marks)}</div>
{f"<h2>Statements</h2>{cards}" if cards else ""}
<h2>How to read this</h2>
<p>{escape(HOW_TO_READ)}</p>"""
    return page_html(f"Checked: {one_line(result.document.name)}", body, _STYLE.read_text(encoding="utf-8"))


def _head(result: DocumentResult) -> str:
    document = result.document
    address = web_address(document.url)
    source = f'<dt>Source</dt><dd><a href="{escape(address)}" rel="noopener noreferrer nofollow"><bdi>{_line(address)}</bdi></a></dd>'
    warnings = "".join(
        f"<li>{_line(warning)}</li>" for warning in dict.fromkeys((*document.warnings, *result.warnings))
    )
    legend = "".join(f'<li><span class="s {_CLASSES[side]}">{side}</span></li>' for side in Side)
    return f"""<p class="summary">{_line(summary_line(result))}</p>
<h1 dir="auto">{_line(document.name)}</h1>
<dl>
{source if address else ""}
<dt>Checked</dt><dd><time datetime="{result.checked_at.isoformat()}">{minute(result.checked_at)}</time></dd>
</dl>
{f'<ul class="warnings">{warnings}</ul>' if warnings else ""}
<ul class="legend" aria-label="What the marks mean">{legend}<li>unmarked: opinions, questions, instructions</li></ul>"""


def _line(text: str) -> str:
    return escape(_UNFIT.sub("\ufffd", one_line(text)))


def _text(result: DocumentResult, marks: dict[int, list[Marked]]) -> str:
    """Write the text itself.

    Every piece is in an element, so that no direction mark reaches beyond it.
    """
    written = []
    text, places = result.document.text, result.document.places
    left_out = {mark.claim.sentence: mark.reason for mark in result.marks if mark.outcome is Outcome.LEFT_OUT}
    for start, end, position in segments(text, result.sentences):
        inside = _verbatim(text, start, end, places)
        if position is None:
            written.append(f"<span>{inside}</span>")
        elif position in marks:
            side = gravest(marks[position])
            written.append(
                f'<a class="s {_CLASSES[side]}" id="t{position}" href="#s{position}" data-n="{position + 1}" title="{side}">{inside}</a>'
            )
        elif position in left_out:
            told = f"{Side.UNCHECKED}: {left_out[position]}"
            written.append(f'<span class="s unchecked" title="{_line(told)}">{inside}</span>')
        else:
            written.append(f"{_plain_span(result.sentences[position])}{inside}</span>")
    return "".join(written)


def _plain_span(sentence: Sentence) -> str:
    name = "unread" if sentence.kind is SentenceKind.UNREAD else "plain"
    told = f"{sentence.kind}: {sentence.reason}" if sentence.reason else str(sentence.kind)
    return f'<span class="{name}" title="{_line(told)}">'


def _verbatim(text: str, start: int, end: int, places: Sequence[Place]) -> str:
    """Write text[start:end] with the places that begin within it.

    Places are in the order of the text.
    """
    written, at = [], start
    first, last = (bisect_left(places, offset, key=lambda place: place.start) for offset in (start, end))
    for place in places[first:last]:
        written += [_escaped(text[at : place.start]), f'<i class="place" data-place="{_line(place.label)}"></i>']
        at = place.start
    return "".join([*written, _escaped(text[at:end])])


def _escaped(text: str) -> str:
    safe = escape(text).replace("\r", "&#13;")
    return _UNFIT.sub(lambda found: f'<i class="c" data-c="{ord(found[0]):x}"></i>', safe)


def _card(position: int, result: DocumentResult, marks: Sequence[Marked]) -> str:
    sentence = result.sentences[position]
    place = place_of(result.document.places, sentence.start)
    where = f'<span class="where">{_line(place)}</span>' if place else ""
    claims = "\n".join(_claim(mark) for mark in marks)
    return f"""<article id="s{position}">
<p class="small"><b>{position + 1}</b> {where}<a class="back" href="#t{position}">in the text</a></p>
<blockquote dir="auto">{_line(result.document.text[sentence.start : sentence.end])}</blockquote>
{claims}
</article>"""


def _claim(mark: Marked) -> str:
    side = side_of(mark)
    checked = mark.result
    verdict = f": {judged_in_words(checked.verdict, checked.confidence, checked.tier)}" if checked else ""
    how = how_checked(mark)
    lines = [
        f'<h3 class="{_CLASSES[side]}">{SIGNS[side]} {str(side).capitalize()}{escape(verdict)}</h3>',
        f'<p dir="auto"><b>Claim.</b> {_line(mark.claim.text)}</p>',
        f'<p class="small" dir="auto">{_line(how[:1].upper() + how[1:])}.</p>' if how else "",
        f'<p class="small" dir="auto">{_line(mark.reason)}</p>' if mark.reason else "",
        _reasons(checked) if checked else "",
    ]
    return "\n".join(line for line in lines if line)


def _reasons(result: VerificationResult) -> str:
    """Write the reasoning and the evidence that it quotes.

    The rest of the evidence is only counted.
    """
    cited = {citation.number for citation in result.citations}
    shown = [
        piece_html(number, piece, result.citations)
        for number, piece in enumerate(result.evidence, start=1)
        if number in cited
    ]
    others = len(result.evidence) - len(shown)
    rest = f'<p class="small">{others} more piece{"" if others == 1 else "s"} of evidence read, not quoted.</p>'
    missing = f'<p class="missing" dir="auto">{_line(result.missing.told)}</p>' if result.missing else ""
    return "\n".join(
        [f'<p class="reason" dir="auto">{_line(result.reasoning)}</p>', missing, *shown, rest if others else ""]
    )
