"""Read files that a user adds into texts for the store.

The entry point to kb/intake/formats, which has one reader for each kind of file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from errors import InputError
from kb.intake.formats.pages import Extract, Page, read_html, read_markdown, read_plain, read_text
from kb.intake.formats.rows import MAX_TEXT, BadRow, Found, Stored, WithVector, parse_fields, parse_row
from kb.intake.formats.stored import parse_stored
from kb.intake.formats.tables import open_text, read_csv, read_json_lines
from kb.record import NewEvidence

__all__ = [
    "MAX_TEXT",
    "BadRow",
    "Extract",
    "Format",
    "Found",
    "Page",
    "Reading",
    "Stored",
    "WithVector",
    "format_of",
    "parse_row",
    "read_evidence",
    "read_file",
    "read_jsonl",
    "read_text",
]


class Format(StrEnum):
    """The kind of a file."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    HTML = "html"
    PDF = "pdf"
    MARKDOWN = "md"
    TEXT = "txt"


_SUFFIXES = {
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".parquet": Format.PARQUET,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".pdf": Format.PDF,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".txt": Format.TEXT,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    `extract` finds the article in HTML, `embedder` says whose vectors may be used again, `as_backup` restores whole
    records.
    """

    extract: Extract
    embedder: str = ""
    as_backup: bool = False


def format_of(path: Path) -> Format | None:
    """Return the format that a file's name ends in, or None for any other."""
    return _SUFFIXES.get(path.suffix.lower())


def read_file(path: Path, extract: Extract) -> Iterator[Found]:
    """Read the texts of a file of any format.

    Rows that cannot be used become BadRow, and do not stop the rest.

    Raises:
        InputError: the file is missing, too large, of another kind, not UTF-8, or holds no text at all.
    """
    kind = format_of(path)
    if kind is None:
        raise InputError(f"{path.name}: a file must end in {', '.join(_SUFFIXES)}")
    return read_format(path, kind, Reading(extract))


def read_format(path: Path, kind: Format, reading: Reading) -> Iterator[Found]:
    """Read a file of a known format, as `read_file` does."""
    match kind:
        case Format.JSONL:
            return _json_lines(path, reading.as_backup)
        case Format.CSV:
            return read_csv(path)
        case Format.PARQUET:
            from kb.intake.formats.parquet import read_parquet

            return read_parquet(path, reading.embedder, reading.as_backup)
        case Format.PDF:
            from kb.intake.formats.pdf import read_pdf

            return read_pdf(path)
        case Format.HTML:
            return read_html(path, reading.extract)
        case Format.MARKDOWN:
            return read_markdown(path)
        case Format.TEXT:
            return read_plain(path)


def _json_lines(path: Path, as_backup: bool) -> Iterator[Found]:
    with open_text(path) as file:
        yield from read_json_lines(file, parse_stored if as_backup else parse_fields)


def read_jsonl(text: str) -> Iterator[NewEvidence | BadRow]:
    """Yield the rows of JSON-lines text.

    Only a line feed ends a row: JSON strings may hold other line separators as they are.
    """
    for found in read_json_lines(io.StringIO(text, newline="\n")):
        if isinstance(found, (NewEvidence, BadRow)):
            yield found


def read_evidence(path: Path) -> list[NewEvidence]:
    """Read the texts of a JSON-lines file that verdicts rest on.

    A row that cannot be used is an error, since leaving it out could change a verdict.

    Raises:
        InputError: the file cannot be read, has no rows, or has one that cannot be used.
    """
    rows = []
    for found in read_jsonl(read_text(path)):
        if isinstance(found, BadRow):
            raise InputError(f"{path.name}, line {found.line}: {found.reason}")
        rows.append(found)
    if not rows:
        raise InputError(f'{path.name}: no evidence in it; every line must be an object such as {{"text": "..."}}')
    return rows
