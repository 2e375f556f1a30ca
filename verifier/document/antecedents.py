"""Remember what a text has named, and decide what later words mean.

Such words are a pronoun, or a noun such as "the company". The last sentence counts first: what it is about, then whose
that is. Next comes what the whole text is about (the centering of Grosz, Joshi and Weinstein, 1995, in its simplest
form). If two things fit, none is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verifier.claim.clauses import subject_of
from verifier.document.kinds import Kinds
from verifier.document.nouns import BUSINESS, FIRMS, NOUNS, PERSONS, PLACES, ROLES, THINGS, is_plural
from verifier.document.phrases import (
    Phrase,
    are_joined,
    names_several,
    no_other_several,
    opening_of,
    phrases_of,
    tells_of_nothing_else,
)
from verifier.document.topic import Topic
from verifier.text.names import names_of

_ASIDE = re.compile(r" \([^()]{0,80}\)")
_GOES_ON = re.compile(r"\b(?:it|its)\b", re.IGNORECASE)
_SEVERAL_GO_ON = re.compile(r"\b(?:they|their|them)\b", re.IGNORECASE)
_AUTHORS = re.compile(r"\b(?:our|us)\b", re.IGNORECASE)
_IT = re.compile(r"\bit\b")
_HIM = re.compile(r"\bhim\b", re.IGNORECASE)
_HER = re.compile(r"\bher(?=[.,;!]|$| (?:in|to|at|for|of|on|with|by|as|from|and|that)\b)", re.IGNORECASE)
"""Someone who is meant but is not the subject."""
_OF_ALL = re.compile(r"is (?!to be\b|being\b|\w+ed\b)|has (?!been\b)")
_OWNED = re.compile(r"^(?P<owner>.{2,60}?)(?:['\u2019]s|(?<=s)['\u2019]) (?P<owned>.+)$")
_NOT_ONE = re.compile(r"['\u2019]s?\b|\b(?:of|and|or|that|which|who|whose|as)\b|[,;:()\d]")
_DETERMINERS = frozenset(
    "a an this that these those some any no all many most much more few several each every one two three four five six seven eight nine ten eleven twelve twenty dozens hundreds thousands millions half another other such it he they she i we you his her its their my our there here what both neither either".split()
)
_POINTS = re.compile(r"^(?:he|she|it|they|his|her|its|their|this|that|these|those|my|our|your)\b", re.IGNORECASE)
_LONGEST_PHRASE = 6
_APART = 3
"""Number of sentences back in which a name is looked for."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What one sentence named.

    `subject` is the name it is about, `phrase` a subject in words of its own, `owned` what belongs to someone ("Nokia's
    profit", and whose), `several` names joined by "and", `lone` the one thing that a person has to do with. Each is ""
    if the sentence is about something else, or if a pronoun could mean a second thing in it. `goes_on`: it speaks of
    what was meant before without naming it.
    """

    subject: str
    names: tuple[str, ...]
    only_topic: bool
    roles: frozenset[str] = frozenset()
    unsure: bool = False
    of_business: bool = False
    phrase: str = ""
    about: str = ""
    owner: str = ""
    owned: str = ""
    several: str = ""
    goes_on: bool = False
    several_go_on: bool = False
    rival: bool = False
    is_named: bool = False
    lone: str = ""
    him: bool = False
    her: bool = False
    words: frozenset[str] = frozenset()


@dataclass(slots=True)
class Antecedents:
    """What a part of a text has named so far."""

    _before: list[_Read] = field(default_factory=list)
    kinds: Kinds = field(default_factory=Kinds)
    _longer: dict[str, dict[str, None]] = field(default_factory=dict)
    _topic: Topic = field(default_factory=Topic)

    def forget(self) -> None:
        """Begin a new part of the text, whose pronouns mean nothing before it."""
        self._before, self._topic = [], Topic()

    def note(self, text: str, unclear: bool, of_person: bool, of_topic: bool) -> None:
        """Record a sentence; its words stand alone unless it is `unclear`.

        `of_person`: it begins with a person without a name; `of_topic`: it speaks of what the text is about.
        """
        sentence = _ASIDE.sub("", text)
        names, phrases = names_of(sentence), phrases_of(sentence)
        for name in names:
            self.kinds.note(sentence, name)
        for found in phrases:
            if found.says and not (found.told or found.chooses) and (found.definite or found.named) and not found.bare:
                self._longer.setdefault(found.head, {}).setdefault(found.whole)
        subject = subject_of(sentence)[0] or opening_of(sentence, names)
        read = self._subject(sentence, subject, names, unclear)
        if subject and _AUTHORS.search(subject):
            self._topic.leave()
        elif subject:
            self._topic.note(read.subject or read.about, phrases, self.kinds)
        read = replace(
            read,
            roles=(ROLES & set(re.findall(r"[a-z]+", sentence))) - self.kinds.of(read.subject),
            unsure=unclear and of_person,
            of_business=bool(BUSINESS.search(sentence)),
            goes_on=of_topic or bool(_GOES_ON.search(sentence)),
            several_go_on=bool(_SEVERAL_GO_ON.search(sentence)),
            rival=any(self._is_rival(sentence, found) for found in phrases),
            him=bool(_HIM.search(sentence)),
            her=bool(_HER.search(sentence)),
            lone=self._lone(sentence, subject, phrases),
            words=frozenset(re.findall(r"[^\W\d_]+", sentence.lower())),
        )
        self._before = [*self._before[1 - _APART :], read]

    def _subject(self, sentence: str, subject: str, names: tuple[str, ...], unclear: bool) -> _Read:
        """Return what a sentence is about, and how surely."""
        named = [name for name in names if name in subject]
        own = named[0] if len(named) == 1 and subject.lower() in {named[0].lower(), f"the {named[0].lower()}"} else ""
        rest = sentence.split(subject, 1)[-1].strip() if own or subject else sentence
        alone = tells_of_nothing_else(rest) and not _IT.search(rest)
        if unclear:
            return _Read(own, names, bool(own) and alone, about=own)
        phrase = "" if own else self._phrase(sentence, subject, named)
        owner, owned = self._owned(subject) if alone else ("", "")
        is_named = "" if own else self._is_named(rest)
        return _Read(
            subject=is_named or own,
            names=names,
            only_topic=bool(is_named) or (bool(own) and alone),
            is_named=bool(is_named),
            phrase=phrase if (no_other_several(rest) if names_several(phrase) else alone) else "",
            about=own or phrase,
            owner=owner,
            owned=owned,
            several=subject if alone and are_joined(subject, names) else "",
        )

    def person(self, she: bool) -> str:
        """Return the person that "he" (or "she") means.

        That is the only one near, else the one the text is about.
        """
        if any(read.her if she else read.him for read in self._before):
            return ""
        for reads in (self._before[-1:], self._before):
            persons = self.kinds.persons([name for read in reads for name in read.names])
            roles = frozenset(role for read in reads for role in read.roles)
            if len(persons) > 1 or any(read.unsure for read in reads):
                return ""
            if persons:
                return persons[0] if roles <= self.kinds.of(persons[0]) else ""
            if roles:
                return ""
        first = self._topic.first
        return first if first and self.kinds.may_be_person(first) else ""

    def thing(self) -> str:
        """Return what "it" means.

        That is what the last sentence is about, if not a person and it mentions no other thing.
        """
        last = self._before[-1] if self._before else None
        if not last:
            return ""
        known = self.kinds.is_person if last.is_named else self.kinds.may_be_person
        if last.subject and last.only_topic and not known(last.subject):
            self.kinds.things.add(last.subject)
            return last.subject
        if last.owner and not is_plural(last.owner):
            return last.owner if not self.kinds.may_be_person(last.owner) else last.owned
        return last.phrase if last.phrase and not names_several(last.phrase) else last.lone

    def things(self) -> str:
        """Return what "they" means: what the last sentence is about, if that is several things."""
        last = self._before[-1] if self._before else None
        if not last:
            return ""
        owned = last.owned if last.owned and names_several(last.owned) else ""
        return last.several or owned or (last.phrase if last.phrase and names_several(last.phrase) else "")

    def near_persons(self) -> list[str]:
        """Return the persons of the last sentences."""
        return self.kinds.persons([name for read in self._before for name in read.names])

    def others_near(self) -> bool:
        """Return whether a person without a name is near."""
        return any(read.unsure or read.roles for read in self._before)

    def topic(self, sentence: str, several: bool | None = None) -> str:
        """Return what the text is about, to append to a sentence.

        It is "" if unknown or already in it. `several`: the sentence speaks of one thing (False) or of several (True),
        and not of a person; None: of anything.
        """
        if several is None:
            return self._topic.behind(sentence)
        last = self._before[-1] if self._before else None
        goes_on = last and (last.several_go_on if several else last.goes_on)
        if not goes_on and (not last or (last.rival if not several else not self._topic.is_subject(last.about))):
            return ""
        return self._topic.meant(sentence, several, self.kinds)

    def topic_thing(self, sentence: str) -> str:
        """Return the text's main thing, for an "it" without a meaning in its sentence."""
        return self._topic.meant(sentence, False, self.kinds)

    def was_said(self, noun: str) -> bool:
        """Return whether one of the last two sentences has this noun."""
        return any(noun.lower() in read.words for read in self._before[-2:])

    def longer(self, noun: str) -> str:
        """Return the only longer phrase with this noun.

        Example: "the factory" is "the battery factory in Sundby".
        """
        one, ending = (noun, "") if noun in self._longer or not is_plural(noun) else (noun[:-1], "s")
        found = [*self._longer.get(one, {})]
        return found[0] + ending if len(found) == 1 and (not ending or found[0].endswith(one)) else ""

    def called(self, noun: str) -> str | None:
        """Return the only name that was called by this noun.

        It is "" if several were, None if none was.
        """
        names = [*self.kinds.called.get(noun, {})]
        near = {name for read in self._before for name in read.names}
        if len(names) > 1:
            names = [name for name in names if name in near]
        return (names[0] if len(names) == 1 else "") if names else None

    def fits_topic(self, noun: str, name: str = "") -> bool:
        """Return whether this noun may mean `name`, or what the text is about.

        Nothing was called by it so far.
        """
        about = name or self._topic.first
        if not about:
            return False
        person, kinds = self.kinds.may_be_person(about), self.kinds.of(about)
        if noun in PERSONS:
            return person and self.kinds.is_person(about) and bool(name)
        if noun in FIRMS:
            business = self._before[-1].of_business if name else any(read.of_business for read in self._before)
            return business and not (about in self.kinds.places or person or kinds - FIRMS)
        if noun in PLACES:
            return about in self.kinds.places
        if noun not in THINGS or name or person or about in self.kinds.places:
            return False
        return not kinds and self._topic.phrases[0].head not in NOUNS

    def last_name(self) -> str:
        """Return the name that is the subject of the last sentence."""
        return self._before[-1].subject if self._before else ""

    def _phrase(self, sentence: str, subject: str, named: Sequence[str]) -> str:
        """Return the subject if it is a thing in words of its own.

        Examples: "the Vernhorn glacier", "kangaroos", "a marathon".
        """
        words = subject.split()
        if not 1 <= len(words) <= _LONGEST_PHRASE or not sentence.startswith(subject) or _NOT_ONE.search(subject):
            return ""
        first, rest = words[0].lower(), sentence[len(subject) :].strip()
        if ROLES & {word.lower() for word in words} or any(self.kinds.may_be_person(name) for name in named):
            return ""
        if first in {"a", "an"}:  # said of all: "a marathon is", but not "a bridge was opened"
            return f"{first} {subject[len(first) + 1 :]}" if _OF_ALL.match(rest) else ""
        if first in _DETERMINERS or subject[0].islower():
            return ""
        return subject if named and words[0] in named[0] else subject[0].lower() + subject[1:]

    def _owned(self, subject: str) -> tuple[str, str]:
        """Return the subject's owner and the subject.

        Example: "Lake Baikal's deepest point" -> "Lake Baikal" and all of it.
        """
        found = _OWNED.match(subject)
        if not found or _POINTS.match(subject):
            return "", ""
        owner = found["owner"]
        names = names_of(f"x {owner}")
        if names and names[-1] not in owner:
            return "", ""
        return owner.removeprefix("The ").removeprefix("the "), subject

    def _is_named(self, rest: str) -> str:
        """Return the name that a sentence gives its subject: "The tallest volcano is Olympus Mons"."""
        found = re.match(r"(?:is|was|are|were) (?P<name>[A-Z][^.,;:()]{1,60})[.!]?$", rest)
        return found["name"].strip() if found and found["name"].strip() in names_of(f"x {rest}") else ""

    def _lone(self, sentence: str, subject: str, phrases: Sequence[Phrase]) -> str:
        """Return the only thing mentioned together with a person.

        Example: "Ida Berg wrote a novel" -> the novel.
        """
        persons = self.kinds.persons(names_of(f"x {subject}"))
        if len(persons) != 1 or persons[0] != subject:
            return ""
        things = [one for one in phrases if one.words != subject and not (one.told or one.aside or one.plural)]
        things = [one for one in things if not self.kinds.may_be_person(one.words) and not ROLES & {one.head}]
        return things[0].whole if len(things) == 1 and sentence.count(" and ") == 0 else ""

    def _is_rival(self, sentence: str, phrase: Phrase) -> bool:
        """Return whether "it" could mean a thing in the last sentence, not the topic."""
        if phrase.told or phrase.aside or phrase.plural or self.kinds.may_be_person(phrase.words):
            return False
        if phrase.bare and sentence.startswith(phrase.words) and is_plural(phrase.head):  # "Drillings showed"
            return False
        return not self._topic.has(phrase)
