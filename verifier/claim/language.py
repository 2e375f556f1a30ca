"""C5: in which language is a text? The bundled models read English."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from verifier.claim.names import PARTICLES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
SURE = 0.8
"""Certainty from which a text counts as foreign: none of the English claims in tests/data reaches it."""
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


def foreign_language(text: str) -> str:
    """The code of the language (ISO 639-1) of a text that is surely not English; "" for any other, for very short ones and for names alone."""
    latin = sum(character.isascii() for character in text if character.isalpha())
    letters = sum(character.isalpha() for character in text)
    if len(text.split()) < _MIN_WORDS and latin > letters / 2:
        return ""
    if all(_in_a_name(word) for word in re.findall(r"[^\W\d_]+", text)):
        return ""
    code, certainty = load_identifier().classify(text)
    return str(code) if code != ENGLISH and certainty >= SURE else ""


class InEnglish(StrEnum):
    """Whether a text is written in English, as far as the queries for it go."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


def in_english(text: str) -> InEnglish:
    """No for a text that is surely in another language; perhaps where another is the likeliest, but not surely.

    Where English is the likeliest, however unsure, the claim's own words are the English query.
    """
    if foreign_language(text):
        return InEnglish.NO
    if not any(character.isalpha() for character in text):
        return InEnglish.YES
    code, _ = load_identifier().classify(text[:_ENOUGH])
    return InEnglish.YES if code == ENGLISH else InEnglish.PERHAPS


def _in_a_name(word: str) -> bool:
    """Whether a word may be part of a name; one all in capitals may be any word of a text that shouts."""
    return (word[:1].isupper() and not word.isupper()) or word in PARTICLES
