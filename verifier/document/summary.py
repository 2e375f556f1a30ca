"""Sum up a checked text in one line, as far as it has been checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from verifier.document.schema import Marked, Outcome, Sentence, SentenceKind
from verifier.schema import Verdict

_SIDES = {
    Verdict.TRUE: "supported",
    Verdict.FALSE: "contradicted",
    Verdict.PARTIALLY_TRUE: "partly right or misleading",
    Verdict.MISLEADING: "partly right or misleading",
    Verdict.NOT_ENOUGH_EVIDENCE: "not settled",
    Verdict.NOT_VERIFIABLE: "not settled",
}
_NOT_CHECKED = "not checked"
_ORDER = (*dict.fromkeys(_SIDES.values()), _NOT_CHECKED)
_KINDS = {
    SentenceKind.OPINION: ("is opinion", "are opinion"),
    SentenceKind.QUESTION: ("is a question", "are questions"),
    SentenceKind.INSTRUCTION: ("is an instruction", "are instructions"),
    SentenceKind.UNREAD: ("was not read", "were not read"),
}


def summed_up(sentences: Sequence[Sentence], marks: Sequence[Marked]) -> str:
    """Say, for one: "14 statements: 9 supported, 2 contradicted, 3 not settled; 5 sentences are opinion"."""
    sides = Counter(_side(mark) for mark in marks)
    counted = ", ".join(f"{sides[side]} {side}" for side in _ORDER if sides[side])
    parts = [f"{_counted(len(marks), 'statement')}{': ' if counted else ''}{counted}"]
    kinds = Counter(sentence.kind for sentence in sentences)
    parts += [
        f"{_counted(kinds[kind], 'sentence')} {many if kinds[kind] > 1 else one}"
        for kind, (one, many) in _KINDS.items()
        if kinds[kind]
    ]
    return "; ".join(parts)


def _side(mark: Marked) -> str:
    return _SIDES[mark.result.verdict] if mark.outcome is Outcome.CHECKED and mark.result else _NOT_CHECKED


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
