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
_TELLING = {
    code: frozenset(words.split())
    for code, words in {
        "de": "ist sind und nicht eine einen einer der das die den dem wurde hat haben im vom zum auf mit keine kein es gibt sich bei",
        "fr": "est sont une un du et dans les le la de des \u00e9t\u00e9 avec pour qui que sur pas ne au aux ce cette a plus",
        "es": "es el los las la una un unos unas del y est\u00e1 son fue en con por para de a al no tiene m\u00e1s se su sus ha",
        "it": "\u00e8 il lo la gli i della sono una un di del che nel stato con non ha al dei delle si e a da",
        "pt": "\u00e9 os as o uma um n\u00e3o do da dos das s\u00e3o foi em com de no na ao tem mais a e se por",
        "nl": "het een van zijn niet de wordt werd en",
    }.items()
}
"""Small words of languages that a short sentence would else be too little to tell."""
_ENGLISH = frozenset(
    "the a an is are was were of in to and has have had that it be been for on with by not from as at".split()
)
_WORTH = 12.0
"""How many times likelier a small word of a language makes it."""
_LIKELY = 0.02
"""Chance from which the small words of a language are looked for."""
_CYRILLIC, _HAN = re.compile(r"[\u0400-\u04ff]"), re.compile(r"[\u3400-\u9fff]")
_ONE_LANGUAGE = (
    (re.compile(r"[\u0900-\u097f]"), "hi"),
    (re.compile(r"[\u3040-\u30ff]"), "ja"),
    (re.compile(r"[\uac00-\ud7af]"), "ko"),
    (_HAN, "zh"),
    (re.compile(r"[\u0456\u0457\u0454\u0491]", re.IGNORECASE), "uk"),
    (re.compile(r"[\u044b\u044d\u0451]", re.IGNORECASE), "ru"),
)
"""Letters that one of the languages below has alone, the first that is found counting: Japanese writes Han characters too."""
_SURELY_BULGARIAN = 0.9
"""Certainty below which a text in Cyrillic letters that Russian and Bulgarian share counts as Russian."""
_DASH = re.compile(r"\s[\u2013\u2014-]\s")
"""What Russian has in place of "is"."""
_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""The languages that are told apart."""
_MIN_WORDS = 4
_ENOUGH = 1_000
"""Characters that are enough to tell."""


@lru_cache(maxsize=1)
def load_identifier() -> LanguageIdentifier:
    """The language identifier. Its tables take a second to load, the first time."""
    from py3langid import langid

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(_NAMES))
    return identifier


def name_of(code: str) -> str:
    """The English name of a language; "another language" for one that is not told apart."""
    return _NAMES.get(code, "another language")


@lru_cache(maxsize=1_024)  # within a check the same sentences are looked at for each part of the claim
def foreign_language(text: str) -> str:
    """The code of the language (ISO 639-1) of a text that is surely not English; "" for any other, for very short ones and for names alone."""
    latin = sum(character.isascii() for character in text if character.isalpha())
    letters = sum(character.isalpha() for character in text)
    if len(text.split()) < _MIN_WORDS and latin > letters / 2:
        return ""
    spaced = _DASH.search(text) and _CYRILLIC.search(text)
    if not spaced and all(_in_a_name(word) for word in re.findall(r"[^\W\d_]+", text)):
        return ""
    if latin <= letters / 2:  # no English text, whichever of the languages of that script it is
        return _by_script(text)
    return _by_small_words(text)


def _by_script(text: str) -> str:
    """The language of a text that is mostly in other letters than Latin ones."""
    for letters, code in _ONE_LANGUAGE:
        if letters.search(text):
            return code
    code, certainty = load_identifier().classify(text)
    if code == "bg" and certainty < _SURELY_BULGARIAN:
        return "ru"
    return str(code) if code != ENGLISH else UNKNOWN


def _by_small_words(text: str) -> str:
    """The language of a text in Latin letters: what its letters make likely, times what its small words say; "" where that is not sure."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    chances: dict[str, float] = {}
    for code, chance in load_identifier().rank(text):
        small = _ENGLISH if code == ENGLISH else _TELLING.get(code, frozenset()) if chance >= _LIKELY else frozenset()
        chances[str(code)] = float(chance) * _WORTH ** len(small.intersection(words))
    best = max(chances, key=lambda code: chances[code])
    return best if best != ENGLISH and chances[best] >= SURE * sum(chances.values()) else ""


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
