"""Find what a part of a text is about.

That is the subject of its first statement, and what else that names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from verifier.document.kinds import Kinds
from verifier.document.phrases import Phrase, last_noun

_OPENING = 3
"""Sentences at the start of a text's part in which its topic is looked for."""
_MOST = 2


@dataclass(slots=True)
class Topic:
    """What a part of a text is about, its subject first.

    It is nothing if the first sentences name nothing.
    """

    phrases: tuple[Phrase, ...] = ()
    _chosen: bool = False
    _read: int = 0

    @property
    def first(self) -> str:
        """What it is mainly about, without an article; "" if that is not known."""
        return self.phrases[0].words if self.phrases else ""

    def note(self, subject: str, phrases: Sequence[Phrase], kinds: Kinds) -> None:
        """Record a statement: what it is about, and the things that it names.

        The former is "" if that is not said.
        """
        self._read += 1
        if self._chosen or self._read > _OPENING:
            return
        fit = [found for found in phrases if found.definite and not found.told and (found.says or not found.aside)]
        first = [found for found in fit if found.whole.lower() in {subject.lower(), f"the {subject.lower()}"}]
        about = first or ([Phrase(subject, last_noun(subject), True, True, False, bare=True)] if subject else [])
        person = bool(about) and kinds.may_be_person(about[0].words)
        others = [one for one in fit if one not in about and kinds.may_be_person(one.words) <= person]
        others = [one for one in others if not (one.aside and (one.bare or (about and not one.named)))]
        better = about and (not self.phrases or (about[0].definite and about[0].named))
        if better or (others and not self.phrases):
            self.phrases, self._chosen = tuple([*about, *others][:_MOST]), bool(about)

    def leave(self) -> None:
        """Record a statement about an unnamed thing of the author's.

        The text is about that too, if nothing was named before.
        """
        self._chosen = True

    def is_subject(self, subject: str) -> bool:
        """Return whether these words are what it is mainly about."""
        return bool(subject and self.phrases) and subject in {self.first, self.phrases[0].whole}

    def has(self, phrase: Phrase) -> bool:
        """Return whether a phrase means what it is mainly about."""
        return any(phrase.words == one.words or phrase.head == one.head for one in self.phrases[:1])

    def behind(self, sentence: str) -> str:
        """Return what to append to a sentence that leans on others.

        It is "" if it names what the text is about.
        """
        if len(self._not_in(sentence)) < len(self.phrases):
            return ""
        return _listed(self.phrases)

    def meant(self, sentence: str, several: bool, kinds: Kinds) -> str:
        """Return what the text is about if "it" means that; never a person.

        With `several`, the word is "they".
        """
        words = set(re.findall(r"[^\W\d_]+", sentence.lower()))
        fit = [one for one in self._not_in(sentence) if one.plural == several and one.head not in words]
        return _listed([one for one in fit if not kinds.may_be_person(one.words)])

    def _not_in(self, sentence: str) -> list[Phrase]:
        return [one for one in self.phrases if not re.search(rf"\b{re.escape(one.words)}s?\b", sentence, re.IGNORECASE)]


def _listed(phrases: Sequence[Phrase]) -> str:
    """List the phrases that describe something.

    Plain ones ("the council") are listed only if there are no others.
    """
    return ", ".join(one.whole for one in [one for one in phrases if one.says] or phrases)
