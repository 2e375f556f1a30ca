"""Make statements that stand alone: "It opened in 1932" becomes "The Velm Bridge opened in 1932".

Sentences are read in order. A pronoun, or a noun such as "the company", at the beginning of one is replaced by the last name that
fits it, and only where a single one does: a sentence that is left with a pronoun is not checked, for it would be checked of another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from verifier.claim.clauses import subject_of
from verifier.claim.split import EMPTY_IT
from verifier.document.speech import Speech
from verifier.text.names import names_of

_PERSONS = frozenset(
    "president minister king queen prince princess scientist physicist chemist biologist economist author writer poet novelist actor actress "
    "singer player footballer athlete artist painter composer politician senator governor mayor director founder chairman chairwoman doctor "
    "professor man woman lawyer judge general architect engineer inventor philosopher historian journalist".split()
)
_BODIES = frozenset(
    "company firm group manufacturer maker retailer bank airline startup organisation organization agency charity club team band party "
    "newspaper university school college hospital museum library".split()
)
_FIRMS = frozenset("company firm group manufacturer maker retailer airline startup".split())
_BUSINESS = re.compile(
    r"\b(?:revenues?|profits?|shares|employ(?:s|ed|ees)|founded|headquarter\w*|chief executive|CEO|customers|subsidiary|acquired|quarter|turnover|a loss)\b"
)
"""What shows that a sentence is about a company."""
_PLACES = frozenset("city town village capital country nation state province region island river lake mountain".split())
_THINGS = frozenset(
    "bridge tower building church castle stadium airport station ship vessel aircraft plane film movie novel book song album series show game "
    "study report law bill treaty agreement telescope satellite spacecraft mission drug vaccine virus disease".split()
)
_NOUNS = _PERSONS | _BODIES | _PLACES | _THINGS
_NO_PERSON = frozenset(
    "inc ltd corp corporation company group bank university college school institute museum library hospital church bridge tower river lake "
    "mountain mount island islands street park city north south east west new united republic kingdom union council party league ministry "
    "department office agency association society club football court house tribune times post news world european american national royal "
    "international central san los las saint st the airport station stadium cup game games prize prizes award awards act treaty war".split()
)
_TITLES = frozenset(
    "mr mrs ms dr prof sir dame lord lady president senator governor minister mayor king queen prince judge general".split()
)
_ROLES = _PERSONS | frozenset(
    "spokesman spokeswoman spokesperson husband wife son daughter brother sister father mother parents friend colleague boy girl child student "
    "pupil teacher official officer driver policeman soldier witness patient nurse victim suspect neighbour worker owner boss leader manager "
    "executive candidate opponent successor predecessor rival partner person guest visitor reporter editor judge guard".split()
)
"""Words for a person who may go without a name, and be who is meant next."""
_FRONT = r"(?:(?:In|By|Since|After|Before|During|On|At|Until|From|Today|Later|Then|Now|However|Also|But|And|Yet|So|Moreover|Furthermore|Meanwhile|Still)\b[^,.;]{0,40}, |(?:But|And|Yet|So|Then|Later|Today|Now) )"
_POINTER = re.compile(
    rf"^(?P<front>{_FRONT})?(?P<word>he|she|it|they|his|her|its|their|this|that|these|those|i|we|my|our|you|your|(?:the|this|that)(?= \w))\b(?!['\u2019](?!s\b))",
    re.IGNORECASE,
)
_OF_PERSON = re.compile(
    rf"^(?:{_FRONT})?(?:he|she|they|his|her|their|(?:the|this|that) (?:{'|'.join(sorted(_PERSONS))}))\b", re.IGNORECASE
)
_ASIDE = re.compile(r" \([^()]{0,80}\)")
_COPULA = re.compile(r"^(?:also |now |still )?(?:is|was|are|were|became|remains?|has been|had been)\b")
_NEW_THING = re.compile(r"\b(?:a|an|the|its|his|her|their|another|one|this|that)\s+\w", re.IGNORECASE)
_BY_PREPOSITION = re.compile(
    r"\b(?:in|on|at|of|from|near|to|for|with|since|between|during|until|after|before|over|under|than|as)\s+(?:\w+ly\s+)?(?:(?:a|an|the|its|his|her|their|another|one|this|that)\s+)?",
    re.IGNORECASE,
)
_IS_A = r"(?:is|was|are|were|became|remains)\s+(?:a|an|the|one of the)\s"
_APART = 3
"""So many sentences back a name is looked for."""
UNCLEAR = "it does not say whom or what it is about"
OF_THE_AUTHOR = "it speaks of its author or its reader, whom it does not name"


@dataclass(frozen=True, slots=True)
class Alone:
    """A sentence in words that stand alone; `unclear` is why it has none, and "" where it has."""

    text: str
    resolved: bool = False
    unclear: str = ""


@dataclass(slots=True)
class _Read:
    """What one sentence named: its subject where that is a name, and all its names."""

    subject: str
    names: tuple[str, ...]
    only_topic: bool
    roles: frozenset[str]
    unsure: bool
    of_business: bool


@dataclass(slots=True)
class Context:
    """What a text has named so far."""

    _before: list[_Read] = field(default_factory=list)
    _called: dict[str, dict[str, None]] = field(default_factory=dict)
    _places: set[str] = field(default_factory=set)
    _persons: set[str] = field(default_factory=set)
    _articled: set[str] = field(default_factory=set)

    def forget(self) -> None:
        """Begin a new part of the text, where a pronoun means nothing of what stands before."""
        self._before.clear()

    def note(self, read: Alone) -> None:
        """Read the names of a sentence, in words that stand alone where it has such."""
        sentence = _ASIDE.sub("", read.text)
        names = names_of(sentence)
        for name in names:
            self._note_kind(sentence, name)
        subject, _ = subject_of(sentence)
        named = [name for name in names if name in subject]
        own = named[0] if len(named) == 1 and subject.lower() in {named[0].lower(), f"the {named[0].lower()}"} else ""
        rest = sentence.split(subject, 1)[-1].strip() if own else sentence
        named_here = _Read(
            subject=own,
            names=names,
            only_topic=bool(own) and _tells_of_nothing_else(rest),
            roles=_ROLES & set(re.findall(r"[a-z]+", sentence)),
            unsure=bool(read.unclear) and bool(_OF_PERSON.match(sentence)),
            of_business=bool(_BUSINESS.search(sentence)),
        )
        self._before = [*self._before[1 - _APART :], named_here]

    def alone(self, sentence: str) -> Alone:
        """A sentence in words that stand alone, where one name fits."""
        found = _POINTER.match(sentence)
        if not found or EMPTY_IT.match(sentence):
            return Alone(sentence)
        word = found["word"].lower()
        if word in {"i", "we", "my", "our", "you", "your"}:
            return Alone(sentence, unclear=OF_THE_AUTHOR)
        after = sentence[found.end() :]
        if word in {"the", "this", "that"}:
            noun = re.match(r" (\w+)\b(?!-)", after)
            if not noun or noun[1] not in _NOUNS:  # a capital begins a name: "the University of Turku"
                return Alone(sentence) if word == "the" else Alone(sentence, unclear=UNCLEAR)
            return self._of_noun(sentence, found, noun)
        if word in {"these", "those"}:
            return Alone(sentence, unclear=UNCLEAR)
        name = "" if word in {"they", "their"} else self._thing() if word in {"it", "its"} else self._person()
        if not name:
            return Alone(sentence, unclear=UNCLEAR)
        return self._with(sentence, found, found.end(), name, word in {"his", "her", "its"})

    def reported(self, speech: Speech) -> tuple[Alone, str]:
        """What somebody is reported to have said in words that stand alone, and who said it.

        "He" may be who speaks or who was spoken of: it is replaced where both are one, or only one of them is there.
        """
        who = self.alone(f"{speech.speaker} spoke.") if speech.speaker else Alone("")
        speaker = who.text.removesuffix(" spoke.")
        alone = self.alone(speech.said)
        found = _POINTER.match(speech.said)
        if not found or not (alone.resolved or alone.unclear) or alone.unclear == OF_THE_AUTHOR:
            return alone, speaker
        named = names_of(f"x {speaker}")
        person = len(named) == 1 and self._may_be_person(named[0])
        if found["word"].lower() in {"he", "she", "his", "her"}:
            near = _without_short_forms(
                [name for read in self._before for name in read.names if self._may_be_person(name)]
            )
            if person and set(near) <= set(named) and not any(read.unsure or read.roles for read in self._before):
                return self._with(
                    speech.said, found, found.end(), named[0], found["word"].lower() in {"his", "her"}
                ), speaker
            same = who.resolved and person and alone.resolved and near == [named[0]]
            return (alone if same else Alone(speech.said, unclear=UNCLEAR)), speaker
        return (alone if person or not named else Alone(speech.said, unclear=UNCLEAR)), speaker

    def _of_noun(self, sentence: str, found: re.Match[str], noun: re.Match[str]) -> Alone:
        """Replace "the company" where it is the whole subject; "the company that made it" says itself which it is."""
        end = found.end() + noun.end()
        rest = sentence[end:]
        owner = rest.startswith(("'s ", "\u2019s "))
        subject, _ = subject_of(sentence[len(found["front"] or "") :])
        whole = subject.lower().split() == [found["word"].lower(), noun[1].lower()]
        whole = whole or (not subject and bool(re.match(r" \w+ed\b", rest)))
        if not owner and not whole:
            return Alone(sentence) if found["word"].lower() == "the" else Alone(sentence, unclear=UNCLEAR)
        name = self._called_so(noun[1])
        return self._with(sentence, found, end + 2 * owner, name, owner) if name else Alone(sentence, unclear=UNCLEAR)

    def _note_kind(self, sentence: str, name: str) -> None:
        """Note what a sentence calls a name: "Nokia is a Finnish company", "the town of Ardmore", "President Olsen"."""
        at = re.escape(name)
        if re.search(rf"\b(?:in|from|near|to|at) (?:the )?{at}", sentence, re.IGNORECASE):
            self._places.add(name)
        if re.search(rf"\bthe {at}\b", sentence, re.IGNORECASE):
            self._articled.add(name)
        first, last = name.split()[0].lower(), name.split()[-1].lower()
        kinds = {word for word in (first, last) if word in _NOUNS and " " in name}
        kinds |= {word.lower() for word in name.split() if " of " in name and word.lower() in _NOUNS}
        for pattern in (
            rf"{at},? {_IS_A}(?P<what>[^.,;]{{0,80}})",
            rf"{at}, (?:a|an|the) (?P<what>[^,.;]{{0,60}})",
            rf"\b(?:the|an?) (?P<what>(?:[\w-]+ ){{0,3}}?(?:{'|'.join(sorted(_NOUNS))})) (?:of )?{at}",
        ):
            for found in re.finditer(pattern, sentence, re.IGNORECASE):
                kinds |= set(_head(found["what"]))
        for kind in kinds:
            self._called.setdefault(kind, {}).setdefault(name)
        if kinds & _PERSONS or first.rstrip(".") in _TITLES:
            self._persons.add(name)

    def _called_so(self, noun: str) -> str:
        """The one name that was called by this noun; else, of a company or a place, what the last sentence is about."""
        called = [*self._called.get(noun, {})]
        near = {name for read in self._before for name in read.names}
        if len(called) > 1:
            called = [name for name in called if name in near]
        if called:
            return called[0] if len(called) == 1 else ""
        topic = self._topic()
        if noun in _PERSONS:
            return topic if topic and self._may_be_person(topic) and topic in self._persons else ""
        if noun in _FIRMS:
            other = topic in self._places or self._may_be_person(topic) or _plain_kind(topic, self._called) - _FIRMS
            return topic if topic and self._before[-1].of_business and not other else ""
        return topic if noun in _PLACES and topic in self._places else ""

    def _person(self) -> str:
        """The person that "he" or "she" is: the only one near, or the subject of the last sentence that names no other."""
        for reads in (self._before[-1:], self._before):
            persons = _without_short_forms([name for read in reads for name in read.names if self._may_be_person(name)])
            roles = frozenset(role for read in reads for role in read.roles)
            if len(persons) > 1 or any(read.unsure for read in reads):
                return ""
            if persons:
                return persons[0] if roles <= _plain_kind(persons[0], self._called) else ""
            if roles:
                return ""
        return ""

    def _thing(self) -> str:
        """What "it" is: the subject of the last sentence, where that is no person and tells of no other thing."""
        topic = self._topic()
        return topic if topic and self._before[-1].only_topic and not self._may_be_person(topic) else ""

    def _with(self, sentence: str, found: re.Match[str], end: int, name: str, owner: bool) -> Alone:
        """The sentence with a name in the place of what points to it."""
        front = found["front"] or ""
        article = ("the " if front else "The ") if name in self._articled else ""
        mine = ("'" if name.endswith("s") else "'s") if owner else ""
        return Alone(f"{front}{article}{name}{mine}{sentence[end:]}", resolved=True)

    def _topic(self) -> str:
        """The name that is the subject of the last sentence."""
        return self._before[-1].subject if self._before else ""

    def _may_be_person(self, name: str) -> bool:
        """Whether a name looks like a person's: two or three words, none of them of a place or a body."""
        if name in self._persons:
            return True
        kinds = _plain_kind(name, self._called)
        words = [word.lower().rstrip(".") for word in name.split()]
        if kinds - _PERSONS or name in self._places or _NO_PERSON & set(words) or not 2 <= len(words) <= 4:
            return False
        return not name.isupper() and not any(word in {"of", "the", "and"} for word in words)


