"""Rows that teach what another fact of the same subject settles: nothing.

Public sets pair a claim with a text that settles it, with one that was changed by a word, or with one about something else. "The Mona
Lisa hangs in the Louvre" beside "The Mona Lisa was painted by Leonardo da Vinci" is none of these, and a reader that never saw its like takes the
text for a contradiction. The starter facts have such pairs by the thousand: the sentences of one passage.
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
    """Sentences of passages as claims, each with another sentence, or with all others, of its passage: not enough info."""
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
    """A sentence of a passage as claim, with the passage: supported."""
    pairs = []
    for passage in rng.sample(list(passages), min(count, len(passages))):
        parts = [part for part in sentences(passage) if not PRONOUN.match(part)]
        if parts:
            pairs.append(Pair(rng.choice(parts).rstrip("."), passage, SUPPORTS, "made_stated", TRAIN))
    return pairs


def contrasted_pairs(passages: Sequence[str], count: int, seed: int) -> list[Pair]:
    """What rules make of sentences of the passages: changed, denied, retold."""
    return make_contrasts(plain_sentences([(passage, sentences(passage)) for passage in passages]), count, seed)
