"""Cut the words of a text down to stems.

So "bridge" matches "bridges" and "elect" matches "election". Taking the first letters of a word is stemming without
tables. The caller chooses how many letters count and how long a word must be: the judgement's coefficients were fitted
with one choice, retrieval is measured with another.
"""

from __future__ import annotations

import re

LENGTH = 5
_WITH_WHOLE_FIGURES = re.compile(r"\d+(?:[.,]\d+)*|\w{4,}")


def stems(text: str, shortest: int = 3, length: int = LENGTH) -> list[str]:
    """List the stems of words and numbers in order.

    Of words with `shortest` letters or more, these are the first `length` letters.
    """
    return [word[:length] for word in re.findall(rf"\w{{{shortest},}}|\d+", text.lower())]


def stems_and_figures(text: str) -> list[str]:
    """List the stems of words of four letters and more in order.

    A figure such as "1,250.5" is one word.
    """
    return [word[:LENGTH] for word in _WITH_WHOLE_FIGURES.findall(text.lower())]