def _tells_of_nothing_else(rest: str) -> bool:
    """Whether what follows a subject names no second thing that "it" could be: "was completed in 1889", "has 60 seats"."""
    rest = _COPULA.sub("", rest, count=1).strip()
    rest = re.sub(r"^(?:not )?(?:a|an|the|one of the)\s+", "", rest)
    rest = _BY_PREPOSITION.sub("in ", rest)
    others = [name for name in names_of(f"x {rest}") if not re.search(rf"\bin (?:\w+ )?{re.escape(name)}", rest)]
    return not _NEW_THING.search(rest) and not others


def _head(what: str) -> Sequence[str]:
    """The last kind of thing before a preposition: "a Finnish company with" -> company."""
    words = re.split(r"\b(?:of|in|from|that|which|who|with|for|by|on|at|to)\b", what)[0].lower().split()
    return [word for word in words[-2:] if word in _NOUNS][-1:]


def _plain_kind(name: str, called: dict[str, dict[str, None]]) -> set[str]:
    return {kind for kind, names in called.items() if name in names}


def _without_short_forms(names: Sequence[str]) -> list[str]:
    """Each person once: "Curie" is "Marie Curie"."""
    once = list(dict.fromkeys(names))
    return [name for name in once if not any(set(name.split()) < set(other.split()) for other in once)]
