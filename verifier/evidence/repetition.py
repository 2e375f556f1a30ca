"""Tell when texts of unknown publishers are one source: a rumour or an instruction repeated in like words is no second one.

Anybody can open ten sites and put one sentence on each, with a word changed. Publishers that a list names may report the same in like
words, as agencies' customers do; texts that copy each other word for word are one source under any publisher (see independence.py).
"""

from __future__ import annotations

from kb.record import Origin
from verifier.schema import Evidence
from verifier.text.stems import stems

LIKE_WORDS = 0.75
"""Share of the shorter text's words that stand in the longer from which one repeats the other. Of 180 pairs of repetitions
(tests/data/adversarial_repetition.jsonl) all share 0.86 or more, of 12 pairs of independent reports none more than 0.71."""
_FEWEST_WORDS = 3


def repeats(piece: Evidence, other: Evidence) -> bool:
    """Whether one of two pieces says again what the other says, on the same side, and no list knows either's publisher.

    What the user handed over or added is vouched for, and no repetition.
    """
    if any(found.listed or found.origin is Origin.USER for found in (piece, other)):
        return False
    if piece.stance is None or other.stance is None or piece.stance.label is not other.stance.label:
        return False  # a denial has the words of what it denies
    shorter, longer = sorted((set(stems(piece.text, shortest=4)), set(stems(other.text, shortest=4))), key=len)
    return len(shorter) >= _FEWEST_WORDS and len(shorter & longer) / len(shorter) >= LIKE_WORDS
