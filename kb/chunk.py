"""Split text into passages of 1 to 3 sentences and at most 512 characters, verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sentencex import segment

MAX_CHARACTERS = 512
MAX_SENTENCES = 3
OVERLAP = 100
_LETTERED = re.compile(
    r"\b((?i:vitamin|hepatitis|influenza) [A-Z]\.)\s+(?=(?:It|Its|The|They|This|These|That|A|An|In|He|She|[A-Z][a-z]{3,}) )"
)
"""A letter that ends a sentence, which the splitter takes for an initial: "It is treated with vitamin C. It is no infection."."""


def sentences(text: str, language: str = "en") -> list[str]:
    """Return a text's sentences, stripped; empty ones are left out."""
    lines = _LETTERED.sub("\\1\n", text).splitlines()
    return [sentence.strip() for line in lines for sentence in segment(language, line) if sentence.strip()]


def passages(text: str, language: str = "en") -> list[str]:
    """Return passages in reading order.

    Sentences are never cut, unless one alone is longer than a passage may be.
    """
    found: list[str] = []
    current: list[str] = []
    for paragraph in text.splitlines():
        for sentence in sentences(paragraph, language):
            if current and (len(current) == MAX_SENTENCES or len(" ".join([*current, sentence])) > MAX_CHARACTERS):
                found.append(" ".join(current))
                current = []
            if len(sentence) > MAX_CHARACTERS:
                found += windows(sentence)
            else:
                current.append(sentence)
        if current:
            found.append(" ".join(current))
            current = []
    return found


def windows(sentence: str) -> Iterator[str]:
    """Cut an overlong sentence at spaces into pieces that overlap by up to 100 characters."""
    start = 0
    while start < len(sentence):
        end = start + MAX_CHARACTERS
        if end < len(sentence):
            end = sentence.rfind(" ", start + OVERLAP + 1, end + 1)
            end = start + MAX_CHARACTERS if end < 0 else end
        yield sentence[start:end].strip()
        if end >= len(sentence):
            return
        back = sentence.find(" ", end - OVERLAP, end)
        start = end if back < 0 else back + 1
