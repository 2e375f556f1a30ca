"""Write a checked text as JSON Lines: the text, sentences, checked claims, an end.

Every line has a `type`: document, sentence, claim or end. `start` and `end` count characters of the document's `text`;
the line also holds the part between them. A file without an end is a check that was stopped; of two lines for one claim
the last counts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from verifier.document.export.pieces import place_of, summary_line
from verifier.document.schema import DocumentResult, DocumentText, Marked, Sentence
from verifier.document.summary import side_of
from verifier.report.as_json import result_to_dict

Line = dict[str, Any]
_UNPAIRED = re.compile("[\ud800-\udfff]")


def document_to_jsonl(result: DocumentResult) -> str:
    """Write all lines, the claims in reading order."""
    return "".join(map(line_of, _lines(result)))


def document_to_json(result: DocumentResult) -> str:
    """Write the same as one JSON object, with each kind of line in a list."""
    lines = list(_lines(result))
    whole = {
        **lines[0],
        **lines[-1],
        "sentences": [line for line in lines if line["type"] == "sentence"],
        "claims": [line for line in lines if line["type"] == "claim"],
        "type": "document",
    }
    return _encoded(json.dumps(whole, ensure_ascii=False, indent=1)) + "\n"


def line_of(fields: Line) -> str:
    """Write one line.

    Half of a character, which no file can hold and no text reader accepts, becomes its escape.
    """
    return _encoded(json.dumps(fields, ensure_ascii=False)) + "\n"


def _encoded(text: str) -> str:
    return _UNPAIRED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _lines(result: DocumentResult) -> Iterator[Line]:
    yield document_line(result.document)
    yield from sentence_lines(result.document, result.sentences)
    for mark in sorted(result.marks, key=lambda mark: mark.claim.sentence):
        yield claim_line(result.document, result.sentences, mark)
    yield end_line(result)


def document_line(document: DocumentText) -> Line:
    """Give the fields of the first line."""
    return {
        "type": "document",
        "name": document.name,
        "url": document.url,
        "sha256": digest(document),
        "characters": len(document.text),
        "text": document.text,
        "places": [[place.start, place.label] for place in document.places],
        "source_warnings": list(document.warnings),
    }


def digest(document: DocumentText) -> str:
    """Identify a text by its characters."""
    return hashlib.sha256(document.text.encode("utf-8", errors="surrogatepass")).hexdigest()


def sentence_lines(document: DocumentText, sentences: Iterable[Sentence]) -> Iterator[Line]:
    """Give the fields of a line for each sentence, numbered from 0."""
    for number, sentence in enumerate(sentences):
        yield {
            "type": "sentence",
            "number": number,
            **_span(document, sentence),
            "kind": str(sentence.kind),
            "reason": sentence.reason,
            "said": sentence.said,
        }


def claim_line(document: DocumentText, sentences: tuple[Sentence, ...], mark: Marked) -> Line:
    """Give the fields of a claim's line: its place, what was checked, the outcome."""
    claim, result = mark.claim, mark.result
    return {
        "type": "claim",
        "sentence": claim.sentence,
        **_span(document, sentences[claim.sentence]),
        "claim": claim.text,
        "worth": round(claim.worth, 4),
        "resolved": claim.resolved,
        "speaker": claim.speaker,
        "was_said": claim.was_said,
        "outcome": str(mark.outcome),
        "side": str(side_of(mark)),
        "verdict": str(result.verdict) if result else None,
        "reason": mark.reason,
        "seconds": round(mark.seconds, 3),
        "result": result_to_dict(result) if result else None,
    }


def end_line(result: DocumentResult) -> Line:
    """Give the fields of the last line."""
    return {
        "type": "end",
        "checked_at": result.checked_at.isoformat(),
        "seconds": round(result.seconds, 3),
        "summary": summary_line(result),
        "warnings": list(result.warnings),
    }


def _span(document: DocumentText, sentence: Sentence) -> Line:
    return {
        "start": sentence.start,
        "end": sentence.end,
        "text": document.text[sentence.start : sentence.end],
        "place": place_of(document.places, sentence.start),
    }
