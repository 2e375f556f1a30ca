"""Cut a text into sentences, each with its exact place.

The text is not changed, and no letter is left out. Sentencex finds the ends of sentences inside a block; the lines say
what a block is. A paragraph wrapped at some width is one block; a list item, a heading, a table row and a stretch of
code are each a block of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sentencex import get_sentence_boundaries

from errors import InputError

MAX_CHARACTERS = 1_000_000
"""A text of some 500 pages. A longer one is better checked chapter by chapter."""
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_MARKER = re.compile(r"\s*(?:>\s?)*(?:(?:[-*+\u2022\u2023\u00b7\u2013\u2014]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+)?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")
_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ROW = re.compile(r"\s*\||[^|]*\|[^|]*\||[^\t]*\S\t+[^\t]*\S\t+\s*\S")
_CODE = re.compile(
    r"\s*(?:def \w+\(|class \w+[(:]|import \w[\w.]*$|from \w[\w.]* import |#include|function \w*\(|(?:var|const|let) \w+ ?=|return\b.*;$"
    r"|(?:if|for|while) ?\(.*\{$|\}|</?\w+[^<>]*>\s*$|SELECT .+ FROM |\$ \w|>>> )|.*[;{]\s*$(?<!\w;)|.*\w\(.*\);?\s*$(?<=;)"
)
_WIDEST = 120
"""Longest line, in characters, of a text that may be wrapped at some width."""
_LONGEST = 1_000
"""Characters beyond which a line is not examined further.

No row and no code is as long.
"""
_FULL = 0.7
"""Share of that width which most lines of a wrapped text reach."""
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Shape(StrEnum):
    """What a stretch of text looks like."""

    PROSE = "prose"
    HEADING = "heading"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Span:
    """Where a sentence is in the text.

    A heading, a table row and code are one span each.
    """

    start: int
    end: int
    shape: Shape = Shape.PROSE


def spans(text: str) -> list[Span]:
    """List the sentences in reading order, without overlap.

    Between them are only white space, signs and list numbers.

    Raises:
        InputError: the text is too long.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the text has {len(text):,} characters, at most {MAX_CHARACTERS:,} are checked at once: check it in parts"
        )
    text = _SURROGATE.sub("\ufffd", text)  # sentencex accepts no half characters
    found = (span for block in _blocks(text) for span in _sentences(text, block))
    return [span for span in found if any(sign.isalnum() for sign in text[span.start : span.end])]


def _sentences(text: str, block: Span) -> Iterator[Span]:
    """Yield the sentences of a block.

    Anything without letters is part of the sentence before it.
    """
    inside = text[block.start : block.end]
    if block.shape is not Shape.PROSE:
        yield _stripped(text, block)
        return
    held: Span | None = None
    for found in get_sentence_boundaries("en", inside):
        start, end = block.start + found["start_index"], block.start + found["end_index"]
        piece = _stripped(text, Span(start, end))
        if held and not any(sign.isalnum() for sign in text[start:end]):
            held = Span(held.start, max(held.end, piece.end))
            continue
        if held:
            yield held
        held = piece
    if held:
        yield held


def _stripped(text: str, span: Span) -> Span:
    """Return the span without white space and invisible signs at its ends."""
    start, end = span.start, span.end
    while start < end and (text[start].isspace() or text[start] in _INVISIBLE):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in _INVISIBLE):
        end -= 1
    return Span(start, end, span.shape)


def _blocks(text: str) -> Iterator[Span]:
    """Yield the blocks of a text, without the marks before items, headings and quotations."""
    lines = _lines(text)
    width, fenced = _width([text[start:end] for start, end in lines]), False
    held: Span | None = None
    before = ""
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        fence = bool(_FENCE.match(line))
        under = lines[number + 1] if number + 1 < len(lines) else (end, end)
        shape = Shape.CODE if fenced or fence else _shape(line, text[under[0] : under[1]], text[end : under[0]])
        fenced ^= fence
        apart = len(_BREAK.findall(text[held.end : start])) > 1 if held else True
        joined = not apart and held is not None and held.shape is shape and _goes_on(shape, before, line, width)
        before = line
        if held and joined:
            held = Span(held.start, end, shape)
            continue
        if held:
            yield held
        mark = _HEADING if shape is Shape.HEADING else _MARKER
        begins = mark.match(line) if shape in {Shape.PROSE, Shape.HEADING} else None
        held = Span(start + (begins.end() if begins else 0), end, shape)
    if held:
        yield held


def _lines(text: str) -> list[tuple[int, int]]:
    """Return where the lines are that hold more than white space."""
    return [match.span() for match in _LINE.finditer(text) if not match[0].isspace()]


def _shape(line: str, under: str, between: str) -> Shape:
    if _HEADING.match(line) or (_UNDERLINE.match(under) and len(_BREAK.findall(between)) == 1):
        return Shape.HEADING
    if len(line) > _LONGEST:
        return Shape.PROSE
    if _ROW.match(line):
        return Shape.TABLE
    return Shape.CODE if _CODE.match(line) else Shape.PROSE


def _width(lines: Sequence[str]) -> int:
    """Return the width at which the lines of a text were wrapped.

    It is 0 if they were not.
    """
    lengths = [len(line.rstrip()) for line in lines]
    widest = max(lengths, default=0)
    if len(lengths) < 3 or widest > _WIDEST:
        return 0
    return widest if sum(length >= _FULL * widest for length in lengths) >= len(lengths) / 2 else 0


def _goes_on(shape: Shape, before: str, line: str, width: int) -> bool:
    """Return whether a line continues the one before.

    Code continues code, and prose a sentence that was cut.
    """
    if shape is not Shape.PROSE:
        return shape is Shape.CODE
    mark = _MARKER.match(line)
    if mark and mark[0].strip():
        return False
    first = line.split(maxsplit=1)[0]
    before = before.strip()
    cut = bool(width) and len(before) + 1 + len(first) > width
    return first.lstrip("\"'\u201c\u2018(")[:1].islower() or before.endswith(",") or cut
