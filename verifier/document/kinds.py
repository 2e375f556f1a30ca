"""Remember what a text calls its names.

Examples: "Nokia is a Finnish company", "the town of Ardmore", "President Olsen".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from verifier.document.nouns import NO_PERSON, NOUNS, PLACES, ROLES, THINGS, TITLES
from verifier.text.names import PARTICLES

_IS_A = r"(?:is|was|are|were|became|remains)\s+(?:a|an|the|one of the)\s"
_PEOPLED = r"(?:has|had|with) (?:\w+ )?[\d,.]+ (?:million )?(?:inhabitants|residents|people)\b"
"""What is said only of a place."""


@dataclass(slots=True)
class Kinds:
    """The nouns used for names, and which names are places, things, persons or follow "the".

    `styled`: a kind and a name -> both of them, if a text says "the river Sill".
    """

    called: dict[str, dict[str, None]] = field(default_factory=dict)
    places: set[str] = field(default_factory=set)
    things: set[str] = field(default_factory=set)
    articled: set[str] = field(default_factory=set)
    styled: dict[tuple[str, str], str] = field(default_factory=dict)
    _persons: set[str] = field(default_factory=set)

    def note(self, sentence: str, name: str) -> None:
        """Record what a sentence calls a name."""
        at = re.escape(name)
        if re.search(rf"\b(?:in|from|near|to|at|over|across) (?:the )?{at}|{at} {_PEOPLED}", sentence, re.IGNORECASE):
            self.places.add(name)
        if re.search(rf"\bthe {at}\b", sentence, re.IGNORECASE):
            self.articled.add(name)
        first, last = name.split()[0].lower(), name.split()[-1].lower()
        kinds = {word for word in (first, last) if word in NOUNS and " " in name}
        kinds |= {word.lower() for word in name.split() if " of " in name and word.lower() in NOUNS}
        for pattern in (
            rf"{at},? {_IS_A}(?P<what>[^.,;]{{0,80}})",
            rf"{at}, (?:a|an|the) (?P<what>[^,.;]{{0,60}})",
            rf"\b(?:the|an?) (?P<what>(?:[\w-]+ ){{0,3}}?(?:{'|'.join(sorted(NOUNS))})) (?:of )?{at}",
            rf"\b(?P<what>{'|'.join(sorted(ROLES))}) {at}",
            rf"^(?P<what>[^.,;]{{2,80}}) (?:is|was) {at}[.!]?$",
        ):
            for found in re.finditer(pattern, sentence, re.IGNORECASE):
                kinds |= set(_head(found["what"]))
        for kind in kinds & (PLACES | THINGS):
            if re.search(rf"\bthe {kind} {at}", sentence, re.IGNORECASE):
                self.styled[kind, name] = f"the {kind} {name}"
        for kind in kinds:
            self.called.setdefault(kind, {}).setdefault(name)
        if kinds & ROLES or first.rstrip(".") in TITLES:
            self._persons.add(name)

    def of(self, name: str) -> set[str]:
        """Return the nouns used for a name."""
        return {kind for kind, names in self.called.items() if name in names}

    def is_person(self, name: str) -> bool:
        """Return whether a name has a title or was called by a noun for persons."""
        return name in self._persons

    def may_be_person(self, name: str) -> bool:
        """Return whether a name looks like a person's.

        It has two or three words, none of them of a place or a body.
        """
        if self.is_person(name):
            return True
        words = [word.lower().rstrip(".") for word in name.split()]
        if (
            self.of(name) - ROLES
            or name in self.places | self.things | self.articled
            or NO_PERSON & set(words)
            or not 2 <= len(words) <= 4
        ):
            return False
        return (
            not name.isupper()
            and len(words[-1]) > 1
            and all(word[0].isupper() or word in PARTICLES - {"of", "and"} for word in name.split())
        )

    def persons(self, names: Sequence[str]) -> list[str]:
        """List the names that may be persons, each once: "Curie" is "Marie Curie"."""
        origins = [name.split(" of ")[0] for name in names]  # "Ana Ruiz of Spain"
        once = list(dict.fromkeys(name for name in (*names, *origins) if self.may_be_person(name)))
        return [name for name in once if not any(set(name.split()) < set(other.split()) for other in once)]


def _head(what: str) -> Sequence[str]:
    """Return the last kind of thing before a preposition: "a Finnish company with" -> company."""
    words = re.split(r"\b(?:of|in|from|that|which|who|with|for|by|on|at|to)\b", what)[0].lower().split()
    return [word for word in words[-2:] if word in NOUNS | ROLES][-1:]
