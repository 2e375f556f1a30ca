"""Find the proper names in a text by their capitals.

This needs no tagger and no download, and is sometimes wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

PARTICLES = frozenset("of the de da do del di la le van von der den bin al and".split())
"""Small words inside names."""
_CAPITAL = "A-Z" + "".join(chr(code) for code in range(0xC0, 0x530) if chr(code).isupper())
_WORD = rf"(?:(?:[A-Z]\.)+(?![A-Z\w])|(?:Dr|Mr|Mrs|Ms|St|Prof|Gen|Sen|Gov|Jr|Sr)\.(?= [{_CAPITAL}])|[{_CAPITAL}][\w'\u2019-]*)"
_NAME = re.compile(rf"(?<!\w){_WORD}(?:(?: (?:of the|{'|'.join(sorted(PARTICLES))}) |[ \u00a0]){_WORD})*")
_NO_NAME = frozenset(
    "the a an this that these those it its he she they we i you his her their our my in on at by for from to of with without after before "
    "since during when while as if because although though but and or nor so yet no not never none every each all some any many most few "
    "several both there here what which who whom whose why how where is are was were be been has have had do does did can could may might "
    "must shall should will would only even just once one two three four five six seven eight nine ten nobody nothing everyone "
    "according despite under over between against until about more less than then now today yesterday tomorrow however january february "
    "let march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday".split()
)
_AND = re.compile(rf" and (?=[{_CAPITAL}])")
_FULL_STOP = re.compile(r"(?:(?<= \w)|(?<=^\w))\.$")
_SHORT = re.compile(r"\w\.|[A-Z][a-z]+\.")
_BEFORE = 20
"""Characters read before a word to see whether it opens a sentence."""
_ARTICLES = frozenset("der die das ein eine el la los las un une les il lo gli os as o het een le".split())
"""Small words of other languages that begin names ("Los Angeles") but are not names."""
_COMMON_ENDING = re.compile(r"(?:ing|ly|ness|tions?|ments?|ity)$")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f'\u2019-]+")
_ACRONYMS = frozenset({"IT", "WHO"})
"""Names that are small words when written in lower case."""


def names_of(text: str) -> tuple[str, ...]:
    """List the names of a text in order, each once.

    A sentence's first word counts if it is not common. "The University of Turku and Nokia agreed" -> ("University of
    Turku", "Nokia"). A text all in capitals shows no names.
    """
    if text.isupper() and " " in text.strip():
        return ()
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()].rstrip(" \u00a0\u201d\u2019)")
        opens = not before or before[-1] in '.!?:\u201c"\n'
        parts = _AND.split(match[0])
        for part in parts:
            words = _one_sentence(part.split())
            small = next((i for i, word in enumerate(words) if not _is_small(word)), len(words))
            words = words[small:]
            alone = (
                len(words) == len(parts) == 1 and opens and not small and not re.search(r"[A-Z\d].*[A-Z\d]", words[0])
            )
            if words and not (alone and _is_common(words[0])):
                found.setdefault(without_possessive(_FULL_STOP.sub("", " ".join(words))), None)
    return tuple(found)


def _one_sentence(words: list[str]) -> list[str]:
    """Cut words at a full stop with a small word after it.

    Example: "Vitamin C. Then" is not one name.
    """
    ends = (i for i in range(1, len(words)) if words[i - 1].endswith(".") and _is_small(words[i]))
    return words[: next(ends, len(words))]


def _is_small(word: str) -> bool:
    return word.lower() in _NO_NAME and word not in _ACRONYMS


def _is_common(word: str) -> bool:
    """Return whether a capitalised word at a sentence's start is otherwise in lower case."""
    plain = _FULL_STOP.sub("", without_possessive(word)).lower()
    if not _LATIN.fullmatch(plain) or plain in _ARTICLES or _COMMON_ENDING.search(plain):
        return True
    return any(form in common_words() for form in (plain, plain.removesuffix("s"), plain.removesuffix("es")))


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Load the English words that are written in lower case more often than not.

    Counted inside the sentences of public claims and passages.
    """
    return frozenset((Path(__file__).parent / "common_words.txt").read_text(encoding="utf-8").split())


def without_possessive(name: str) -> str:
    """Remove the possessive ending of a name: "Nigeria's" -> "Nigeria", "Gates'" -> "Gates"."""
    return re.sub(r"['\u2019]s?$", "", name)


def first_word_name(text: str) -> str:
    """Return the first word if it may be a name ("Nigeria's capital is Lagos").

    It is "" if it is a common opening.
    """
    words = text.split()
    first = without_possessive(words[0].strip(',:;"\u201c')) if words else ""
    return first if first[:1].isupper() and first.lower() not in _NO_NAME else ""


def name_words(text: str) -> frozenset[str]:
    """Return the words of all names in a text; see `words_in_names`."""
    return words_in_names(names_of(text))


def words_in_names(names: Iterable[str]) -> frozenset[str]:
    """Return the words of names in lower case, without small words, initials and titles."""
    words = (word for name in names for word in name.split() if word not in PARTICLES and not _SHORT.fullmatch(word))
    return frozenset(without_possessive(word.lower().removesuffix(".")) for word in words)
