"""Find the noun phrases of a sentence that say which thing is meant.

Examples: "the Velm Bridge", "a battery factory in Sundby".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from verifier.claim.clauses import starts_with_verb
from verifier.document.nouns import MEASURES, is_plural
from verifier.text.names import names_of

_ARTICLE = re.compile(r"\b(?P<article>the|an?)\s+(?=[\w\u2018\u201c])", re.IGNORECASE)
_WORD = re.compile(r" ?(?P<word>[^\W_][\w'\u2019&-]*|&)")
_ENDS = frozenset(
    "in on at of from near to for with since between during until after before over under than as by into across through about against around and or "
    "but that which who whose whom when where while if because it its he she they his her their this these those not also now still then is are was little few "
    "were has have had will would can could may might must shall should do does did just only more most less".split()
)
_PLACE_OF = re.compile(r" (?:in|of|over|at|near|across|on) (?=(?:the )?[A-Z])")
_COPULA = re.compile(r"\b(?:is|was|are|were|be|been|became|become|remains?|as) (?:not |now |also |still |once )?$")
_APPOSITION = re.compile(r"[\w\u2019'\")], $")
_CHOOSES = re.compile(
    r"(?:first|second|third|last|next|only|same|other|new|old|former|latter|more|most|least|\w{3,}est|own|very|\d.*)$",
    re.I,
)
"""Words that choose one of several.

