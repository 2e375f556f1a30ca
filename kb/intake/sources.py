"""Turn what a user names for an import (files, folders, addresses) into sources to read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from errors import InputError
from kb.intake.ingest import Format, Found, Reading, format_of, read_format

MAX_FILES = 100_000
"""Files of one folder."""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read.

    `key` names it in the journal, `stamp` changes when it does, and `read` may raise InputError.
    """

    name: str
    key: str
    stamp: str
    read: Callable[[], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Problem:
    """What was unusable: a row of a source (line from 1), or all (line 0)."""

    source: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.source}, line {self.line}: {self.reason}" if self.line else f"{self.source}: {self.reason}"


class Kind(StrEnum):
    """The kind a user states. AUTO judges by name and, on the web, by response."""

    AUTO = "auto"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    FEED = "feed"
    SITEMAP = "sitemap"
    FOLDER = "folder"
    PDF = "pdf"
    HTML = "html"
    MARKDOWN = "md"
    TEXT = "txt"


def path_sources(path: Path, kind: Kind, reading: Reading) -> Iterator[Source | Problem]:
    """Return the sources behind a path: the file itself, or all files of a folder.

    Raises:
        InputError: there is no such path, or its name does not tell its format.
    """
    if path.is_dir():
        if kind not in {Kind.AUTO, Kind.FOLDER}:
            raise InputError(f"{path} is a folder, not a {kind} file; leave --format out, or name the files")
        return folder_sources(path, reading)
    if kind is Kind.FOLDER:
        raise InputError(f"{path} is not a folder")
    known = format_of(path) if kind is Kind.AUTO else Format(kind.value)
    if known is None:
        endings = ", ".join(f".{ending.value}" for ending in Format)
        raise InputError(f"{path.name}: its name tells no format; it should end in {endings}, or give --format")
    return iter((file_source(path, path.name, known, reading),))


def file_source(path: Path, name: str, kind: Format, reading: Reading) -> Source:
    """Return one file as a source, under the name that people see.

    Raises:
        InputError: it cannot be read.
    """
    try:
        stat = path.stat()
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    stamp = f"{stat.st_mtime_ns} {stat.st_size}"
    return Source(name, str(path.resolve()), stamp, lambda: read_format(path, kind, reading))


def folder_sources(folder: Path, reading: Reading) -> Iterator[Source | Problem]:
    """Yield the files of a folder and its subfolders, in name order.

    Hidden files and links are skipped: a user who names a folder does not mean them. Files of other formats are skipped
    too, and counted at the end.

    Raises:
        InputError: there is nothing in it to read, or too much.
    """
    count, others = 0, 0
    for path in _files(folder):
        kind = format_of(path)
        if kind is None:
            others += 1
            continue
        count += 1
        if count > MAX_FILES:
            raise InputError(
                f"{folder}: at most {MAX_FILES:,} files can be imported at once; name its folders one by one"
            )
        try:
            yield file_source(path, str(path.relative_to(folder)), kind, reading)
        except InputError as exc:
            yield Problem(str(path.relative_to(folder)), 0, str(exc))
    if not count:
        raise InputError(f"{folder}: no file in it that can be read; it holds {others} of other formats")
    if others:
        yield Problem(str(folder), 0, f"{others} files of other formats were passed over")


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place) / name
            if not name.startswith(".") and not path.is_symlink() and path.is_file():
                yield path
