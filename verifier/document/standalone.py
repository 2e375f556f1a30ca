"""Make statements that stand alone.

Example: "It opened in 1932" becomes "The Velm Bridge opened in 1932". Sentences are read in order. A pronoun, or a noun
such as "the company", at the start of one is replaced by the name that fits it, if only one does. If the meaning is
only likely, what the text is about is appended to the sentence in brackets. The same is done to a sentence that leans
on others: "Two judges disagreed (the Tenancy Act)". A sentence left with a pronoun is not checked, since it would be
checked about something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from verifier.claim.clauses import clauses_of, subject_of
from verifier.claim.split import EMPTY_IT
from verifier.document.antecedents import Antecedents
from verifier.document.nouns import NOUNS, PERSONS, ROLES, is_plural
from verifier.document.phrases import phrases_of
from verifier.document.speech import Speech
from verifier.text.names import names_of

_FRONT = (
    r"(?:(?:In|By|Since|After|Before|During|On|At|Until|From|Today|Later|Then|Now|However|Also|But|And|Yet|So|Moreover|Furthermore|Meanwhile|Still)\b[^,.;]{0,40}, "
    r"|(?:But|And|Yet|So|Then|Later|Today|Now) "
    r"|(?:In|By|Since|During|On|At|Until|From) (?!the |an? |its |his |her |their )[\w-]+(?: \d{1,4})? (?=(?:he|she|it|they|his|her|its|their) ))"
)
_POINTER = re.compile(
    rf"^(?P<front>{_FRONT})?(?P<word>he|she|it|they|his|her|its|their|this|that|these|those|i|we|my|our|you|your|(?:the|this|that)(?= \w))\b(?!['\u2019](?!s\b))",
    re.IGNORECASE,
)
_OF_PERSON = re.compile(
    rf"^(?:{_FRONT})?(?:he|she|they|his|her|their|(?:the|this|that) (?:{'|'.join(sorted(PERSONS))}))\b", re.IGNORECASE
)
_INNER = re.compile(r"\b(?:it|of them|he|she|him|her|his)\b(?!['\u2019])", re.IGNORECASE)
_UNNAMED = re.compile(r"(?:he|she|it|they|his|her|its|their|this|that|these|those)\b", re.IGNORECASE)
_AUTHOR = re.compile(r"\b(?:i|we|us|me|my|our|ours|you|your|yours|let's)\b", re.IGNORECASE)
_KNOWN = re.compile(
    r"^(?:as )?(?:we|you|i) (?:all |both |now |also )?(?:know|remember|see|learned|learnt|heard|read|have (?:heard|seen|read|learned|learnt)|"
    r"are told|were told|can see|will (?:know|remember)|may (?:know|remember))(?: that|,) (?P<said>[^,;]{12,})$",
    re.IGNORECASE,
)
"""What an author knows counts as stated: "As you know, the bridge is closed"."""
_CLAUSE_BEGINS = re.compile(
    r"\b(?:that|when|because|if|as|while|since|until|before|after|although|though|and|but|or|where|so|than|whether|how|why) $",
    re.IGNORECASE,
)
_ONE_THING = re.compile(r"\b(?:the|an?|this|that|each|every|another|no|its|his|her|their)\s+\w", re.IGNORECASE)
_IN_BRACKETS = re.compile(r" \([^()]*\)")
_ACTS = re.compile(r" (?:themselves |itself )?[a-z]+(?:ed|(?<![su])s)\b")
_SUBJECT = re.compile(
    r"(?:the|an?|no|all|most|many|some|several|few|both|each|every|one|two|three|four|five|six|seven|eight|nine|ten|more|less|about|nearly|almost|over|under|"
    r"\d[\d,.]*|[a-z]+s) [a-z]",
    re.IGNORECASE,
)
"""How a statement that is not an order begins."""
_CLOSING = '.!\u2026"\u201d'
_PAST = re.compile(r"\b(?:was|were|had|did|(?!need)[a-z]{2,}ed)\b")
_BARE_THING = re.compile(
    r"\b[Tt]he [a-z]+(?=[.,;!]|$| (?:is|was|are|were|has|had|have|will|can|in|on|at|of|to|for|from|by|with|and|that)\b)"
)
_NO_THING = frozenset(
    "in on at by since until from during after before for with of many most some few several all both nobody nothing everybody everyone people two "
    "three four five six seven eight nine ten more less about nearly almost around over under".split()
)
"""Words that may open a sentence and that "it" cannot mean."""
UNCLEAR = "it does not say whom or what it is about"
OF_THE_AUTHOR = "it speaks of its author or its reader, whom it does not name"


@dataclass(frozen=True, slots=True)
class Alone:
    """A sentence in words that stand alone.

    `unclear` says why it has none, and is "" if it has.
    """

    text: str
    resolved: bool = False
    unclear: str = ""

    @property
    def in_brackets(self) -> bool:
        """Whether what is meant was put in brackets after the words of the text."""
        return self.resolved and bool(_IN_BRACKETS.search(self.text))

    @property
    def goes_on(self) -> bool:
        """Whether one of its words is followed by its meaning in brackets.

        That word means what the text is about.
        """
        found = _IN_BRACKETS.search(self.text) if self.resolved else None
        return bool(found and self.text[found.end() :].strip(_CLOSING))


@dataclass(slots=True)
class Context:
    """What a text has named so far."""

    _named: Antecedents = field(default_factory=Antecedents)

    def forget(self) -> None:
        """Begin a new part of the text, whose pronouns mean nothing before it."""
        self._named.forget()

    def note(self, read: Alone) -> None:
        """Record the names of a sentence, in words that stand alone if it has them."""
        self._named.note(read.text, bool(read.unclear), bool(_OF_PERSON.match(read.text)), read.goes_on)

    def alone(self, sentence: str) -> Alone:
        """Put a sentence in words that stand alone, if one name fits."""
        found = _POINTER.match(sentence)
        if _KNOWN.match(sentence):
            return self._without_author(sentence)
        if not found or EMPTY_IT.match(sentence[found.start("word") :]):
            return self._with_inner(sentence)
        word = found["word"].lower()
        if _AUTHOR.fullmatch(word):
            return self._without_author(sentence)
        noun = re.match(r" (\w+)\b(?!-)", sentence[found.end() :])
        if word in {"the", "this", "that", "these", "those"}:
            if noun and noun[1] in NOUNS and word not in {"these", "those"}:
                return self._of_noun(sentence, found, noun)
            return self._of_repeated(sentence, found, noun)
        several = word in {"they", "their"}
        known = self._named
        of_one = word in {"it", "its"}
        name = known.things() if several else known.thing() if of_one else known.person(word[0] == "s" or word == "her")
        if name:
            return self._with(sentence, found, found.end(), name, word in {"his", "her", "its", "their"})
        about = known.topic(sentence, several) if several or of_one else ""
        return _bracketed(sentence, found.end("word"), about) if about else Alone(sentence, unclear=UNCLEAR)

    def leaning(self, alone: Alone) -> Alone:
        """Add what the text is about, in brackets, to a statement that leans on others.

        It is unchanged if that is unknown.
        """
        known = _IN_BRACKETS.search(alone.text) or not (subject_of(alone.text)[0] or _SUBJECT.match(alone.text))
        about = "" if known else self._named.topic(alone.text)
        return _bracketed(alone.text, len(alone.text), about) if about else alone

    def reported(self, speech: Speech) -> tuple[Alone, str]:
        """Return a reported statement in words that stand alone, and who said it.

        "He" may be the speaker or the person spoken of: it is replaced if both are one, or only one of them is there.
        """
        who = self.alone(f"{speech.speaker} spoke.") if speech.speaker else Alone("")
        speaker = who.text.removesuffix(" spoke.")
        alone = self.alone(speech.said)
        found = _POINTER.match(speech.said)
        if not found or not (alone.resolved or alone.unclear) or alone.unclear == OF_THE_AUTHOR:
            return alone, speaker
        named = names_of(f"x {speaker}")
        person = len(named) == 1 and self._named.kinds.may_be_person(named[0])
        if found["word"].lower() in {"he", "she", "his", "her"}:
            near = self._named.near_persons()
            if person and set(near) <= set(named) and not self._named.others_near():
                return self._with(
                    speech.said, found, found.end(), named[0], found["word"].lower() in {"his", "her"}
                ), speaker
            same = who.resolved and person and alone.resolved and near == [named[0]]
            return (alone if same else Alone(speech.said, unclear=UNCLEAR)), speaker
        return (alone if person or not named else Alone(speech.said, unclear=UNCLEAR)), speaker

    def _of_noun(self, sentence: str, found: re.Match[str], noun: re.Match[str]) -> Alone:
        """Replace "the company" if it is the whole subject.

        "the company that made it" identifies itself.
        """
        end = found.end() + noun.end()
        rest = sentence[end:]
        owner = rest.startswith(("'s ", "\u2019s "))
        if not owner and not _is_whole(sentence, found, noun):
            return Alone(sentence) if found["word"].lower() == "the" else Alone(sentence, unclear=UNCLEAR)
        known, kind = self._named, noun[1]
        name = known.called(kind)
        if name is None:
            last = known.last_name()
            name = known.longer(kind) or (last if last and known.fits_topic(kind, last) else None)
        if name:
            name = known.kinds.styled.get((kind, name), name)
            return self._with(sentence, found, end + 2 * owner, name, owner)
        about = known.topic(sentence) if name is None else ""
        at = end if known.fits_topic(kind) else len(sentence)
        return _bracketed(sentence, at, about) if about else Alone(sentence, unclear=UNCLEAR)

    def _of_repeated(self, sentence: str, found: re.Match[str], noun: re.Match[str] | None) -> Alone:
        """Say which thing is meant by a noun used before.

        Example: "the vaccine" is "the measles vaccine".
        """
        bare = found["word"].lower() == "the"
        if noun and _is_whole(sentence, found, noun):
            longer = self._named.longer(noun[1])
            if longer:
                return self._with(sentence, found, found.end() + noun.end(), longer, False)
            if not bare and self._named.was_said(noun[1]) and (about := self._named.topic(sentence)):
                return _bracketed(sentence, len(sentence), about)
        return self._with_inner(sentence) if bare else Alone(sentence, unclear=UNCLEAR)

    def _with_inner(self, sentence: str) -> Alone:
        """Append what the text is about to a sentence with an unexplained pronoun.

        Nothing before the pronoun could be meant by it.
        """
        found = _INNER.search(sentence)
        if not found or not found.start() or EMPTY_IT.match(sentence[found.start() :]):
            return Alone(sentence)
        word, before = found[0].lower(), sentence[: found.start()]
        if word in {"he", "she", "him", "her", "his"}:
            person = (
                ""
                if ROLES & set(before.lower().split()) or names_of(before)
                else self._named.person(word in {"she", "her"})
            )
            at = len(sentence) if word in {"her", "his"} else found.end()
            return _bracketed(sentence, at, person) if person else Alone(sentence)
        if word == "it" and self._may_mean_itself(before):
            return Alone(sentence)
        about = self._named.topic(sentence, True) if word == "of them" else self._named.topic_thing(sentence)
        return _bracketed(sentence, found.end(), about) if about else Alone(sentence)

    def _may_mean_itself(self, before: str) -> bool:
        """Return whether "it" could be a thing before it in its sentence.

        A verb's object is not its subject.
        """
        things = [one for one in phrases_of(before) if not one.aside and not self._named.kinds.may_be_person(one.words)]
        things = [one for one in things if not (before.startswith(one.words) and is_plural(one.head))]
        first = before.split()[0].lower()
        if _CLAUSE_BEGINS.search(before):
            opens = first in _NO_THING or first.endswith(("ing", "s"))
            return bool(things) or not opens or bool(_ONE_THING.search(before))
        return len(things) > 1

    def _without_author(self, sentence: str) -> Alone:
        """Return what a sentence states apart from what it says about its author.

        "We are proud, and the bridge is free" -> the bridge is free.
        """
        known = _KNOWN.match(sentence)
        parts = [part for part in clauses_of(known["said"] if known else sentence) if not _AUTHOR.search(part)]
        if len(parts) != 1 or parts[0] == sentence or _UNNAMED.match(parts[0]):
            return Alone(sentence, unclear=OF_THE_AUTHOR)
        said = parts[0][:1].upper() + parts[0][1:] + ("" if parts[0][-1:] in ".!" else ".")
        about = self._named.topic(said)
        return _bracketed(said, len(said), about) if about else Alone(said, resolved=True)

    def _with(self, sentence: str, found: re.Match[str], end: int, name: str, owner: bool) -> Alone:
        """Replace what points to a name by the name."""
        front = found["front"] or ""
        article = "the " if name in self._named.kinds.articled else ""
        mine = ("'" if name.endswith("s") else "'s") if owner else ""
        name = f"{article}{name}{mine}"
        whole = f"{front}{name if front else name[:1].upper() + name[1:]}{sentence[end:]}"
        return Alone(whole[:1].upper() + whole[1:], resolved=True)


def leans(sentence: str) -> bool:
    """Return whether a sentence has no name and is about something from before.

    That is something that happened or was mentioned.
    """
    opening = sentence.split()[0] if sentence.split() else ""
    rest = sentence.removeprefix(opening) if is_plural(opening) else sentence  # "Drillings showed" names no one
    return not names_of(rest) and bool(_PAST.search(sentence) or _BARE_THING.search(sentence))


def _is_whole(sentence: str, found: re.Match[str], noun: re.Match[str]) -> bool:
    """Return whether a pointer and its noun are the whole subject of a sentence."""
    subject, _ = subject_of(sentence[len(found["front"] or "") :])
    rest = sentence[found.end() + noun.end() :]
    words = [word for word in subject.lower().split() if word not in {"themselves", "itself"}]
    return words == [found["word"].lower(), noun[1].lower()] or (not subject and bool(_ACTS.match(rest)))


def _bracketed(sentence: str, at: int, about: str) -> Alone:
    """Put the meaning in brackets after the word ending at `at`, before the full stop."""
    ended = re.search(r"[.!\u2026]*[\"\u201d]?$", sentence)
    at = min(at, ended.start() if ended else at)
    owner = sentence[:at].lower().endswith(("its", "their", "his"))
    mine = ("'" if about.endswith("s") else "'s") if owner else ""
    return Alone(f"{sentence[:at]} ({about}{mine}){sentence[at:]}", resolved=True)
