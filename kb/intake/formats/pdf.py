"""Split a PDF into passages by page, each with its page number in the title."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from errors import InputError
from kb.chunk import passages
from kb.intake.formats.pages import MAX_FILE_BYTES
from kb.intake.formats.pdf_worker import LOCKED
from kb.intake.formats.rows import BadRow
from kb.record import NewEvidence

ROOT = Path(__file__).parents[3]
_MAX_LINE = 1_000_000
_LOOK_EVERY = 0.25
"""Seconds between two checks of the worker's progress."""
_WORD_BREAK = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """Limits for reading one file: bytes, pages, and seconds in total."""

    bytes: int = MAX_FILE_BYTES
    pages: int = 2_000
    seconds: float = 120.0


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page's text, one paragraph per line; `title` is the file's title or name."""

    number: int
    text: str
    title: str


def read_pdf(path: Path, limits: PdfLimits | None = None, url: str = "") -> Iterator[NewEvidence | BadRow]:
    """Yield the passages of a PDF, skipping pages without text.

    What stops the reading becomes a BadRow.

    Args:
        path: the file.
        limits: how much of it is read.
        url: its address, if it is from the web; the page is added to it ("#page=3").

    Raises:
        InputError: it is missing or too large.
    """
    for page in pdf_pages(path, limits):
        if isinstance(page, BadRow):
            yield page
            continue
        for passage in passages(page.text):
            if any(character.isalpha() for character in passage):
                source = f"{url}#page={page.number}" if url else ""
                yield NewEvidence(passage, source, f"{page.title}, page {page.number}")


def pdf_pages(
    path: Path, limits: PdfLimits | None = None, tell: Callable[[int], None] = lambda pages: None
) -> Iterator[PdfPage | BadRow]:
    """Yield the pages of a PDF that have text.

    What stops the reading becomes a BadRow, after what was read.

    Args:
        path: the file.
        limits: how much of it is read.
        tell: called with the number of pages read so far, a few times a second.

    Raises:
        InputError: it is missing or too large.
    """
    limits = limits or PdfLimits()
    _check_size(path, limits)
    with tempfile.TemporaryDirectory(prefix="pdf-") as folder:
        written = Path(folder) / "pages.jsonl"
        problem = _run(path.resolve(), limits, written, tell)
        with written.open("rb") as output:
            yield from _pages(output, path.stem, limits, problem)


def _check_size(path: Path, limits: PdfLimits) -> None:
    try:
        size = path.stat().st_size
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    if size > limits.bytes:
        raise InputError(
            f"{path.name}: at most {limits.bytes // 1_000_000} MB can be read, this file has {size // 1_000_000} MB"
        )


def _run(path: Path, limits: PdfLimits, written: Path, tell: Callable[[int], None]) -> str:
    """Let the worker write the pages to `written`; return what went wrong, or ""."""
    command = [sys.executable, "-m", "kb.intake.formats.pdf_worker", str(path), str(limits.pages)]
    end, lines = time.monotonic() + limits.seconds, 0
    with (
        written.open("wb") as output,
        written.open("rb") as look,
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=errors) as run,
    ):
        try:
            while run.poll() is None:
                left = end - time.monotonic()
                if left <= 0:
                    return f"reading it took more than {limits.seconds:g} s"
                with suppress(subprocess.TimeoutExpired):
                    run.wait(min(_LOOK_EVERY, left))
                lines += look.read().count(b"\n")
                tell(max(0, lines - 1))  # the first line is about the file
        finally:
            run.kill()
        tell(max(0, lines + look.read().count(b"\n") - 1))
        errors.seek(0)
        return _failure(run.returncode, errors)


def _failure(status: int, errors: IO[bytes]) -> str:
    if status == LOCKED:
        return "it is protected by a password; save a copy without one"
    if status:
        lines = errors.read(_MAX_LINE).decode(errors="replace").strip().splitlines()
        return f"the file is damaged, or too large for the memory ({lines[-1][:150] if lines else 'killed'})"
    return ""


def _pages(output: IO[bytes], stem: str, limits: PdfLimits, problem: str) -> Iterator[PdfPage | BadRow]:
    title, pages, texts = stem, 0, 0
    for row in _rows(output):
        if "pages" in row:
            title, pages = _usable(row["title"]) or stem, row["pages"]
            continue
        text = unwrapped(row["text"])
        if any(character.isalpha() for character in text):
            texts += 1
            yield PdfPage(row["page"], text, title)
    if problem:
        yield BadRow(0, problem)
    elif not texts:
        yield BadRow(0, "no text in it, only pictures of text; run it through text recognition (OCR) first")
    elif pages > limits.pages:
        yield BadRow(0, f"only the first {limits.pages:,} of its {pages:,} pages were read; split it")


def _rows(output: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := output.readline(_MAX_LINE):
        try:
            yield json.loads(line)
        except ValueError:  # cut off by the timeout
            return


def _usable(title: str) -> str:
    """Return the stated title, unless it is a draft's file name, as programs often write."""
    words = " ".join(title.split())
    is_file = words.lower().startswith("microsoft word") or re.search(r"\.\w{2,4}$", words)
    return "" if is_file or not any(character.isalpha() for character in words) else words[:200]


def unwrapped(text: str) -> str:
    """Join a page's lines into one paragraph per line, and words split at line ends."""
    joined = _WORD_BREAK.sub("", text)
    return "\n".join(" ".join(paragraph.split()) for paragraph in _PARAGRAPH.split(joined))
