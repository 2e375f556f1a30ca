"""Read a checked text back from its JSON Lines, complete or stopped.

See `as_jsonl` for the lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from errors import InputError
from kb.intake.formats.pages import MAX_FILE_BYTES
from verifier.document.export.as_jsonl import digest
from verifier.document.schema import (
    DocumentClaim,
    DocumentResult,
    DocumentText,
    Marked,
    Outcome,
    Place,
    Sentence,
    SentenceKind,
)
from verifier.report.from_json import result_from_dict

Row = Mapping[str, Any]
_BROKEN = (KeyError, TypeError, ValueError, RecursionError, InputError)
"""Errors that reading a foreign line may raise."""
STOPPED = "the check was stopped before its end"


def read_result(path: Path) -> DocumentResult:
    """Read a checked text; a stopped one has a warning that says so.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path.name}: at most {MAX_FILE_BYTES // 1_000_000} MB can be read")
        rows, _ = rows_of(path.read_bytes(), path.name)
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    return result_of(rows, path.name)


def rows_of(content: bytes, name: str) -> tuple[list[Row], int]:
    """Parse the complete lines.

    Return them and their size in bytes, since a crash may cut the last one short.

    Raises:
        InputError: these are not such lines.
    """
    length = content.rfind(b"\n") + 1
    try:
        rows = [json.loads(line) for line in content[:length].split(b"\n")[:-1]]
        if (rows or not content) and all(isinstance(row, dict) and "type" in row for row in rows):
            return rows, length
    except (ValueError, RecursionError):
        pass
    raise InputError(f"{name}: it holds something else than a checked text: name another file, or remove that one")


def document_of(rows: Sequence[Row], name: str) -> DocumentText:
    """Read the text back from the first line.

    Raises:
        InputError: it is not such a line, or was changed.
    """
    try:
        line = rows[0]
        places = tuple(Place(int(start), str(label)) for start, label in line["places"])
        warnings = tuple(map(str, line["source_warnings"]))
        document = DocumentText(str(line["text"]), str(line["name"]), str(line["url"]), places, warnings)
        if line["type"] == "document" and line["sha256"] == digest(document):
            return document
    except (*_BROKEN, IndexError):
        pass
    raise InputError(f"{name}: it is no checked text, or was changed: name another file, or remove that one")


def marks_of(rows: Sequence[Row], name: str) -> tuple[Marked, ...]:
    """Read the claims back, in the order of the text.

    Of two lines for one claim the last counts.

    Raises:
        InputError: a line is damaged.
    """
    try:
        marks = [_mark(row) for row in rows if row["type"] == "claim"]
    except _BROKEN as exc:
        raise _damaged(name) from exc
    last = {(mark.claim.sentence, mark.claim.text): mark for mark in marks}
    return tuple(sorted(last.values(), key=lambda mark: mark.claim.sentence))


def result_of(rows: Sequence[Row], name: str) -> DocumentResult:
    """Read a checked text back from its lines.

    Raises:
        InputError: these are not the lines of a checked text.
    """
    document, marks = document_of(rows, name), marks_of(rows, name)
    try:
        sentences = tuple(_sentence(row) for row in rows if row["type"] == "sentence")
        whole = rows[-1]["type"] == "end"
        end = rows[-1] if whole else _end_of_stopped(marks)
        when, seconds = datetime.fromisoformat(end["checked_at"]), float(end["seconds"])
        warnings = tuple(map(str, end["warnings"]))
    except _BROKEN as exc:
        raise _damaged(name) from exc
    if any(not 0 <= mark.claim.sentence < len(sentences) for mark in marks):
        raise _damaged(name)
    return DocumentResult(document, when, sentences, marks, seconds, warnings)


def _end_of_stopped(marks: Sequence[Marked]) -> Row:
    checked = [mark.result.checked_at for mark in marks if mark.result]
    if not checked:
        raise InputError("no claim of it was checked")
    seconds = sum(mark.seconds for mark in marks)
    return {"checked_at": max(checked).isoformat(), "seconds": seconds, "warnings": [STOPPED]}


def _damaged(name: str) -> InputError:
    return InputError(
        f"{name}: a line of it is damaged, or no claim of it was checked: name another file, or remove that one"
    )


def _sentence(line: Row) -> Sentence:
    return Sentence(
        int(line["start"]), int(line["end"]), SentenceKind(line["kind"]), str(line["reason"]), bool(line.get("said"))
    )


def _mark(line: Row) -> Marked:
    claim = DocumentClaim(
        int(line["sentence"]),
        str(line["claim"]),
        float(line["worth"]),
        bool(line["resolved"]),
        str(line["speaker"]),
        bool(line.get("was_said")),
    )
    result = result_from_dict(line["result"]) if line["result"] else None
    return Marked(claim, Outcome(line["outcome"]), result, str(line["reason"]), float(line["seconds"]))
