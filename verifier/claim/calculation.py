"""Recognise a claim that is a calculation, and texts sharing only a number with it.

Such a text is "Nine times seven is 56" for the claim "7 times 8 is 56".
"""

from __future__ import annotations

import re

from verifier.claim.parsed import Statement
from verifier.text.figures import figures
from verifier.text.number_words import NUMBER_WORDS

_WORD = rf"(?:{'|'.join(NUMBER_WORDS)})s?"
_OPERATORS = (
    "[-+*/\u00d7\u00f7\u2212^]|x|plus|minus|times|multiplied by|divided by|added to|subtracted from|to the power of|squared|cubed|%|per ?cent|"
    "square root|cube root|sum|product|difference|double|twice"
)
_EQUALS = "=|is|are|isn['\u2019]t|equals?|makes?|gives?|totals?|adds? up to|comes? to|not|equal to"
_SMALL = "the|and|of|a|an|exactly|between|by|to|from"
_NUMBER = rf"-?\d[\d.,]*|{_WORD}(?:-{_WORD})?"
_PARTS = re.compile(
    rf"(?P<number>{_NUMBER})(?![a-wyz])|(?P<operator>{_OPERATORS})(?![a-z])|(?P<equals>{_EQUALS})(?![a-z])|(?:{_SMALL})(?![a-z])",
    re.IGNORECASE,
)


def is_of_other_numbers(claim: Statement, text: str) -> bool:
    """Return whether the claim is a calculation and a text lacks one of its operands.

    The operands are all its numbers except the last, which is the result.
    """
    if not is_calculation(claim.text):
        return False
    *operands, _ = [asked.figure.value for asked in claim.figures] or [0.0]
    return not {figure.value for figure in figures(text)}.issuperset(operands)


def is_calculation(claim: str) -> bool:
    """Return whether a claim consists only of numbers, operations on them, and a result."""
    kinds = set[str]()
    at, text = 0, " ".join(claim.strip().rstrip(".!").replace("(", " ").replace(")", " ").split())
    while at < len(text):
        found = _PARTS.match(text, at)
        if not found:
            return False
        kinds.add(found.lastgroup or "")
        at = found.end()
        at += text[at : at + 1] == " "
    return {"number", "operator", "equals"} <= kinds
