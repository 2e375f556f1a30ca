"""J1: does each piece of evidence support the claim, refute it, or leave it open?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.chunk import sentences
from verifier.interfaces import Classifier
from verifier.schema import Evidence, Stance, StanceLabel

_LABELS = {StanceLabel.SUPPORTS: "SUPPORTS", StanceLabel.REFUTES: "REFUTES", StanceLabel.NEUTRAL: "NOT ENOUGH INFO"}


def stance_of(claim: str, text: str, classifier: Classifier) -> Stance:
    """The stance of one text.

    Raises:
        ModelError: the model failed.
    """
    found = classifier.probabilities(claim, text)
    return Stance(found["SUPPORTS"], found["REFUTES"], found["NOT ENOUGH INFO"])


def judge_stances(claim: str, evidence: Sequence[Evidence], classifier: Classifier) -> list[Evidence]:
    """The pieces, each with its stance.

    Raises:
        ModelError: the model failed.
    """
    return [
        piece if piece.stance else replace(piece, stance=stance_of(claim, piece.text, classifier)) for piece in evidence
    ]


def decisive_span(claim: str, piece: Evidence, classifier: Classifier) -> tuple[int, int]:
    """Start and end, in the piece's text, of the sentence that speaks loudest for the piece's stance on this very matter.

    Loudness is the probability of the stance, times one part in five plus the share of the claim's words in the sentence:
    a small model is easily sure about a sentence that has nothing to do with the claim.

    Raises:
        ModelError: the model failed.
    """
    spans = sentence_spans(piece.text)
    if len(spans) == 1 or piece.stance is None:
        return spans[0]
    label, asked = _LABELS[piece.stance.label], _stems(claim)

    def loudness(span: tuple[int, int]) -> float:
        sentence = piece.text[span[0] : span[1]]
        shared = len(asked & _stems(sentence)) / max(1, len(asked))
        return classifier.probabilities(claim, sentence)[label] * (0.2 + shared)

    return max(spans, key=loudness)


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
