"""Check in code that a translation into English keeps a claim's figures and names.

It also lists what helps a translator. Names are checked as far as code can. Those that known_names.txt spells are
checked in all languages; others in Latin or Cyrillic letters by their likeness to a word of the other text. Other names
in Arabic, Devanagari or Han are not checked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from difflib import SequenceMatcher

from kb.chunk import sentences
from verifier.claim.english import known_names, names_spelt_in
from verifier.text.language import foreign_language
from verifier.text.latin import in_latin_letters
from verifier.text.names import common_words, names_of
from verifier.text.numerals import ENGLISH, Numeral, in_english, numerals

_ALIKE = 0.55
"""Lowest share of common letters at which two spellings may be one name.

"Lubiana" and "Ljubljana" have 0.75.
"""
_ROOT = 4
_FEW = 3
"""Fewest words of a translation from which one can say that they are the claim's."""
_SENTENCE_END = re.compile(r"[.!?\u061f\u06d4\u0964](?=\s|$)|[\u3002\uff01\uff1f!?]")
_COMMENT = re.compile(
    r"\b(?:this|the) (?:claim|statement|translation|sentence) (?:is|was|says|means)\b|^note\b", re.IGNORECASE
)
"""How a model begins to comment on what it was to translate."""
_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_WORDS = {
    "France": "french",
    "Netherlands": "dutch holland",
    "Switzerland": "swiss",
    "United Kingdom": "uk u.k. britain british",
    "United States": "us u.s. usa america american americans",
    "European Union": "eu",
    "Greece": "greek",
    "Spain": "spanish",
    "Denmark": "danish dane danes",
    "Poland": "polish pole poles",
    "Turkey": "turkish turk turks t\u00fcrkiye",
    "Wales": "welsh",
    "Ireland": "irish",
    "Iceland": "icelandic",
    "Czechia": "czech",
    "United Nations": "un",
    "Burma": "myanmar",
    "COVID-19": "covid coronavirus",
    "Sun": "solar",
    "Moon": "lunar",
    "thousand": "000",
}
"""Other English words for a name of the table, which do not begin like it."""
_UNLIKE_LETTERS = {"ar": "\u0600-\u06ff", "hi": "\u0900-\u0963", "zh": "\u3400-\u9fff"}
"""Languages whose letters are not compared with Latin ones, with their letters."""
_NAMES_OF_TWO_THINGS = frozenset("China Mercury Venus Mars Jupiter Saturn Neptune Washington Amazon Europe".split())
"""Names that these languages also write with a word missing from the table.

That word is too short or means something else.
"""
_COMMON = frozenset(
    "earth sun moon mount lake river sea ocean island gulf bay cape strait falls valley canal peninsula gate tower palace cathedral museum "
    "university war revolution treaty empire republic union federation emperor king queen prince world north south east west".split()
)
"""Words inside names, and names of things with a common word in every language."""


def known_names_of(claim: str, language: str) -> tuple[str, ...]:
    """List the names of a claim that the table knows, in English, each once."""
    return tuple(dict.fromkeys(english for _, english in known_names(claim, language)))


def without_comment(claim: str, english: str) -> str:
    """Remove the model's comments on the claim from the end of a translation.

    This is done only if it has more sentences than the claim.
    """
    said = sentences(english)
    while len(said) > _sentences(claim) and _COMMENT.search(said[-1]):
        said.pop()
    return " ".join(said)


def lost_in_translation(claim: str, language: str, english: str) -> str:
    """Say what is wrong with a translation; "" if nothing is.

    It may not be English, have an extra sentence, or lose or add a figure or name.

    Args:
        claim: what was translated.
        language: its language (ISO 639-1).
        english: the translation.
    """
    if foreign_language(english) or _is_copied(claim, english):
        return "it is not in English"
    if len(sentences(english)) > _sentences(claim):
        return "it says more than the claim"
    return _figures(numerals(claim, language), numerals(english, ENGLISH)) or _names(claim, language, english)


def _sentences(claim: str) -> int:
    """Count the sentences that a claim may have.

    An ordinal with a full stop counts as an end.
    """
    return max(1, len(_SENTENCE_END.findall(claim)))


