"""Choose the starter pack statements that can bear on a claim: same subject and topic.

There are two hundred sentences like "The capital of X is Y". For a claim about Uruguay, the one about Panama is close
in meaning and in words. It takes the place of better evidence, and a small model takes it for a contradiction. The same
holds for the currency of Uruguay and a claim about its capital.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kb.record import ID_LENGTH, content_hash
from kb.starter.pack import read_statements
from kb.starter.statement import Kind, Statement

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_STEM, _SHORTEST = 5, 2
_EMPTY = frozenset(
    "the and for from with about than more most but not its has had have was were are their that this other which is it in of to on at by a an "
    "as be no or large larger largest small smaller smallest high higher highest first second third member atomic standard thousand million billion trillion".split()
)
"""Words that say nothing about the topic, or are too common: the largest city is not the largest country."""
_ALSO = {
    Kind.CAPITAL: "seat governed government",
    Kind.LOCATION: "located lies country continent africa asia europe america",
    Kind.AREA: "area big size kilometre square",
    Kind.BORDERS: "neighbour border bordering island",
    Kind.COAST: "coast sea ocean landlocked access shore",
    Kind.HIGHEST_POINT: "mountain mount tallest peak summit point",
    Kind.POPULATION: "people population inhabitant resident live populous citizen home",
    Kind.LANGUAGE: "speak spoken language",
    Kind.RELIGION: "religion faith believe muslim islam christian hindu buddhist catholic jewish",
    Kind.CURRENCY: "currency money pay use euro dollar pound peso rupee krone yuan yen ruble lira",
    Kind.INDEPENDENCE: "colony independent independence ruled",
    Kind.GOVERNMENT: "king queen monarchy republic democracy kingdom",
    Kind.ANTHEM: "anthem song",
    Kind.DOMAIN: "domain",
}
"""Words by which a claim may refer to a topic, besides those of the statement itself."""


_OF_A_YEAR = frozenset({Kind.POPULATION, Kind.RELIGION, Kind.FIGURE, Kind.EXPORTS})
"""Kinds whose figures for one year say nothing about a claim on another."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a query must contain: one of `names` and one of `stems`.

    `years`: the only years that it may name, if there are any.
    """

    names: tuple[str, ...]
    stems: frozenset[str]
    years: frozenset[str]


def bears_on(record_id: str, query: str) -> bool:
    """Return whether a record may bear on a query.

    It does if it is no statement of the pack, or if the query mentions its subject and its topic.

    Raises:
        StoreError: the pack is damaged.
    """
    subject = _subject_of(record_id)
    if subject is None:
        return True
    asked = set(_YEAR.findall(query))
    if subject.years and asked and not asked & subject.years:
        return False
    words, stems = _spread(query)
    named = [name for name in subject.names if f" {name} " in words]
    return bool(named) and bool(subject.stems & (stems - _stems(" ".join(named))))


@lru_cache(maxsize=64)
def _spread(text: str) -> tuple[str, frozenset[str]]:
    """Return a text's lower-case words, each between spaces, and their stems.

    Plurals are followed by their singular ("norwegians", "norwegian").
    """
    words = _words(_POSSESSIVE.sub("", text))
    return f" {' '.join(words)} | {' | '.join(word.removesuffix('s') for word in words)} ", _stems(" ".join(words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _stems(text: str) -> frozenset[str]:
    """Cut all meaningful words to their first letters; numbers say nothing about what is counted.

    The stemmer is its own: this package knows nothing of the verifier, and it takes a plural's s off short words.
    """
    words = (word.removesuffix("s") for word in _words(text) if word not in _EMPTY and not word[0].isdigit())
    return frozenset(word[:_STEM] for word in words if len(word) >= _SHORTEST)


@lru_cache(maxsize=10_000)
def _subject_of(record_id: str) -> _Subject | None:
    """Return the subject of a pack statement, or None if it has none.

    It is computed on first use, since a check asks for few of thousands.
    """
    statement = _with_subject().get(record_id)
    if statement is None:
        return None
    names = tuple(" ".join(_words(name)) for name in statement.about)
    matter = _stems(statement.text) - _stems(" ".join(names))
    years = frozenset(_YEAR.findall(statement.text)) if statement.kind in _OF_A_YEAR else frozenset()
    return _Subject(names, matter | _stems(_ALSO.get(statement.kind, "")), years)


@lru_cache(maxsize=1)
def _with_subject() -> Mapping[str, Statement]:
    """Return record id -> statement, for all statements that have a subject."""
    return {content_hash(s.text)[:ID_LENGTH]: s for s in read_statements() if s.about}
