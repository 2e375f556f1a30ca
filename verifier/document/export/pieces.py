"""What the formats of a checked text share: its pieces in order, signs, places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from verifier.document.schema import DocumentResult, Marked, Outcome, Place, Sentence
from verifier.document.summary import Side, side_of, summed_up

SIGNS = {Side.SUPPORTED: "\u2713", Side.CONTRADICTED: "\u2717", Side.MIXED: "\u2248", Side.OPEN: "?", Side.UNCHECKED: "\u2013"}  # fmt: skip
"""A sign for each side.

Colour alone tells nothing to many readers, nor on grey paper.
"""
GRAVEST = (Side.CONTRADICTED, Side.MIXED, Side.OPEN, Side.UNCHECKED, Side.SUPPORTED)
"""The order in which the side of one claim stands for its whole sentence."""


def gravest(marks: Sequence[Marked]) -> Side:
    """Choose the side that stands for a sentence with these claims, at least one.

    Whether something was said is seldom known; if it is not, what was said stands for the sentence.
    """
    settled = [mark for mark in marks if not (mark.claim.was_said and side_of(mark) in {Side.OPEN, Side.UNCHECKED})]
    return min(map(side_of, settled or marks), key=GRAVEST.index)


def marks_by_sentence(result: DocumentResult) -> dict[int, list[Marked]]:
    """Group the marks by their sentence's position, without claims that were left out."""
    found: dict[int, list[Marked]] = {}
    for mark in result.marks:
        if mark.outcome is not Outcome.LEFT_OUT:
            found.setdefault(mark.claim.sentence, []).append(mark)
    return dict(sorted(found.items()))


def segments(text: str, sentences: Sequence[Sentence]) -> Iterator[tuple[int, int, int | None]]:
    """Split the text into (start, end, position of the sentence or None).

    Together they are the text. Where sentences overlap, the first counts; what lies outside the text is left out.
    """
    end = 0
    for position, sentence in sorted(enumerate(sentences), key=lambda pair: pair[1].start):
        if not end <= sentence.start < sentence.end <= len(text):
            continue
        if sentence.start > end:
            yield end, sentence.start, None
        yield sentence.start, sentence.end, position
        end = sentence.end
    if end < len(text):
        yield end, len(text), None


def place_of(places: Sequence[Place], offset: int) -> str:
    """Find the place where a character stood in the source, or ""."""
    number = bisect_right(places, offset, key=lambda place: place.start)
    return places[number - 1].label if number else ""


def summary_line(result: DocumentResult) -> str:
    """Sum up a whole result in one line."""
    return summed_up(result.sentences, result.marks)


def how_checked(mark: Marked) -> str:
    """Say in whose words a claim was checked, and whose claim it is.

    It is "" if it is the sentence's own.
    """
    said = []
    if mark.claim.was_said:
        return f"checked is whether {mark.claim.speaker} said it, by texts that tell what {mark.claim.speaker} said"
    if mark.claim.resolved:
        said.append("checked in our words, which name what the sentence is about")
    if mark.claim.speaker:
        said.append(f"said by {mark.claim.speaker}: checked is what was said, not that it was said")
    return "; ".join(said)
