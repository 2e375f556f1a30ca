"""Check by code that an English translation keeps the figures and the names of a claim, and write down what helps a translator.

Names are checked as far as code can: those that known_names.txt spells, in all languages; others in Latin or Cyrillic letters,
by their likeness to a word of the other text. Other names in Arabic, Devanagari or Han are not checked.
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
"""Share of letters in common from which two spellings may be one name: "Lubiana" and "Ljubljana" have 0.75."""
_ROOT = 4
_FEW = 3
"""Words of a translation from which it may be told that they are the claim's."""
_SENTENCE_END = re.compile(r"[.!?\u061f\u06d4\u0964](?=\s|$)|[\u3002\uff01\uff1f!?]")
_COMMENT = re.compile(
    r"\b(?:this|the) (?:claim|statement|translation|sentence) (?:is|was|says|means)\b|^note\b", re.IGNORECASE
)
"""How a model begins to judge what it was to translate."""
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
"""How English may else name what a table names: words that do not begin like the name."""
_UNLIKE_LETTERS = {"ar": "\u0600-\u06ff", "hi": "\u0900-\u0963", "zh": "\u3400-\u9fff"}
"""Languages whose letters are not compared with Latin ones, with their letters."""
_NAMES_OF_TWO_THINGS = frozenset("China Mercury Venus Mars Jupiter Saturn Neptune Washington Amazon Europe".split())
"""Names that these languages also write with a word that the table leaves out, since it is too short or means something else."""
_COMMON = frozenset(
    "earth sun moon mount lake river sea ocean island gulf bay cape strait falls valley canal peninsula gate tower palace cathedral museum "
    "university war revolution treaty empire republic union federation emperor king queen prince world north south east west".split()
)
"""Words inside names, and names of what has a common word in every language."""


def known_names_of(claim: str, language: str) -> tuple[str, ...]:
    """The names of a claim that the table knows, in English, each once."""
    return tuple(dict.fromkeys(english for _, english in known_names(claim, language)))


def without_comment(claim: str, english: str) -> str:
    """Take off a translation the sentences at its end in which the model speaks of the claim, where it has more than the claim."""
    said = sentences(english)
    while len(said) > _sentences(claim) and _COMMENT.search(said[-1]):
        said.pop()
    return " ".join(said)


def lost_in_translation(claim: str, language: str, english: str) -> str:
    """Say what is wrong with a translation: not English, an extra sentence, a figure or name lost or added; "" if nothing is.

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
    """How many sentences a claim may have; an ordinal with a full stop counts as an end."""
    return max(1, len(_SENTENCE_END.findall(claim)))


def _is_copied(claim: str, english: str) -> bool:
    """Whether most words of a translation, names apart, are the claim's own."""
    words = [word for word in _LETTERS.findall(english) if word.islower()]
    own = set(_LETTERS.findall(claim.lower()))
    return len(words) >= _FEW and sum(word in own for word in words) > len(words) / 2


def _figures(asked: Sequence[Numeral], said: Sequence[Numeral]) -> str:
    """Which number has no equal on the other side; a number in words may stand for one in digits."""
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
    """Which name of the table is not in the translation, or which name of the translation has none like it in the claim."""
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
    """Whether a name of the claim stands in the table, or has a word like one of its own in the translation."""
    if any(spelling.lower() in name.lower() for spelling, _ in known):
        return True
    return all(_alike(_plain(in_latin_letters(word)), english) for word in _LETTERS.findall(name) if len(word) > 2)


def _stands(name: str, text: str) -> bool:
    """Whether a name stands in a text as it is, as a word of its own."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _holds(words: Sequence[str], english: str, name: str) -> bool:
    """Whether a translation names something that the table knows, as it is spelt there or by a word made of it."""
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
    """The words of the names in a translation that are no common words of English."""
    found = (_plain(word) for name in names_of(english) for word in _LETTERS.findall(name))
    return [word for word in found if len(word) > 2 and word not in _COMMON and word not in common_words()]


def _alike(word: str, others: Iterable[str]) -> bool:
    """Whether one of the words may be the same name in another spelling."""
    return any(
        word[:_ROOT] == other[:_ROOT] or SequenceMatcher(None, word, other).ratio() >= _ALIKE for other in others
    )


def _plain(word: str) -> str:
    """A word in lower case, its accents off."""
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if unicodedata.category(c) != "Mn")
