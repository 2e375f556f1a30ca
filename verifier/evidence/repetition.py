"""Recognise when texts of unknown publishers are one source.

A rumour repeated in similar words is not a second source. The same holds for an instruction. Anyone can open ten sites
and put one sentence on each, with a word changed. Listed publishers may report the same in similar words, as agencies'
customers do; texts that copy each other word for word are one source under any publisher (see independence.py).
"""

from __future__ import annotations

from kb.record import Origin
from verifier.schema import Evidence
from verifier.text.stems import stems

LIKE_WORDS = 0.75
"""Lowest share of the shorter text's words in the longer that makes a repetition.

Of 180 pairs of repetitions (tests/data/adversarial_repetition.jsonl) all share 0.86 or more; of 12 pairs of independent
reports none shares more than 0.71.
"""
_FEWEST_WORDS = 3


def repeats(piece: Evidence, other: Evidence) -> bool:
    """Return whether two pieces of unlisted publishers say the same, on the same side.

    What the user handed over or added is vouched for, so it is never a repetition.
    """
    if any(found.listed or found.origin is Origin.USER for found in (piece, other)):
        return False
    if piece.stance is None or other.stance is None or piece.stance.label is not other.stance.label:
        return False  # a denial uses the words of what it denies
    shorter, longer = sorted((set(stems(piece.text, shortest=4)), set(stems(other.text, shortest=4))), key=len)
    return len(shorter) >= _FEWEST_WORDS and len(shorter & longer) / len(shorter) >= LIKE_WORDS
