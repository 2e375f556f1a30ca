"""The proper names in a text, by their capitals: no tagger, no download, and wrong sometimes."""

from __future__ import annotations

import re

_WORD = r"[A-Z\u00c0-\u00de\u0410-\u042f][\w\u00c0-\u024f'\u2019-]*(?:\.[A-Z])*"
_NAME = re.compile(
    rf"{_WORD}(?:(?: (?:of|the|of the|de|da|do|del|di|la|le|van|von|der|den|bin|al|and) |[ \u00a0]){_WORD})*"
)
_NO_NAME = frozenset(
    "the a an this that these those it its he she they we i you his her their our my in on at by for from to of with without after before "
    "since during when while as if because although though but and or nor so yet no not never none every each all some any many most few "
    "several both there here what which who whom whose why how where is are was were be been has have had do does did can could may might "
    "must shall should will would only even just once one two three four five six seven eight nine ten nobody nothing everyone "
    "according despite under over between against until about more less than then now today yesterday tomorrow however january february "
    "march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday".split()
)
_SMALL = r"(?:of|the|de|da|do|del|di|la|le|van|von|der|den|bin|al|and)"
_AND = re.compile(r" and (?=[A-Z])")


def names_of(text: str) -> tuple[str, ...]:
    """The names in the order of the text, each once; the first word of a sentence counts only where a name goes on after it.

    "The University of Turku and Nokia agreed" -> ("University of Turku", "Nokia").
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        before = text[: match.start()].rstrip()
        opens = not before or before[-1] in '.!?:\u201c"\n'
        for part in _AND.split(match[0]):
            words = part.split()
            while words and words[0].lower() in _NO_NAME:
                words, opens = words[1:], False
            alone = len(words) == 1 and opens and not re.search(r"[A-Z\d].*[A-Z\d]", words[0])
            if words and not alone:
                found.setdefault(" ".join(words).removesuffix("'s").removesuffix("\u2019s"), None)
            opens = False
    return tuple(found)


def first_word_name(text: str) -> str:
    """The first word, where it may be a name ("Nigeria's capital is Lagos"); "" where it is a common opening."""
    words = text.split()
    first = words[0].strip(",:;\u2019'\"\u201c") if words else ""
    return first if first[:1].isupper() and first.lower() not in _NO_NAME else ""


def name_words(text: str) -> frozenset[str]:
    """The words of all names in lower case, without the small words inside them."""
    words = " ".join(names_of(text)).split()
    return frozenset(
        word.lower().removesuffix("'s").removesuffix("\u2019s") for word in words if not re.fullmatch(_SMALL, word)
    )
