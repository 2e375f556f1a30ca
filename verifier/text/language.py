"""Tell in which language a text is written. The bundled models read English."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from verifier.text.names import PARTICLES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
SURE = 0.8
"""Certainty from which a text counts as foreign: none of the English claims in tests/data reaches it."""
UNKNOWN = "und"
"""The code of a language that is not told."""
_SURE_WITH_SMALL_WORDS = 0.5
_TELLING = {
    code: frozenset(words.split())
    for code, words in {
        "de": "ist sind und nicht eine einen einer der das wurde hat haben im vom zum auf mit keine kein",
        "fr": "est sont une des du et dans les \u00e9t\u00e9 avec pour qui que sur pas",
        "es": "es el los las una del y est\u00e1 son fue en con por para",
        "it": "\u00e8 il gli della sono una di che nel stato con",
        "pt": "\u00e9 os uma n\u00e3o do da s\u00e3o foi em com",
        "nl": "het een van zijn niet de wordt werd en",
    }.items()
}
"""Small words of languages that a short sentence would else be too little to tell."""
_ENGLISH = frozenset(
    "the a an is are was were of in to and has have had that it be been for on with by not from as at".split()
)
_LANGUAGES = "ar bg cs da de el en es fa fi fr he hi hr hu id it ja ko nl no pl pt ro ru sk sv th tr uk vi zh".split()
_MIN_WORDS = 4
_ENOUGH = 1_000
"""Characters that are enough to tell."""


@lru_cache(maxsize=1)
def load_identifier() -> LanguageIdentifier:
    """The language identifier. Its tables take a second to load, the first time."""
    from py3langid import langid

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LANGUAGES)
    return identifier


@lru_cache(maxsize=1_024)  # within a check the same sentences are looked at for each part of the claim
def foreign_language(text: str) -> str:
    """The code of the language (ISO 639-1) of a text that is surely not English; "" for any other, for very short ones and for names alone."""
    latin = sum(character.isascii() for character in text if character.isalpha())
    letters = sum(character.isalpha() for character in text)
    if len(text.split()) < _MIN_WORDS and latin > letters / 2:
        return ""
    if all(_in_a_name(word) for word in re.findall(r"[^\W\d_]+", text)):
        return ""
    code, certainty = load_identifier().classify(text)
    if latin <= letters / 2:  # no English text, whichever of the languages of that script it is
        return str(code) if code != ENGLISH else UNKNOWN
    sure = SURE if code not in _TELLING or not _tells(text, str(code)) else _SURE_WITH_SMALL_WORDS
    return str(code) if code != ENGLISH and certainty >= sure else ""


def _tells(text: str, code: str) -> bool:
    """Whether a text holds small words that this language has and English has not, and none of English."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    return bool(words & _TELLING[code]) and not words & _ENGLISH


class InEnglish(StrEnum):
    """Whether a text is written in English, as far as the queries for it go."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


def in_english(text: str, foreign: str) -> InEnglish:
    """No for a text that is surely in another language; perhaps where another is the likeliest, but not surely.

    Where English is the likeliest, however unsure, the claim's own words are the English query.

    Args:
        text: a claim.
        foreign: what `foreign_language` says of it.
    """
    if foreign:
        return InEnglish.NO
    if not any(character.isalpha() for character in text):
        return InEnglish.YES
    code, _ = load_identifier().classify(text[:_ENOUGH])
    return InEnglish.YES if code == ENGLISH else InEnglish.PERHAPS


def _in_a_name(word: str) -> bool:
    """Whether a word may be part of a name; one all in capitals may be any word of a text that shouts."""
    return (word[:1].isupper() and not word.isupper()) or word in PARTICLES
