"""Reword a claim: sentences that say the same, and sentences that rule it out.

"Venus is hotter than Mercury" is the same as "Mercury is cooler than Venus" and is ruled out by "Mercury is hotter than
Venus". Only exchanges that leave no third case are made, so no model is needed to read a sentence in one of these
wordings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from verifier.claim.clauses import subject_of

_COMPARATIVES = (
    "larger smaller,bigger smaller,greater lesser,taller shorter,higher lower,longer shorter,heavier lighter,older younger,older newer,hotter colder,"
    "hotter cooler,warmer colder,warmer cooler,faster slower,quicker slower,deeper shallower,wider narrower,thicker thinner,stronger weaker,harder softer,"
    "brighter dimmer,richer poorer,closer farther,closer further,nearer farther,nearer further,earlier later,better worse,denser lighter"
)
_PLACES = "before after,above below,north south,east west"
_ROLES = "teacher student,teacher pupil,tutor student,tutor pupil,predecessor successor,father son,father daughter,mother son,mother daughter,parent child"
"""Roles of which a person has only one towards the same other person."""
_OPPOSITES = (
    "won lost,win lose,wins loses,expand contract,expands contracts,increase decrease,increases decreases,positive negative,odd even,left right,"
    "left-handed right-handed,clockwise anticlockwise,clockwise counterclockwise,acidic alkaline,soluble insoluble,legal illegal,dead alive,"
    "warm-blooded cold-blooded,nocturnal diurnal,deciduous evergreen,conductor insulator,largest smallest,biggest smallest,longest shortest,"
    "tallest shortest,highest lowest,hottest coldest,oldest youngest,fastest slowest,closest farthest,nearest farthest,heaviest lightest,"
    "strongest weakest,hardest softest,deepest shallowest,brightest dimmest"
)
"""Words of which only one is true of a thing in the same respect."""
_KINDS = (
    "mammal bird reptile amphibian fish insect arachnid crustacean mollusc",
    "vertebrate invertebrate",
    "carnivore herbivore omnivore",
    "carnivorous herbivorous omnivorous",
    "virus bacterium bacteria fungus parasite",
    "planet star moon galaxy asteroid",
)
"""Kinds of which a thing is at most one.

Used if a claim says what kind its subject is, or what causes it.
"""
_IS_OF_THE_KIND = re.compile(r"\b(?:is|are|was|were|by) (?:an? )?(?P<kind>[a-z]+)$")
_DENIES = re.compile(r"\b(?:not|never|no|nor|neither|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_MUCH = r"(?:much |far |slightly |even |a little |a lot )?"
_COMPARED = re.compile(
    rf"^(?P<one>.+?) (?P<link>[a-z]+ {_MUCH})(?P<how>(?:more|less|fewer)(?: [a-z-]+){{1,2}}|[a-z]+er) than (?P<other>.+)$"
)
_AT = r"(?:in|on|at|by|with|for|under|during|near|through)"
_COMPARED_AT = re.compile(
    rf"^(?P<what>.+? (?:an? )?)(?P<how>{'|'.join(sorted({word for pair in _COMPARATIVES.split(',') for word in pair.split()}))})(?P<rest>(?: [a-z]+)?) "
    rf"(?P<one>{_AT} .+?) than (?P<other>{_AT} .+)$"
)
"""One thing in two places: "Sound travels faster in water than in air"."""
_PLACED = re.compile(
    r"^(?P<one>.+?) (?P<link>[A-Za-z]+(?: (?:located|situated|to the))? )(?P<how>before|after|above|below|(?:north|south|east|west) of) (?P<other>.+)$"
)


def _pairs(table: str) -> dict[str, tuple[str, ...]]:
    """Map each word of a table of pairs to its opposites."""
    opposites: dict[str, tuple[str, ...]] = {}
    for pair in table.split(","):
        for word, other in (pair.split(), pair.split()[::-1]):
            opposites[word] = (*opposites.get(word, ()), other)
    return opposites


_MORE_OR_LESS = _pairs(_COMPARATIVES) | {"more": ("less", "fewer"), "less": ("more",), "fewer": ("more",)}
_PLACE = _pairs(_PLACES)
_OPPOSITE = _pairs(_OPPOSITES)
_CONVERSE = _pairs(_ROLES)
_RELATED = re.compile(
    rf"^(?P<one>.+?) (?P<link>is|was) (?:the|an?) (?P<role>{'|'.join(sorted(_CONVERSE))}) of (?P<other>.+)$"
)
_OTHER_KINDS = {
    kind: tuple(other for other in group.split() if other != kind) for group in _KINDS for kind in group.split()
}


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence, and whether the claim holds if the sentence does."""

    text: str
    holds: bool