def _is_copied(claim: str, english: str) -> bool:
    """Return whether most words of a translation, apart from names, are the claim's own."""
    words = [word for word in _LETTERS.findall(english) if word.islower()]
    own = set(_LETTERS.findall(claim.lower()))
    return len(words) >= _FEW and sum(word in own for word in words) > len(words) / 2


def _figures(asked: Sequence[Numeral], said: Sequence[Numeral]) -> str:
    """Say which number has no equal on the other side.

    A number in words may stand for one in digits.
    """
    left = sorted(said, key=lambda numeral: not numeral.needed)
    spare = [numeral for numeral in asked if not numeral.needed]
    for numeral in (numeral for numeral in asked if numeral.needed):
        found = next((other for other in left if set(other.values) & set(numeral.values)), None)
        if found is None:
            return f"the figure {in_english(numeral.values[0])} is missing"
        left.remove(found)
    for numeral in left:
        free = not numeral.digits or numeral.values == (
            Decimal(1),
        )  # "twice", "a second": English words for what has no figure
        if numeral.needed and not free and not any(set(other.values) & set(numeral.values) for other in spare):
            return f"the figure {in_english(numeral.values[0])} is not in the claim"
    return ""


def _names(claim: str, language: str, english: str) -> str:
    """Say which name the translation lacks, or which of its names the claim lacks.

    The former is a name of the table.
    """
    known = known_names(claim, language)
    words = [_plain(word) for word in _LETTERS.findall(english)]
    for _, name in known:
        if not _holds(words, english, name):
            return f"the name {name} is missing"
    if language in _UNLIKE_LETTERS:
        said = " ".join(name for _, name in known)
        brought = sorted(names_spelt_in(_UNLIKE_LETTERS[language]) - _NAMES_OF_TWO_THINGS)
        new = (name for name in brought if _stands(name, english) and not _stands(name, said))
        return next((f"the name {name} is not in the claim" for name in new), "")
    own = [_plain(in_latin_letters(word)) for word in _LETTERS.findall(claim)]
    accounted = {_plain(word) for _, name in known for word in (*name.split(), *_OTHER_WORDS.get(name, "").split())}
    lost = [name for name in names_of(claim) if not _accounted(name, known, words)]
    for word in _name_words(english):
        if lost and not any(word[:_ROOT] == other[:_ROOT] for other in accounted) and not _alike(word, own):
            return f"the name {word.capitalize()} is not in the claim"
    return ""


def _accounted(name: str, known: Sequence[tuple[str, str]], english: Iterable[str]) -> bool:
    """Return whether a claim's name is in the table, or matched in the translation.

    A match is made by words like its own.
    """
    if any(spelling.lower() in name.lower() for spelling, _ in known):
        return True
    return all(_alike(_plain(in_latin_letters(word)), english) for word in _LETTERS.findall(name) if len(word) > 2)


def _stands(name: str, text: str) -> bool:
    """Return whether a name occurs in a text unchanged and as a separate word."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _holds(words: Sequence[str], english: str, name: str) -> bool:
    """Return whether a translation has a name of the table.

    It may be spelt as there or be a word derived from it.
    """
    if name.lower() in english.lower():
        return True
    others = _OTHER_WORDS.get(name, "").split()
    if any(_stands(other, english.lower()) for other in others):
        return True
    return all(
        any(own[:_ROOT] == word[:_ROOT] for word in words)
        for own in map(_plain, _LETTERS.findall(name))
        if len(own) > 2
    )


def _name_words(english: str) -> list[str]:
    """List the words of the names in a translation that are not common English words."""
    found = (_plain(word) for name in names_of(english) for word in _LETTERS.findall(name))
    return [word for word in found if len(word) > 2 and word not in _COMMON and word not in common_words()]


def _alike(word: str, others: Iterable[str]) -> bool:
    """Return whether one of the words may be the same name in another spelling."""
    return any(
        word[:_ROOT] == other[:_ROOT] or SequenceMatcher(None, word, other).ratio() >= _ALIKE for other in others
    )


def _plain(word: str) -> str:
    """Return a word in lower case without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if unicodedata.category(c) != "Mn")
