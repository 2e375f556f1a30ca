"""J1: does each piece of evidence support the claim, refute it, or leave it open?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from kb.chunk import sentences
from verifier.interfaces import Classifier
from verifier.schema import Evidence, Stance

_ON_TRUTH = re.compile(
    r"\b(?:false|fake|untrue|incorrect|wrong|hoax|myth|rumou?rs?|misleading|debunked|misinformation|no (?:evidence|truth)|not true|true)\b",
    re.IGNORECASE,
)


def stance_of(claim: str, text: str, classifier: Classifier) -> Stance:
    """The stance of one text: of the whole, and of the sentence in it that is closest to the claim.

    The two are joined by the geometric mean of their probabilities, since a small model is led astray by what else a text
    says. The whole alone counts where another sentence speaks of truth: "He is said to have fled. That is false."

    Raises:
        ModelError: the model failed.
    """
    found = classifier.probabilities(claim, text)
    start, end = closest_sentence(claim, text)
    rest = text[:start] + text[end:]
    if rest.strip() and not _ON_TRUTH.search(rest):
        part = classifier.probabilities(claim, text[start:end])
        joint = {label: math.sqrt(found[label] * part[label]) for label in found}
        found = {label: value / sum(joint.values()) for label, value in joint.items()}
    return Stance(found["SUPPORTS"], found["REFUTES"], found["NOT ENOUGH INFO"])


def judge_stances(claim: str, evidence: Sequence[Evidence], classifier: Classifier) -> list[Evidence]:
    """The pieces, each with its stance.

    Raises:
        ModelError: the model failed.
    """
    return [
        piece if piece.stance else replace(piece, stance=stance_of(claim, piece.text, classifier)) for piece in evidence
    ]


def closest_sentence(claim: str, text: str) -> tuple[int, int]:
    """Start and end of the sentence that shares most of the claim's words: the first of them, and the one to quote."""
    asked = _stems(claim)
    return max(sentence_spans(text), key=lambda span: len(asked & _stems(text[span[0] : span[1]])))


def _stems(text: str) -> set[str]:
    """The text's words and numbers, each by its first five characters; words of up to three letters say little."""
    return {word[:5] for word in re.findall(r"\d[\d.,]*|\w{4,}", text.lower())}


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of every sentence; at least one span."""
    spans, end = [], 0
    for sentence in sentences(text):
        start = text.find(sentence, end)
        if start >= 0:
            end = start + len(sentence)
            spans.append((start, end))
    return spans or [(0, len(text))]
