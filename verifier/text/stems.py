"""Cut the words of a text down to stems, so that "bridge" meets "bridges" and "elect" meets "election".

The first letters of a word are a stemmer that needs no tables. How many letters count, and from which length on a word does, is
the caller's choice: the coefficients of the judgement were fitted on one choice, retrieval is measured with another.
"""

from __future__ import annotations

import re

LENGTH = 5
_WITH_WHOLE_FIGURES = re.compile(r"\d+(?:[.,]\d+)*|\w{4,}")


def stems(text: str, shortest: int = 3, length: int = LENGTH) -> list[str]:
    """List the stems of words and numbers in order; of words with at least `shortest` letters, the first `length`."""
    return [word[:length] for word in re.findall(rf"\w{{{shortest},}}|\d+", text.lower())]


def stems_and_figures(text: str) -> list[str]:
    """List the stems of words of four letters and more in order; a figure such as "1,250.5" is one word."""
    return [word[:LENGTH] for word in _WITH_WHOLE_FIGURES.findall(text.lower())]
