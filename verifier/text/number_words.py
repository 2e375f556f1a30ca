"""Read English number words: ones, tens, scales and parts."""

from __future__ import annotations

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
SCALES = {
    "dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "bn": 1e9,
}  # fmt: skip
SCALE = "dozen|hundred|thousand|million|billion|trillion"
_WORD_NUMBERS = {word: float(value) for value, word in enumerate(_SMALL)} | {w: float(v) for w, v in _TENS.items()}
_WORD_NUMBERS |= {"a": 1.0, "an": 1.0, "half a": 0.5}
_ONES = "|".join(_SMALL[1:10])
NUMBER = rf"(?:(?:{'|'.join(_TENS)})[- ](?:{_ONES})|{'|'.join([*_TENS, *_SMALL[2:]])}|(?:half a|a|one)(?=[ -](?:{SCALE})\b| and a half\b))"
PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "tenth": 1 / 10}
PART = "|".join(PARTS)
NUMBER_WORDS = (*_SMALL, *_TENS, *SCALE.split("|"), *PARTS)
"""Words for writing numbers: ones, tens, scales and parts."""


def read_number(written: str) -> float:
    """Return the value of a number in digits or in words: "1,200", "twenty-one", "half a".

    Raises:
        KeyError: a word is no number.
    """
    text = written.lower()
    if text[0].isdigit():
        return float(text.replace(",", "").replace(" ", ""))
    return _WORD_NUMBERS[text] if text in _WORD_NUMBERS else sum(_WORD_NUMBERS[part] for part in re.split("[- ]", text))