What is said of "the first transistor" is not said of "the transistor".
"""
_BEHIND = re.compile(
    r"\b(?:in|on|at|of|from|near|to|for|with|since|between|during|until|after|before|over|under|than|as|by|into|across|through|about|against|around) (?:the )?(?:[a-z]+ )?$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r" \d{1,3}\b(?![.,:/]\d| [A-Z])")
"""The number of a name: "Apollo 11"."""
_LINKED = re.compile(r"^(?:also |now |still )?(?:is|was|are|were|became|remains?|has been|had been)\b")
_NEW_THING = re.compile(r"\b(?:a|an|the|its|his|her|their|another|one|this|that)\s+\w", re.IGNORECASE)
_BY_PREPOSITION = re.compile(
    r"\b(?:in|on|at|of|from|near|to|for|with|since|between|during|until|after|before|over|under|than|as|above|below|behind|beneath|along|across|around|through|into)\s+(?:\w+ly\s+)?(?:(?:a|an|the|its|his|her|their|another|one|this|that)\s+)?",
    re.IGNORECASE,
)
_VERB_FOLLOWS = re.compile(
    r" (?!(?:of|in|on|at|and|or|from|to|with|for|by|that|who|which|as|near|than|per|but|is|was)\b)[a-z]+\b(?![,:])"
)
_PLURAL_OPENS = re.compile(rf"(?P<noun>[A-Z][a-z]+(?<![su])s){_VERB_FOLLOWS.pattern}")
_LONGEST = 6
_NEAR = 24
"""Characters read before a phrase to find its role."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase, and how well it says what is meant.

    It has its words without an article and its noun in lower case. `definite`: it has "the" or is a name. `says`: it
    has more than its noun. `named`: it contains a name. `told`: it is said of something else ("is a company", ", a
    company,"). `chooses`: it picks one of several. `bare`: it has no article, as a name has none. `aside`: it follows a
    preposition.
    """

    words: str
    head: str
    definite: bool
    says: bool
    named: bool
    told: bool = False
    chooses: bool = False
    bare: bool = False
    aside: bool = False

    @property
    def plural(self) -> bool:
        """Whether several things are meant."""
        return is_plural(self.head) and not (self.bare and self.named)

    @property
    def whole(self) -> str:
        """The phrase that names the thing again."""
        return self.words if self.bare else f"the {self.words}"


def phrases_of(sentence: str) -> tuple[Phrase, ...]:
    """Find the noun phrases with an article, and the names outside them, in order."""
    names = names_of(sentence)
    found: dict[int, Phrase] = {}
    covered: list[tuple[int, int]] = []
    for match in _ARTICLE.finditer(sentence):
        if any(start <= match.start() < end for start, end in covered):
            continue
        phrase, end = _phrase(sentence, match)
        if phrase:
            found[match.start()] = phrase
            covered.append((match.start(), end))
    for name in names:
        at = sentence.find(name)
        if not any(start <= at < end for start, end in covered):
            aside = bool(_BEHIND.search(sentence[max(0, at - _NEAR) : at]))
            number = _NUMBERED.match(sentence, at + len(name))
            found[at] = Phrase(
                name + (number[0] if number else ""), name.split()[-1].lower(), True, True, True, bare=True, aside=aside
            )
    return tuple(found[at] for at in sorted(found) if found[at].head not in MEASURES)


def _phrase(sentence: str, article: re.Match[str]) -> tuple[Phrase | None, int]:
    """Return the phrase after an article, and where it ends."""
    words, end = list[str](), article.end()
    while len(words) < _LONGEST and (found := _WORD.match(sentence, end)):
        word = found["word"]
        if word.lower() in _ENDS or (words and word[0].islower() and starts_with_verb(word)) or word.endswith("ly"):
            break
        words.append(word)
        end = found.end()
    while words and not words[-1][0].isalpha():
        words.pop()
    if not words:
        return None, end
    named = any(word[0].isupper() for word in words)
    text, head = " ".join(words), _head(words)
    place = _PLACE_OF.match(sentence, end)
    where = next((name for name in names_of(f"x {sentence[place.end() :]}")), "") if place else ""
    if place and where and sentence[place.end() :].removeprefix("the ").startswith(where):
        tail = sentence[end : sentence.find(where, place.end()) + len(where)]
        text, end, named = text + tail, end + len(tail), True
    before = sentence[max(0, article.start() - _NEAR) : article.start()]
    told = bool(_COPULA.search(before) or _APPOSITION.search(before))
    definite, chooses = article["article"].lower() == "the", bool(_CHOOSES.match(words[0])) and len(words) > 1
    aside = bool(_BEHIND.search(before))
    return Phrase(text, head, definite, len(text.split()) > 1, named, told, chooses, aside=aside), end


def _head(words: list[str]) -> str:
    """Return the noun of a phrase.

    Examples: "Velm Bridge" -> bridge; "bakery chain Hollin & Sons" -> chain.
    """
    small = [word for word in words if word[0].islower()]
    return (small[-1] if small and words[-1][:1].isupper() else words[-1]).lower()


def tells_of_nothing_else(rest: str) -> bool:
    """Return whether what follows a subject names no second thing that "it" could mean.

    Examples: "was completed in 1889", "has 60 seats".
    """
    rest = _LINKED.sub("", rest, count=1).strip()
    rest = re.sub(r"^(?:not )?(?:a|an|the|one of the)\s+", "", rest)
    rest = _BY_PREPOSITION.sub("in ", rest)
    others = [name for name in names_of(f"x {rest}") if not re.search(rf"\bin (?:\w+ )?{re.escape(name)}", rest)]
    return not _NEW_THING.search(rest) and not others


def no_other_several(rest: str) -> bool:
    """Return whether what follows a subject names no second things that "they" could mean.

    "won the final" names none, "met the teachers" does.
    """
    rest = _BY_PREPOSITION.sub("in ", rest)
    return not any(is_plural(word) for word in re.findall(r"(?<!in )\b[a-z]{4,}\b", rest))


def last_noun(phrase: str) -> str:
    """Return the noun of a subject in words of its own.

    Example: "the bridge over Tarn Sound" -> bridge.
    """
    return (re.split(r" (?:in|over|on|at|from|for|with|to|between|near) ", phrase)[0].split() or [""])[-1].lower()


def names_several(phrase: str) -> bool:
    """Return whether a subject in words of its own has the form of a plural."""
    return is_plural(last_noun(phrase))


def opening_of(sentence: str, names: Sequence[str]) -> str:
    """Find the name or plural before an unknown verb.

    Examples: "Bees pollinate", "Norway exports". It is "" if there is none.
    """
    name = names[0] if names and sentence.startswith(names[0]) else ""
    plural = _PLURAL_OPENS.match(sentence)
    if name and _VERB_FOLLOWS.match(sentence[len(name) :]):
        return name
    return plural["noun"] if plural else ""


def are_joined(subject: str, names: Sequence[str]) -> bool:
    """Return whether a subject is names joined by "and": "Armstrong and Aldrin"."""
    parts = re.split(r", and | and |, ", subject)
    return len(parts) > 1 and all(part in names for part in parts)
