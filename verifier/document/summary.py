"""Sum up a checked text.

Give the side of each claim, how many are to be checked, and all of it in one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from verifier.document.schema import CLAIMS, Marked, Outcome, Sentence, SentenceKind
from verifier.schema import Verdict


class Side(StrEnum):
    """What a mark says about a claim, for readers, in the order of the summary."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    MIXED = "partly right or misleading"
    OPEN = "not settled"
    UNCHECKED = "not checked"


_SIDES = {
    Verdict.TRUE: Side.SUPPORTED,
    Verdict.FALSE: Side.CONTRADICTED,
    Verdict.PARTIALLY_TRUE: Side.MIXED,
    Verdict.MISLEADING: Side.MIXED,
    Verdict.NOT_ENOUGH_EVIDENCE: Side.OPEN,
    Verdict.NOT_VERIFIABLE: Side.OPEN,
}
_KINDS = {
    SentenceKind.OPINION: ("is opinion", "are opinion"),
    SentenceKind.QUESTION: ("is a question", "are questions"),
    SentenceKind.INSTRUCTION: ("is an instruction", "are instructions"),
    SentenceKind.UNREAD: ("was not read", "were not read"),
}


def summed_up(sentences: Sequence[Sentence], marks: Sequence[Marked]) -> str:
    """Sum up the sentences and the claims in one line.

    Example: "14 statements: 9 supported, 2 contradicted, 3 not settled; 5 sentences are opinion".
    """
    sides = Counter(map(side_of, marks))
    counted = ", ".join(f"{sides[side]} {side}" for side in Side if sides[side])
    parts = [f"{_counted(len(marks), 'statement')}{': ' if counted else ''}{counted}"]
    kinds = Counter(sentence.kind for sentence in sentences)
    parts += [
        f"{_counted(kinds[kind], 'sentence')} {many if kinds[kind] > 1 else one}"
        for kind, (one, many) in _KINDS.items()
        if kinds[kind]
    ]
    return "; ".join(parts)


def side_of(mark: Marked) -> Side:
    """Return the side on which the evidence puts a claim.

    A claim without a result was not checked.
    """
    if mark.outcome is not Outcome.CHECKED or mark.result is None:
        return Side.UNCHECKED
    return _SIDES[mark.result.verdict]


def to_check(sentences: Sequence[Sentence], most: int) -> int:
    """Count the statements that are checked if at most `most` are."""
    return min(most, sum((sentence.kind in CLAIMS) + sentence.said for sentence in sentences))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
