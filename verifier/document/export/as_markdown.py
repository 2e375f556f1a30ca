"""Write a checked text as Markdown, with a footnote for each statement.

The part between the headings "The text" and "Statements" gives the text back character for character: leave out each
mark (a sign in backticks and its footnotes), replace `&#xN;` by the character of that number, and leave out each
backslash before a line feed or a sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifier.document.export.pieces import (
    SIGNS,
    gravest,
    how_checked,
    marks_by_sentence,
    place_of,
    segments,
    summary_line,
)
from verifier.document.schema import DocumentResult, Marked
from verifier.document.summary import side_of
from verifier.report.as_markdown import link, plain
from verifier.report.markup import HOW_TO_READ, judged_in_words, minute, web_address

_UNSAFE = re.compile(
    r"[\\`*_\[\]<>&~|#$]|(?<=:)//|@|(?<=www)\."  # Markdown marks, and what some readers turn into links
    r"|^(?:[-+=:]|\d{1,9}[.)])"  # what begins a list, a heading, a table
    r"|^[ \t]|[ \t]$"  # what begins code, or is lost at the end of a line
    "|[\x00-\x08\x0b-\x1f\x7f-\xa0\u2028-\u202e\u2066-\u2069\ud800-\udfff]",
    re.MULTILINE,
)


def document_to_markdown(result: DocumentResult) -> str:
    """Write summary, source, the text with its marks, and the footnotes. Foreign text is escaped."""
    document, marks = result.document, marks_by_sentence(result)
    warnings = dict.fromkeys((*document.warnings, *result.warnings))
    numbers: dict[int, list[int]] = {}
    notes: list[str] = []
    for position, found in marks.items():
        for mark in found:
            notes.append(_note(len(notes) + 1, result, mark))
            numbers.setdefault(position, []).append(len(notes))
    blocks = [
        f"# Checked: {plain(document.name)}",
        plain(summary_line(result)),
        "\n".join(_facts(result)),
        *(f"> {plain(warning)}" for warning in warnings),
        "## The text",
        _text(result, marks, numbers),
        "## Statements",
        *notes,
        "## How to read this",
        HOW_TO_READ,
    ]
    return "\n\n".join(blocks) + "\n"


def _facts(result: DocumentResult) -> Iterator[str]:
    if web_address(result.document.url):
        yield f"- Source: {link(result.document.url, plain(result.document.url))}"
    yield f"- Checked: {minute(result.checked_at)}"
    signs = ", ".join(f"`{sign}` {side}" for side, sign in SIGNS.items())
    yield f"- Signs: {signs}"


def _text(result: DocumentResult, marks: dict[int, list[Marked]], numbers: dict[int, list[int]]) -> str:
    """Write the text; the mark of a sentence follows it."""
    escaped, written = _escaped(result.document.text), list[str]()
    for start, end, position in segments(result.document.text, result.sentences):
        after_mark = bool(written) and written[-1].endswith("]")
        if after_mark and escaped[start] == "(":
            written.append("\\")  # otherwise the footnote and what follows would be a link
        written.append("".join(escaped[start:end]))
        if position in marks:
            notes = "".join(f"[^{number}]" for number in numbers[position])
            written.append(f"`{SIGNS[gravest(marks[position])]}`{notes}")
    return "".join(written)


def _escaped(text: str) -> list[str]:
    """Write each character by itself, as it must be written in the whole text."""
    written = list(text)
    for found in _UNSAFE.finditer(text):
        at = found.end() - 1  # in "12." the point makes it a list
        written[at] = f"\\{text[at]}" if "!" <= text[at] <= "~" else f"&#x{ord(text[at]):X};"
    for found in re.finditer("\n+", text):
        alone = range(found.start() + 2, found.end()) if len(found[0]) > 1 else range(found.start(), found.end())
        for at in alone:
            written[at] = "\\\n"  # a line break; two line feeds end a paragraph by themselves
    return written


def _note(number: int, result: DocumentResult, mark: Marked) -> str:
    """Write the footnote of a claim on one line.

    It has side, verdict, place, claim, reasons, quotations with their sources.
    """
    side, checked = side_of(mark), mark.result
    sentence = result.sentences[mark.claim.sentence]
    place = place_of(result.document.places, sentence.start)
    said = f": {judged_in_words(checked.verdict, checked.confidence, checked.tier)}" if checked else ""
    parts = [
        f"[^{number}]: {SIGNS[side]} **{str(side).capitalize()}**{said}{f', {plain(place)}' if place else ''}.",
        f"Claim: {plain(mark.claim.text.rstrip('.'))}.",
    ]
    how = how_checked(mark)
    parts += [f"{plain(how[:1].upper() + how[1:])}." if how else "", plain(mark.reason)]
    if checked:
        parts.append(plain(checked.reasoning))
        parts += [
            f"\\[{cited.number}\\] \u201c{plain(cited.quote)}\u201d {link(cited.source, plain(cited.title or cited.source) or 'no title')}."
            for cited in checked.citations
        ]
    return " ".join(part for part in parts if part)
