"""Read text files of any size line by line: JSON lines and CSV.

Only one line and one batch are in memory at a time.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from errors import InputError
from kb.intake.formats.rows import BadRow, Found, parse_fields, parse_object

MAX_LINE = 1_000_000
"""Characters of one line. A longer one is reported and skipped, so no file can fill the memory."""
_SAMPLE = 65_536
_DELIMITERS = ",;\t|"
_MAX_COLUMNS = 200

Parse = Callable[[Mapping[str, Any]], Found]


@dataclass(frozen=True, slots=True)
class Line:
    """A row by its column names, and the number of its first line (from 1)."""

    number: int
    values: Mapping[str, Any]


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a file as UTF-8 text in which only a line feed ends a line.

    Bytes that are not UTF-8 are marked, and refused row by row.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as file:
            yield file
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc


def numbered_lines(file: TextIO) -> Iterator[tuple[int, str] | BadRow]:
    """Yield numbered lines; one of more than `MAX_LINE` characters becomes a BadRow."""
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        if len(line) < MAX_LINE or line.endswith("\n"):
            yield number, line
            continue
        yield BadRow(number, f"a line may have at most {MAX_LINE:,} characters")
        while line and not line.endswith("\n"):
            line = file.readline(MAX_LINE)


def read_json_lines(file: TextIO, parse: Parse = parse_fields) -> Iterator[Found]:
    """Yield the rows of JSON lines, parsed by `parse`; what it refuses becomes a BadRow."""
    for found in json_lines(file):
        yield found if isinstance(found, BadRow) else parsed(found, parse)


def json_lines(file: TextIO) -> Iterator[Line | BadRow]:
    """Yield the objects of JSON lines, skipping empty lines."""
    for found in numbered_lines(file):
        if isinstance(found, BadRow):
            yield found
        elif found[1].strip():
            try:
                yield Line(found[0], parse_object(found[1]))
            except InputError as exc:
                yield BadRow(found[0], str(exc))


def parsed(line: Line, parse: Parse) -> Found:
    """Parse a row; what `parse` refuses becomes a BadRow."""
    try:
        return parse(line.values)
    except InputError as exc:
        return BadRow(line.number, str(exc))


def read_csv(path: Path, parse: Parse = parse_fields) -> Iterator[Found]:
    """Yield the rows of a CSV file whose first line names the columns, including `text`.

    Raises:
        InputError: it cannot be read, or has no such column.
    """
    for found in csv_lines(path, needed="text"):
        yield found if isinstance(found, BadRow) else parsed(found, parse)


def csv_lines(path: Path, needed: str) -> Iterator[Line | BadRow]:
    """Yield the rows of a CSV file by lower-cased column names.

    Comma, semicolon, tab or bar may separate the columns.

    Raises:
        InputError: it cannot be read, or has no column named `needed`.
    """
    with open_text(path) as file:
        dialect = _dialect(file.read(_SAMPLE))
        file.seek(0)
        lines = _Lines(file)
        reader = csv.reader(lines, dialect)
        names = _header(reader, path, needed)
        yield from _csv_rows(reader, names, lines)


def _dialect(sample: str) -> type[csv.Dialect]:
    """Return the file's dialect: the sniffer's guess at the separator, with the usual quoting."""
    try:
        found = csv.Sniffer().sniff(sample.partition("\n")[0] or sample[:1000], _DELIMITERS).delimiter
    except csv.Error:  # one column only
        found = ","

    class Usual(csv.excel):
        delimiter = found

    return Usual


def _header(reader: Iterator[list[str]], path: Path, needed: str) -> list[str]:
    try:
        names = [name.strip().lower() for name in next(reader, [])]
    except csv.Error as exc:
        raise InputError(f"{path.name}: its first line cannot be read as CSV ({exc})") from exc
    if needed not in names:
        listed = ", ".join(name[:30] for name in names[:10]) or "none"
        raise InputError(f"{path.name}: the first line must name a column {needed!r}; its columns are: {listed}")
    if len(names) > _MAX_COLUMNS:
        raise InputError(f"{path.name}: a file may have at most {_MAX_COLUMNS} columns, this one has {len(names)}")
    return names


class _Lines:
    """A file's lines for a csv.reader; an overlong one comes empty and sets `too_long`."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.too_long = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._file.readline(MAX_LINE)
        if not line:
            raise StopIteration
        if len(line) < MAX_LINE or line.endswith("\n"):
            return line
        quotes = line.count('"')
        while line and not line.endswith("\n"):
            line = self._file.readline(MAX_LINE)
            quotes += line.count('"')
        self.too_long = True
        return '"\n' if quotes % 2 else "\n"  # keeps a cell open or closed that the dropped line opens or closes


def _csv_rows(reader: Any, names: list[str], lines: _Lines) -> Iterator[Line | BadRow]:  # noqa: ANN401
    """Yield rows by column names; a csv.reader cannot be named as a type."""
    while True:
        start, lines.too_long = reader.line_num + 1, False
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as exc:
            limit = f"a cell may have at most {csv.field_size_limit():,} characters"
            yield BadRow(
                start, f"{limit}; add longer texts as .txt files" if "field limit" in str(exc) else f"not CSV ({exc})"
            )
            continue
        if lines.too_long:
            yield BadRow(start, f"a line may have at most {MAX_LINE:,} characters; add longer texts as .txt files")
            continue
        if len(cells) > len(names):
            yield BadRow(
                start, f"{len(cells)} columns where the first line names {len(names)}; quote texts that hold a comma"
            )
        elif any(cell.strip() for cell in cells):
            yield Line(start, dict(zip(names, cells, strict=False)))
