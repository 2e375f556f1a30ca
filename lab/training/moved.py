"""Rows that teach what a text on the claim's subject does not do where it does not say it: support the claim.

Public sets pair a false claim with a text that contradicts it. A reader that saw nothing else takes whatever is on the subject for support:
"Dolphins breathe air with lungs and feed their young with milk", of "Dolphins lay eggs". So what one starter fact says of its subject is moved to
the subject of a fact near it, and paired with texts that say hardly a word of it. They may refute it or leave it open.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kb.chunk import sentences
from kb.store.evidence_store import Embed
from lab.training.beside import PRONOUN
from models.pairs import NOT_SUPPORTED, TRAIN, Pair
from verifier.claim.clauses import subject_of
from verifier.text.stems import stems_and_figures

_FRONTED = re.compile(r"(?:In|On|At|The same)\b")
_DENIES = re.compile(r" not |n't\b")
_MANY = frozenset("are were have do".split())
_ONE = frozenset("is was has does".split())
_SUBJECT, _SAID = 5, range(3, 15)
"""Words of a subject at most, and of what is said of it."""
_NEAREST = 60
"""Statements nearest to a passage among which one of another subject is looked for, and"""
_LIKELY = 8
"""of how many of these one is drawn."""
_FOUND = 6
"""Passages nearest to the claim, as a search would find them."""
_HALF = 0.5
"""A text that holds more than this share of the words may say it after all."""
_SENTENCE, _OF_THE_OTHER = 0.3, 0.15
"""How many claims come with a sentence alone as well, and with the statement from which they were moved, which is of another."""

Statement = tuple[int, str, str, str]
"""Number of the passage, subject, what is said of it, the whole sentence."""


def moved_pairs(
    passages: Sequence[str], vectors: NDArray[np.float32], embed: Embed, count: int, rng: random.Random
) -> list[Pair]:
    """Make at most `count` claims that hold of another subject, each with one text or more that does not support it.

    Args:
        passages: what is written, each on one topic.
        vectors: theirs, of length 1, shape (passages, n).
        embed: claims -> unit vectors, shape (claims, n).
        count: of claims.
        rng: draws.
    """
    found = [statement for at, passage in enumerate(passages) for statement in _statements(at, passage)]
    of_statements = vectors[[at for at, *_ in found]]
    claims = list[tuple[str, Statement, Statement]]()
    for own in rng.sample(found, len(found)):
        if len(claims) >= count:
            break
        near = np.argsort(-(of_statements @ vectors[own[0]]))[:_NEAREST]
        others = [found[k] for k in near if _fits(own, found[k], passages[own[0]])][:_LIKELY]
        if others:
            other = rng.choice(others)
            claims.append((f"{own[1]} {other[2]}", own, other))
    nearest = [np.argsort(-(vectors @ claim))[:_FOUND] for claim in embed([claim for claim, *_ in claims])]
    return [
        Pair(claim, text, NOT_SUPPORTED, "made_moved", TRAIN)
        for (claim, own, other), at in zip(claims, nearest, strict=True)
        for text in _texts(own, other, [passages[k] for k in at if k not in (own[0], other[0])], passages, rng)
    ]


def _statements(at: int, passage: str) -> list[Statement]:
    """The plain statements of a passage: a short subject that the sentence begins with, and what is said of it."""
    found = []
    for sentence in sentences(passage):
        unlike = PRONOUN.match(sentence) or _FRONTED.match(sentence) or _DENIES.search(sentence)
        subject = "" if unlike else subject_of(sentence)[0]
        said = sentence[len(subject) :].strip().rstrip(".")
        if subject and sentence.startswith(subject) and len(subject.split()) <= _SUBJECT and len(said.split()) in _SAID:
            found.append((at, subject, said, sentence))
    return found


def _fits(own: Statement, other: Statement, passage: str) -> bool:
    """Whether what is said of another subject can be moved: it agrees in number, and the passage on the subject does not say it."""
    apart = own[0] != other[0] and own[1].lower() != other[1].lower() and _number(own[2]) == _number(other[2])
    return apart and own[1].split()[-1].lower() not in other[2].lower() and not _may_say(passage, other[2])


def _number(said: str) -> str:
    verb = said.split()[0]
    one = verb in _ONE or (verb.endswith("s") and not verb.endswith("ss") and verb not in _MANY)
    return "many" if verb in _MANY else "one" if one else ""


def _may_say(text: str, said: str) -> bool:
    stems, there = stems_and_figures(said), set(stems_and_figures(text))
    return not stems or sum(stem in there for stem in stems) > _HALF * len(stems)


def _texts(
    own: Statement, other: Statement, found: Sequence[str], passages: Sequence[str], rng: random.Random
) -> list[str]:
    """Texts that do not support the claim: of those that a search would find, a sentence of one, the statement on the other."""
    silent = [text for text in (passages[own[0]], *found[:3]) if not _may_say(text, other[2])]
    texts = [rng.choice(silent)] if silent else []
    if silent and rng.random() < _SENTENCE:
        texts.append(rng.choice(sentences(rng.choice(silent))))
    return [*texts, other[3]] if rng.random() < _OF_THE_OTHER else texts
