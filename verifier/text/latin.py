"""Spell Cyrillic and Greek in Latin letters without accents: names as English newspapers write them."""

from __future__ import annotations

import unicodedata

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya i yi ye g".replace("_", "").split(
            " "
        ),
        strict=True,
    )
)
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(),
        strict=True,
    )
)
_TABLE = str.maketrans(_CYRILLIC | _GREEK)


def in_latin_letters(text: str) -> str:
    """Spell a text in lower case with Latin letters; other scripts stay as they are."""
    return text.lower().translate(_TABLE)


def without_accents(text: str) -> str:
    """Remove the accents of Latin letters: "Bras\u00edlia" becomes "Brasilia"."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
