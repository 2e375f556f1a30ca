"""Define the records of a text that is checked as a whole.

Offsets count characters of `DocumentText.text`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from verifier.schema import VerificationResult


class SentenceKind(StrEnum):
    """What a sentence is, for the purpose of checking."""

    FACT = "fact"
    OPINION = "opinion"
    QUESTION = "question"
    INSTRUCTION = "instruction"
    SPEECH = "speech"
    UNREAD = "unread"


CLAIMS = frozenset({SentenceKind.FACT, SentenceKind.SPEECH})
"""The kinds of sentences that each hold a claim."""


class Outcome(StrEnum):
    """What became of a statement; a failed check has no verdict."""

    CHECKED = "checked"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of the text, from `start` on, was in its source.

    Examples: "page 3", "00:01:02".
    """

    start: int
    label: str


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A text to check, character for character as it was read.

    `warnings` say what of its source was not read.
    """

    text: str
    name: str
    url: str = ""
    places: tuple[Place, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A span of the text; `reason` says in words why it is of this kind.

    `said`: that someone said it is a claim in addition to what was said.
    """

    start: int
    end: int
    kind: SentenceKind
    reason: str = ""
    said: bool = False


@dataclass(frozen=True, slots=True)
class DocumentClaim:
    """What a sentence states, in words that stand alone.

    `speaker` says so, if the text only reports it. `sentence` is the position of its sentence, `worth` (0 to 1) how
    much it deserves a check. `resolved`: a pronoun was replaced, so `text` is ours, not the author's. `was_said`: the
    claim is that the speaker said so.
    """

    sentence: int
    text: str
    worth: float
    resolved: bool = False
    speaker: str = ""
    was_said: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """What became of one claim: a result if checked, else the reason in one line."""

    claim: DocumentClaim
    outcome: Outcome
    result: VerificationResult | None = None
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """A text with its sentences and what became of each claim, both in reading order."""

    document: DocumentText
    checked_at: datetime
    sentences: tuple[Sentence, ...]
    marks: tuple[Marked, ...]
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
