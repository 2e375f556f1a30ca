"""Identify the language of a text. The bundled models read English."""

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
"""Lowest certainty at which a text counts as foreign.

None of the English claims in tests/data reaches it.
"""
UNKNOWN = "und"
"""The code of an unidentified language."""
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
"""Small words of languages, for sentences too short to identify otherwise."""
_ENGLISH = frozenset(
    "the a an is are was were of in to and has have had that it be been for on with by not from as at".split()
)
_WORTH = 12.0
"""Factor by which a small word of a language makes that language likelier."""
_LIKELY = 0.02
"""Lowest chance of a language at which its small words are looked for."""
_CYRILLIC, _HAN = re.compile(r"[\u0400-\u04ff]"), re.compile(r"[\u3400-\u9fff]")
_ONE_LANGUAGE = (
    (re.compile(r"[\u0900-\u097f]"), "hi"),
    (re.compile(r"[\u3040-\u30ff]"), "ja"),
    (re.compile(r"[\uac00-\ud7af]"), "ko"),
    (_HAN, "zh"),
    (re.compile(r"[\u0456\u0457\u0454\u0491]", re.IGNORECASE), "uk"),
    (re.compile(r"[\u044b\u044d\u0451]", re.IGNORECASE), "ru"),
)
"""Letters that only one of the languages below has.

The first match counts: Japanese also uses Han characters.
"""
_SURELY_BULGARIAN = 0.9
"""Lowest certainty of Bulgarian in letters that it shares with Russian.

Below it, the text counts as Russian.
"""
_DASH = re.compile(r"\s[\u2013\u2014-]\s")
"""What Russian writes instead of "is"."""
_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""The languages that can be identified."""
_MIN_WORDS = 4
_ENOUGH = 1_000
"""Characters that are enough to identify a language."""


@lru_cache(maxsize=1)
def load_identifier() -> LanguageIdentifier:
    """Load the language identifier. Its tables take a second to load, the first time."""
    from py3langid import langid

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(_NAMES))
    return identifier


def name_of(code: str) -> str:
    """Return the English name of a language.

    It is "another language" if the table lacks it.
    """
    return _NAMES.get(code, "another language")


@lru_cache(maxsize=1_024)  # within a check, the same sentences are read for each part of the claim
def foreign_language(text: str) -> str:
    """Return the language code (ISO 639-1) of a text that is surely not English.

    Any other text gives "". Very short texts and names alone also give "".
    """
    latin = sum(character.isascii() for character in text if character.isalpha())
    letters = sum(character.isalpha() for character in text)
    if len(text.split()) < _MIN_WORDS and latin > letters / 2:
        return ""
    spaced = _DASH.search(text) and _CYRILLIC.search(text)
    if not spaced and all(_in_a_name(word) for word in re.findall(r"[^\W\d_]+", text)):
        return ""
    if latin <= letters / 2:  # not English, whichever language of that script it is
        return _by_script(text)
    return _by_small_words(text)


def _by_script(text: str) -> str:
    """Return the language of a text mostly in non-Latin letters."""
    for letters, code in _ONE_LANGUAGE:
        if letters.search(text):
            return code
    code, certainty = load_identifier().classify(text)
    if code == "bg" and certainty < _SURELY_BULGARIAN:
        return "ru"
    return str(code) if code != ENGLISH else UNKNOWN


def _by_small_words(text: str) -> str:
    """Return the language of a text in Latin letters; "" if that is not sure.

    The likelihood by its letters is multiplied by what its small words say.
    """
    words = re.findall(r"[^\W\d_]+", text.lower())
    chances: dict[str, float] = {}
    for code, chance in load_identifier().rank(text):
        small = _ENGLISH if code == ENGLISH else _TELLING.get(code, frozenset()) if chance >= _LIKELY else frozenset()
        chances[str(code)] = float(chance) * _WORTH ** len(small.intersection(words))
    best = max(chances, key=lambda code: chances[code])
    return best if best != ENGLISH and chances[best] >= SURE * sum(chances.values()) else ""


class InEnglish(StrEnum):
    """Whether a text is in English, as far as its queries are concerned."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


def in_english(text: str, foreign: str) -> InEnglish:
    """Return NO for a text surely in another language.

    Return PERHAPS if another language is likeliest but not sure. If English is the likeliest, however unsure, the
    claim's own words are the English query.

    Args:
        text: a claim.
        foreign: the result of `foreign_language` for it.
    """
    if foreign:
        return InEnglish.NO
    if not any(character.isalpha() for character in text):
        return InEnglish.YES
    code, _ = load_identifier().classify(text[:_ENOUGH])
    return InEnglish.YES if code == ENGLISH else InEnglish.PERHAPS


def _in_a_name(word: str) -> bool:
    """Return whether a word may be part of a name.

    One all in capitals may be any word of a text in capitals.
    """
    return (word[:1].isupper() and not word.isupper()) or word in PARTICLES
