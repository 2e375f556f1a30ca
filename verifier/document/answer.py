"""Write a checked text as programs receive it.

No warning names a path of this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from verifier.document.schema import DocumentResult, DocumentText, Marked, Outcome, Sentence
from verifier.document.summary import summed_up
from verifier.report.answers import MarkAnswer, SentenceAnswer, TextAnswer
from verifier.report.as_json import result_to_dict
from verifier.report.public import public


def so_far(
    document: DocumentText, sentences: Sequence[Sentence], marks: Sequence[Marked], total: int, seconds: float
) -> TextAnswer:
    """Return a text as far as it is checked.

    Each answer only adds to the one before, so a client can be sent just what is new.
    """
    return {
        "status": "checking",
        "summary": summed_up(sentences, marks) if marks else f"{total} statement{'' if total == 1 else 's'} to check",
        "done": len(marks),
        "total": total,
        "sentences": [_sentence(document, number, sentence) for number, sentence in enumerate(sentences)],
        "claims": [_mark(document, sentences, mark) for mark in marks],
        "seconds": round(seconds, 3),
        "warnings": [public(warning) for warning in document.warnings],
    }


def ended(result: DocumentResult, marks: Sequence[Marked], total: int) -> TextAnswer:
    """Return the last answer: `marks` as they were done, and what was left out."""
    left = [mark for mark in result.marks if mark.outcome is Outcome.LEFT_OUT]
    whole = so_far(result.document, result.sentences, [*marks, *left], total, result.seconds)
    whole["status"], whole["done"] = "done", total
    whole["summary"] = summed_up(result.sentences, result.marks)
    whole["warnings"] += [public(warning) for warning in result.warnings]
    return whole


def _sentence(document: DocumentText, number: int, sentence: Sentence) -> SentenceAnswer:
    answer = {
        "number": number,
        "start": sentence.start,
        "end": sentence.end,
        "text": document.text[sentence.start : sentence.end],
        "kind": str(sentence.kind),
        "reason": public(sentence.reason),
    }
    return cast(SentenceAnswer, answer)


def _mark(document: DocumentText, sentences: Sequence[Sentence], mark: Marked) -> MarkAnswer:
    claim, checked = mark.claim, mark.result
    place = sentences[claim.sentence]
    clean = replace(checked, warnings=tuple(public(warning) for warning in checked.warnings)) if checked else None
    answer = {
        "sentence": claim.sentence,
        "start": place.start,
        "end": place.end,
        "text": document.text[place.start : place.end],
        "claim": claim.text,
        "worth": claim.worth,
        "resolved": claim.resolved,
        "speaker": claim.speaker,
        "was_said": claim.was_said,
        "outcome": str(mark.outcome),
        "verdict": str(checked.verdict) if checked else None,
        "reason": public(mark.reason),
        "seconds": mark.seconds,
        "result": result_to_dict(clean) if clean else None,
    }
    return cast(MarkAnswer, answer)
