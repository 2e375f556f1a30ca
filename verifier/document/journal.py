"""Save the progress of a check as JSON Lines.

If it is stopped, a second run can continue it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from errors import InputError
from verifier.document.export.as_jsonl import claim_line, digest, document_line, line_of, sentence_lines
from verifier.document.export.from_jsonl import Row, document_of, marks_of, rows_of
from verifier.document.schema import DocumentText, Marked, Outcome, Sentence


class Journal:
    """The file of one check. Use it as a context manager.

    Every line is written out at once.
    """

    def __init__(self, path: Path, document: DocumentText) -> None:
        """Open the file and read what an earlier run checked of the same text.

        A last line cut short is removed.

        Raises:
            InputError: the file cannot be written, or holds something else.
        """
        self._path, self._document = path, document
        self._sentences: tuple[Sentence, ...] = ()
        held = _held(path)
        if held and digest(document_of(held, str(path))) != digest(document):
            raise InputError(f"{path} holds the check of another text: give another --out, or remove that file")
        self.done = tuple(mark for mark in marks_of(held, str(path)) if mark.outcome is Outcome.CHECKED)
        self._started = any(row["type"] == "sentence" for row in held)
        try:
            self._file = path.open("a", encoding="utf-8", newline="\n")
        except OSError as exc:
            raise InputError(f"cannot write {path}: {exc.strerror or exc}; choose another file") from exc
        if not held:
            self._write([document_line(document)])

    def sentences(self, sentences: Sequence[Sentence]) -> None:
        """Record the sentences of the text, once for all runs."""
        self._sentences = tuple(sentences)
        if not self._started:
            self._write(sentence_lines(self._document, self._sentences))
            self._started = True

    def mark(self, mark: Marked) -> None:
        """Record the outcome of a claim."""
        self._write([claim_line(self._document, self._sentences, mark)])

    def _write(self, lines: Iterable[dict[str, Any]]) -> None:
        try:
            self._file.write("".join(map(line_of, lines)))
            self._file.flush()
        except OSError as exc:
            raise InputError(
                f"cannot write {self._path}: {exc.strerror or exc}; what was written stays, run the command again to go on"
            ) from exc

    def __enter__(self) -> Self:
        """Return the journal, which is closed at the end of the block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def _held(path: Path) -> list[Row]:
    """Read the lines of the file; what a crash cut short is removed from it."""
    if not path.exists():
        return []
    try:
        content = path.read_bytes()
        rows, length = rows_of(content, str(path))
        if length < len(content):
            os.truncate(path, length)
    except OSError as exc:
        raise InputError(f"cannot use {path}: {exc.strerror or exc}") from exc
    return rows