@lru_cache(maxsize=64)
def wordings_of(claim: str) -> tuple[Wording, ...]:
    """Reword a claim, its own words first.

    A claim that denies something has no other wording.
    """
    text = claim.rstrip(" .!")
    if _DENIES.search(text):
        return (Wording(text, True),)
    others = (_compared, _compared_at, _related, _exchanged, _of_other_kinds)
    return (Wording(text, True), *(wording for otherwise in others for wording in otherwise(text)))


def _compared(text: str) -> Iterator[Wording]:
    """Swap the sides of a comparison or use the opposite word.

    Either rules the claim out; both together say the same.
    """
    for pattern, opposites in ((_COMPARED, _MORE_OR_LESS), (_PLACED, _PLACE)):
        found = pattern.match(text)
        if not found or found["how"].split()[0] not in opposites:
            continue
        one, link, how, other = found.group("one", "link", "how", "other")
        than = " than" if pattern is _COMPARED else ""
        word, _, rest = how.partition(" ")
        yield Wording(f"{other} {link}{how}{than} {one}", False)
        for opposite in opposites[word]:
            turned = f"{opposite} {rest}".rstrip()
            yield Wording(f"{one} {link}{turned}{than} {other}", False)
            yield Wording(f"{other} {link}{turned}{than} {one}", True)
        return


def _compared_at(text: str) -> Iterator[Wording]:
    """Swap the two places of a comparison, use the opposite word, or both."""
    found = _COMPARED_AT.match(text)
    if not found:
        return
    what, how, rest, one, other = found.group("what", "how", "rest", "one", "other")
    yield Wording(f"{what}{how}{rest} {other} than {one}", False)
    for opposite in _MORE_OR_LESS[how]:
        yield Wording(f"{what}{opposite}{rest} {one} than {other}", False)
        yield Wording(f"{what}{opposite}{rest} {other} than {one}", True)


def _related(text: str) -> Iterator[Wording]:
    """Swap the sides of a relation, use the converse role, or both.

    Example, for a claim with Aristotle as the teacher: "Plato was the teacher of Aristotle".
    """
    found = _RELATED.match(text)
    if not found:
        return
    one, link, role, other = found.group("one", "link", "role", "other")
    yield Wording(f"{other} {link} {role} of {one}", False)
    for converse in _CONVERSE[role]:
        yield Wording(f"{one} {link} {converse} of {other}", False)
        yield Wording(f"{other} {link} {converse} of {one}", True)


def _exchanged(text: str) -> Iterator[Wording]:
    """Replace one word of what the claim says about its subject by its opposite."""
    subject = subject_of(text)[0]
    said = text[len(subject) :]
    for word in re.findall(r"[a-z-]+", said):
        if word in _OPPOSITE and len(re.findall(rf"\b{word}\b", text)) == 1:
            yield from (
                Wording(subject + re.sub(rf"\b{word}\b", other, said), False)
                for other in _OPPOSITE[word]
                if other not in text
            )


def _of_other_kinds(text: str) -> Iterator[Wording]:
    """Replace the kind that the claim gives its subject by another kind."""
    found = _IS_OF_THE_KIND.search(text)
    if not found:
        return
    kind = next((kind for kind in (found["kind"], found["kind"][:-1], found["kind"][:-2]) if kind in _OTHER_KINDS), "")
    for other in _OTHER_KINDS.get(kind, ()):
        yield Wording(text[: found.start("kind")] + other, False)
