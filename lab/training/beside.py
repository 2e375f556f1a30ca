"""Make rows that teach that another fact about the same subject settles nothing.

Public sets pair a claim with a text that settles it, a text changed by one word, or a text about something else. "The
Mona Lisa hangs in the Louvre" with "The Mona Lisa was painted by Leonardo da Vinci" is none of these. A reader that
never saw such a pair takes the text for a contradiction. The starter facts hold thousands of such pairs: the sentences
of one passage.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from kb.chunk import sentences
from lab.training.contrasts import make_contrasts, plain_sentences
from models.pairs import NOT_ENOUGH_INFO, SUPPORTS, TRAIN, Pair

_PER_PASSAGE = 2
PRONOUN = re.compile(r"(?:It|They|He|She|This|These|That|Those|Its|Their|His|Her|Both|Such|There)\b")


def beside_pairs(passages: Sequence[str], rng: random.Random) -> list[Pair]:
    """Pair sentences, as claims, with others of their passage: not enough info.

    The text is one other sentence of the passage, or all others.
    """
    pairs = []
    for passage in passages:
        parts = sentences(passage)
        found = [(part, other) for part in parts for other in parts if other != part]
        if len(parts) > 2:
            found += [(part, " ".join(other for other in parts if other != part)) for part in parts]
        found = [(claim, text) for claim, text in found if not PRONOUN.match(claim)]
        pairs += [
            Pair(claim.rstrip("."), text, NOT_ENOUGH_INFO, "beside", TRAIN)
            for claim, text in rng.sample(found, min(_PER_PASSAGE, len(found)))
        ]
    return pairs


def stated_pairs(passages: Sequence[str], count: int, rng: random.Random) -> list[Pair]:
    """Pair a sentence of a passage, as claim, with the passage: supported."""
    pairs = []
    for passage in rng.sample(list(passages), min(count, len(passages))):
        parts = [part for part in sentences(passage) if not PRONOUN.match(part)]
        if parts:
            pairs.append(Pair(rng.choice(parts).rstrip("."), passage, SUPPORTS, "made_stated", TRAIN))
    return pairs


def contrasted_pairs(passages: Sequence[str], count: int, seed: int) -> list[Pair]:
    """Change, deny and retell sentences of the passages by rules."""
    return make_contrasts(plain_sentences([(passage, sentences(passage)) for passage in passages]), count, seed)
