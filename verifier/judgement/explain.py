"""J6, first half: why the verdict is what it is, in 2 to 4 sentences that quote the decisive words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from verifier.judgement.verdict import vote_of
from verifier.schema import Citation, Evidence, Judgement, StanceLabel, Verdict

Span = Callable[[Evidence], tuple[int, int]]
"""Where the decisive sentence of a piece stands."""

MAX_QUOTE = 240
MAX_PER_SIDE = 2
_MIN_LISTED, _MIN_LISTED_SHARE = 3, 0.3
_NOT_A_MARK = re.compile(r"[][\u201c\u201d]")
"""Signs that a title must not bring into the reasoning, where they mark citations."""
_OPENING = {
    Verdict.TRUE: "The evidence supports the claim.",
    Verdict.FALSE: "The evidence contradicts the claim.",
    Verdict.PARTIALLY_TRUE: "The evidence is divided: some sources support the claim, others contradict it.",
    Verdict.MISLEADING: "Some sources support the claim, but a fact-checker contradicts it.",
    Verdict.NOT_ENOUGH_EVIDENCE: "The evidence found does not settle the claim.",
}


def explain(judgement: Judgement, evidence: Sequence[Evidence], span: Span) -> tuple[str, tuple[Citation, ...]]:
    """The reasoning and the citations in it.

    Args:
        judgement: the verdict to explain.
        evidence: numbered from 1, in this order, as the reader sees it.
        span: finds the decisive sentence of a piece.
    """
    if not evidence:
        return "No relevant evidence was found. Without evidence there is no verdict.", ()
    sides = {label: _cited(evidence, label) for label in StanceLabel}
    sentences = [_OPENING[judgement.verdict]]
    citations: list[Citation] = []
    if judgement.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
        sentences.append(f"The nearest text: {_quotations([0], evidence, span, citations)}.")
    else:
        order = (
            (StanceLabel.SUPPORTS, StanceLabel.REFUTES)
            if judgement.verdict is not Verdict.FALSE
            else (StanceLabel.REFUTES, StanceLabel.SUPPORTS)
        )
        for label in order:
            if sides[label]:
                verb = "Against it" if label is StanceLabel.REFUTES else "For it"
                sentences.append(f"{verb}, {_quotations(sides[label], evidence, span, citations)}.")
    sentences += [f"Note: {note}." for note in judgement.notes[:1]]
    return " ".join(sentences), tuple(citations)


def _cited(evidence: Sequence[Evidence], label: StanceLabel) -> list[int]:
    """Positions of the weightiest pieces of a side, one a publisher, listed publishers first where there are enough."""
    pieces = [i for i, piece in enumerate(evidence) if piece.stance and piece.stance.label is label]
    listed = [i for i in pieces if evidence[i].listed]
    if len(listed) >= _MIN_LISTED and len(listed) / len(pieces) >= _MIN_LISTED_SHARE:
        pieces = listed
    best: dict[str, int] = {}
    for i in sorted(pieces, key=lambda i: -vote_of(evidence[i])):
        best.setdefault(evidence[i].voice or f"text {i}", i)
    return list(best.values())[:MAX_PER_SIDE]


def _quotations(positions: Sequence[int], evidence: Sequence[Evidence], span: Span, citations: list[Citation]) -> str:
    """`nasa.gov says "..." [1] and who.int says "..." [2]`, with the citations appended to the list given."""
    parts = []
    for position in positions:
        piece = evidence[position]
        start, end = _shortened(piece.text, *span(piece))
        citation = Citation(position + 1, piece.text[start:end], start, end, piece.source, piece.title)
        citations.append(citation)
        speaker = piece.domain or _NOT_A_MARK.sub("", piece.title) or "the text"
        parts.append(f"{speaker} says \u201c{citation.quote}\u201d [{citation.number}]")
    return " and ".join(parts)


def _shortened(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, cut at a space where it is too long to read, and without its full stop."""
    if end - start > MAX_QUOTE:
        space = text.rfind(" ", start, start + MAX_QUOTE)
        end = space if space > start else start + MAX_QUOTE
    while end > start + 1 and text[end - 1] in ".,;: ":
        end -= 1
    return start, end
