"""Parse a claim once, right after intake, into what the stages need.

No later stage reads its words again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from verifier.claim.clauses import subject_of
from verifier.claim.split import statements_of
from verifier.text.framing import unframed
from verifier.text.language import InEnglish, foreign_language, in_english
from verifier.text.measures import Measured, measured_figures
from verifier.text.names import names_of, words_in_names
from verifier.text.stems import stems_and_figures

_OF = re.compile(r"\bof (?:the )?(?=[^\W\d_])")
_NAME_WEIGHT, _OWN_WEIGHT = 2, 3


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that evidence is read for, with its subject, names, figures and stems.

    `subject` is what comes before its first verb, "" without a verb.
    `weights` say how much each stem tells about the topic of the sentence, 1 to 3.
    """

    text: str
    subject: str
    names: tuple[str, ...]
    name_words: frozenset[str]
    figures: tuple[Measured, ...]
    weights: Mapping[str, int]

    def closeness(self, sentence: str) -> int:
        """Add up the weights of the statement's words that a sentence contains."""
        return sum(self.weights[stem] for stem in self.weights.keys() & stems_and_figures(sentence))


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """A claim as it was made, and the statement in it that is checked.

    Evidence is read for the statement ("It is a myth that ..."). `denied`: the claim says that the statement is not
    true. `foreign` is the ISO 639-1 code of a language that is surely not English, or "". `sentences` are those of the
    claim, each self-contained; at least one.
    """

    whole: Statement
    statement: Statement
    denied: bool
    foreign: str
    english: InEnglish
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The claim in its own words."""
        return self.whole.text


def parse_claim(text: str) -> ParsedClaim:
    """Parse a claim that `clean_claim` cleaned, or a part of one."""
    said, denied = unframed(text)
    whole, foreign = parse_statement(text), foreign_language(text)
    return ParsedClaim(
        whole=whole,
        statement=whole if said == text else parse_statement(said),
        denied=denied,
        foreign=foreign,
        english=in_english(text, foreign),
        sentences=tuple(statements_of(text)),
    )


def parse_statement(text: str) -> Statement:
    """Read the names, figures and stems of a sentence, whatever its frame."""
    names = names_of(text)
    return Statement(
        text,
        subject_of(text)[0],
        names,
        words_in_names(names),
        measured_figures(text),
        _weights(text, names, dict.fromkeys(stems_and_figures(text), 1)),
    )


def _weights(text: str, names: tuple[str, ...], weights: dict[str, int]) -> dict[str, int]:
    """Weigh the stems of names double, and of what a thing is "of" threefold.

    Example: Australia in "the capital of Australia".
    """
    for name in names:
        own = any(text.startswith(name, match.end()) for match in _OF.finditer(text))
        weights |= dict.fromkeys(weights.keys() & stems_and_figures(name), _OWN_WEIGHT if own else _NAME_WEIGHT)
    return weights
