"""Files that a user adds -> texts for the store: JSON lines, plain text, or a saved web page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from errors import InputError
from kb.chunk import passages
from kb.record import NewEvidence

MAX_TEXT = 4_000
"""A single record's text. Longer texts belong into a .txt or .html file, which is cut into passages."""
MAX_FILE_BYTES = 50_000_000


class Page(Protocol):
    """What a page extractor returns."""

    @property
    def text(self) -> str:
        """The page's main text."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def url(self) -> str:
        """Its address as it states it, or ""."""

    @property
    def published_at(self) -> datetime | None:
        """When it says it was published."""


Extract = Callable[[str], Page | None]
"""HTML -> page, or None where no text was found."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used, by its line number (from 1)."""

    line: int
    reason: str


def read_file(path: Path, extract: Extract) -> Iterator[NewEvidence | BadRow]:
    """The texts of a .jsonl, .txt or .html file; rows that cannot be used come as BadRow, and do not stop the rest.

    Raises:
        InputError: the file is missing, too large, of another kind, not UTF-8, or holds no text at all.
    """
    readers: dict[str, Callable[[str], Iterator[NewEvidence | BadRow]]] = {
        ".jsonl": read_jsonl,
        ".txt": lambda text: _plain(text, path),
        ".html": lambda text: _html(text, path, extract),
        ".htm": lambda text: _html(text, path, extract),
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path.name}: a file must end in .jsonl, .txt or .html")
    return reader(read_text(path))


def read_text(path: Path) -> str:
    """A whole UTF-8 file.

    Raises:
        InputError: it is missing, a folder, too large, or not UTF-8.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(
                f"{path}: at most {MAX_FILE_BYTES // 1_000_000} MB can be read, this file has {path.stat().st_size // 1_000_000} MB; split it"
            )
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InputError(f"{path}: not UTF-8 text (byte {exc.start}); save it as UTF-8") from exc
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc


def read_jsonl(text: str) -> Iterator[NewEvidence | BadRow]:
    """The rows of JSON-lines text. A line feed alone ends a row: JSON strings may hold other line separators as they are."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield parse_row(line)
            except InputError as exc:
                yield BadRow(number, str(exc))


def read_evidence(path: Path) -> list[NewEvidence]:
    """The texts of a JSON-lines file that verdicts rest on: a row that cannot be used is an error, since leaving it out could turn one.

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


def parse_row(line: str) -> NewEvidence:
    """One JSON row: text, and optionally source, title, published_at (ISO 8601), and a fact-checker's rating.

    Raises:
        InputError: not JSON, no text, a text too long, or a field of the wrong kind.
    """
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise InputError(f"not JSON ({exc})") from exc
    if not isinstance(row, dict):
        raise InputError('a row must be an object such as {"text": "..."}')
    values = {key: row.get(key) or "" for key in ("text", "source", "title", "published_at", "rating")}
    for key, value in values.items():
        if not isinstance(value, str):
            raise InputError(f"{key} must be text, not {type(value).__name__}")
    if not any(character.isalpha() for character in values["text"]):
        raise InputError("text is empty or has no letters")
    if len(values["text"]) > MAX_TEXT:
        raise InputError(
            f"text must have at most {MAX_TEXT:,} characters, this one has {len(values['text']):,}; add it as a .txt file"
        )
    return NewEvidence(
        values["text"].strip(),
        values["source"].strip(),
        values["title"].strip(),
        published_at=_time(values["published_at"]),
        rating=values["rating"].strip(),
    )


def _time(value: str) -> datetime | None:
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as exc:
        raise InputError(f"published_at must be an ISO 8601 date such as 2024-05-31, not {value[:40]!r}") from exc
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _plain(text: str, path: Path) -> Iterator[NewEvidence | BadRow]:
    found = [passage for passage in passages(text) if any(character.isalpha() for character in passage)]
    if not found:
        raise InputError(f"{path.name}: no text in it")
    yield from (NewEvidence(passage, title=path.stem) for passage in found)


def _html(text: str, path: Path, extract: Extract) -> Iterator[NewEvidence | BadRow]:
    page = extract(text)
    if page is None:
        raise InputError(
            f"{path.name}: no readable text found in this page; save the article itself, or paste its text into a .txt file"
        )
    for passage in passages(page.text):
        yield NewEvidence(passage, page.url, page.title or path.stem, published_at=page.published_at)
