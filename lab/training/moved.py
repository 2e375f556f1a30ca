"""Make rows that teach that a text on the claim's subject need not support it.

Public sets pair a false claim with a text that contradicts it. A reader that saw nothing else takes any text on the
subject for support: "Dolphins breathe air with lungs and feed their young with milk", for "Dolphins lay eggs". So what
one starter fact says about its subject is moved to the subject of a fact near it. The moved claim is paired with texts
that say hardly a word of it; they may refute it or leave it open.
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
"""Most words in a subject, and the range of words said about it."""
_NEAREST = 60
"""Statements nearest to a passage that are searched for one about another subject."""
_LIKELY = 8
"""One is drawn from this many of those that fit."""
_FOUND = 6
"""Passages nearest to the claim, as a search would find them."""
_HALF = 0.5
"""A text that holds more than this share of the words may say it."""
_SENTENCE, _OF_THE_OTHER = 0.3, 0.15
"""Shares of claims that also come with a single sentence, and with their original statement.

That statement is about another subject.
"""

Statement = tuple[int, str, str, str]
"""Number of the passage, subject, what is said of it, the whole sentence."""


def moved_pairs(
    passages: Sequence[str], vectors: NDArray[np.float32], embed: Embed, count: int, rng: random.Random
) -> list[Pair]:
    """Make at most `count` claims that hold for another subject.

    Each has one text or more that does not support it.

    Args:
        passages: texts, each on one topic.
        vectors: of the passages, of length 1, shape (passages, n).
        embed: claims -> unit vectors, shape (claims, n).
        count: the most claims to make.
        rng: makes the random choices.
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
    """Find the plain statements of a passage.

    Each begins with a short subject, followed by what is said about it.
    """
    found = []
    for sentence in sentences(passage):
        unlike = PRONOUN.match(sentence) or _FRONTED.match(sentence) or _DENIES.search(sentence)
        subject = "" if unlike else subject_of(sentence)[0]
        said = sentence[len(subject) :].strip().rstrip(".")
        if subject and sentence.startswith(subject) and len(subject.split()) <= _SUBJECT and len(said.split()) in _SAID:
            found.append((at, subject, said, sentence))
    return found


def _fits(own: Statement, other: Statement, passage: str) -> bool:
    """Check whether what `other` says can be moved to the subject of `own`.

    It must agree in number, and the passage on the subject must not say it.
    """
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
    """Choose texts that do not support the claim.

    They are a text that a search would find, a sentence of one, and the statement about the other subject.
    """
    silent = [text for text in (passages[own[0]], *found[:3]) if not _may_say(text, other[2])]
    texts = [rng.choice(silent)] if silent else []
    if silent and rng.random() < _SENTENCE:
        texts.append(rng.choice(sentences(rng.choice(silent))))
    return [*texts, other[3]] if rng.random() < _OF_THE_OTHER else texts
