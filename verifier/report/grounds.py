"""Say what helps a reader trust or doubt a verdict.

That is why it is so, what speaks against it, and who is behind the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kb.record import Standing
from verifier.claim.parsed import parse_claim
from verifier.evidence.independence import independent
from verifier.judgement.quotation import quoted_span
from verifier.judgement.votes import shown_strengths, yielding
from verifier.report.markup import one_line, staleness
from verifier.schema import SIDE_OF, Citation, Evidence, StanceLabel, Verdict, VerificationResult

_NAMED = 3
"""Maximum groups of copies, and publishers in a group, named; the others are counted."""
_REST = re.compile(r"(?<=[.!?]) (?=The nearest text: |In its words, |In figures, |For it, |Against it, |Note: |\()")
"""How the code's sentences after the first begin (verifier/judgement/explain.py)."""
_NEXT = re.compile(r"(?<=\w[.!?]) (?=[A-Z\u00c0-\u00de\u0410-\u042f\u0600-\u06ff])|(?<=\u0964) |(?<=\u3002)(?=.)")
"""The next sentence: in Latin, Cyrillic or Arabic letters, or after the full stop of Hindi or Chinese."""
_BOTH = (StanceLabel.SUPPORTS, StanceLabel.REFUTES)
_UNDATED = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Side:
    """A side of the claim that the verdict does not take, with its strongest words.

    `strongest` is None if nothing takes the side. `outweighed`: only the model reads them so, and another source says
    the opposite outright.
    """

    label: StanceLabel
    strongest: Citation | None
    outweighed: bool = False


def reason(reasoning: str) -> tuple[str, str]:
    """Split a reasoning into its first sentence and the rest.

    The first says what decided; the rest quotes the evidence.
    """
    cut = _REST.search(reasoning) or _NEXT.search(reasoning)
    return (reasoning[: cut.start()], reasoning[cut.end() :]) if cut else (reasoning, "")


def other_sides(result: VerificationResult) -> tuple[Side, ...]:
    """Find the strongest piece against a verdict.

    For a claim that is open or true in part, find one for each side. Nothing is sought for what cannot be verified. A
    retracted work takes no side.
    """
    if result.verdict is Verdict.NOT_VERIFIABLE:
        return ()
    return tuple(_side(result, label) for label in _BOTH if label is not SIDE_OF.get(result.verdict))


def _side(result: VerificationResult, label: StanceLabel) -> Side:
    """Find the piece that says most for a side; an outweighed one only without another."""
    told = zip(result.evidence, yielding(result.evidence), shown_strengths(result.evidence, label), strict=True)
    taking = [
        (not yields, strength, -number)
        for number, (piece, yields, strength) in enumerate(told, start=1)
        if piece.stance and piece.stance.label is label and not piece.retracted
    ]
    if not taking:
        return Side(label, None)
    plain, _, place = max(taking)
    return Side(label, _quoted(result, -place, label), outweighed=not plain)


def _quoted(result: VerificationResult, number: int, label: StanceLabel) -> Citation:
    """Return what the reasoning quotes from a piece, or its sentence nearest to the claim."""
    quoted = next((citation for citation in result.citations if citation.number == number), None)
    if quoted:
        return quoted
    piece = result.evidence[number - 1]
    start, end = quoted_span(parse_claim(result.claim).whole, piece.text, label, piece.closest)
    return Citation(number, piece.text[start:end], start, end, piece.source, piece.title)


def named(piece: Evidence) -> str:
    """Name who says it: the site, or else the title."""
    return one_line(piece.domain or piece.title) or "a text without a source"


def publishers(evidence: Sequence[Evidence]) -> str:
    """Count the independent publishers of the evidence, and say who repeats whom.

    "" without evidence.
    """
    if not evidence:
        return ""
    sources = [pieces for _, pieces in independent(evidence)]
    copies = [told for pieces in sources if (told := _copies(pieces))]
    among = sum(len({_publisher(piece) for piece in pieces}) for pieces in sources)
    behind = f"{len(sources)} independent publishers" if len(sources) > 1 else "one publisher"
    if among > len(sources):
        behind = (
            f"{among} publishers that count as {'one' if len(sources) == 1 else f'{len(sources)} independent ones'}"
        )
    said = f"{len(evidence)} piece{'s' * (len(evidence) > 1)} of evidence from {behind}"
    beyond = [f"{len(copies) - _NAMED} more are copied likewise"] if len(copies) > _NAMED else []
    return "; ".join([said, *copies[:_NAMED], *beyond]) + "."


def _publisher(piece: Evidence) -> str:
    """Identify a piece's publisher; a text without a source is its own."""
    return piece.voice or piece.domain or piece.text


def _copies(pieces: Sequence[Evidence]) -> str:
    """Say who repeats whom among one source's pieces.

    The oldest is the original, if the dates show it.
    """
    first: dict[str, Evidence] = {}
    for piece in sorted(pieces, key=lambda piece: piece.published_at or _UNDATED):
        first.setdefault(_publisher(piece), piece)
    if len(first) < 2:
        return ""
    names, dates = [named(piece) for piece in first.values()], [piece.published_at for piece in first.values()]
    if None in dates or dates[0] == dates[1]:
        return f"{_row(names)} carry much the same text and count as one"
    one = len(names) == 2
    return f"{_row(names[1:])} repeat{'s' * one} {names[0]} and count{'s' * one} with it"


def _row(names: Sequence[str]) -> str:
    shown = [*names[:_NAMED], f"{len(names) - _NAMED} more"] if len(names) > _NAMED else list(names)
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]


def unsound(piece: Evidence) -> str:
    """Say why a source no longer holds: retracted work or missing page; "" otherwise."""
    if piece.retracted:
        return one_line(piece.rating)
    return staleness(piece) if piece.standing is Standing.GONE else ""
