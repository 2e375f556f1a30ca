"""A PDF -> passages, page by page, each with its page number in the title."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
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
_WORD_BREAK = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """How much of one file is read: bytes, pages, and seconds for all of them."""

    bytes: int = MAX_FILE_BYTES
    pages: int = 2_000
    seconds: float = 120.0


def read_pdf(path: Path, limits: PdfLimits | None = None, url: str = "") -> Iterator[NewEvidence | BadRow]:
    """The passages of a PDF; pages without text are passed over, what stops the reading comes as BadRow.

    Args:
        path: the file.
        limits: how much of it is read.
        url: its address, if it is from the web; the page is added to it ("#page=3").

    Raises:
        InputError: it is missing or too large.
    """
    limits = limits or PdfLimits()
    _check_size(path, limits)
    with tempfile.TemporaryFile() as output:
        problem = _run(path.resolve(), limits, output)
        output.seek(0)
        yield from _pages(output, path.stem, url, limits, problem)


def _check_size(path: Path, limits: PdfLimits) -> None:
    try:
        size = path.stat().st_size
    except OSError as exc:
        raise InputError(f"cannot read {path}: {exc.strerror or exc}") from exc
    if size > limits.bytes:
        raise InputError(
            f"{path.name}: at most {limits.bytes // 1_000_000} MB can be read, this file has {size // 1_000_000} MB"
        )


def _run(path: Path, limits: PdfLimits, output: IO[bytes]) -> str:
    """Let the worker write the pages to `output`; returns what went wrong, or ""."""
    command = [sys.executable, "-m", "kb.intake.formats.pdf_worker", str(path), str(limits.pages)]
    try:
        run = subprocess.run(command, cwd=ROOT, stdout=output, stderr=subprocess.PIPE, timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        return f"reading it took more than {limits.seconds:g} s"
    if run.returncode == LOCKED:
        return "it is protected by a password; save a copy without one"
    if run.returncode:
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        return f"the file is damaged, or too large for the memory ({lines[-1][:150] if lines else 'killed'})"
    return ""


def _pages(output: IO[bytes], stem: str, url: str, limits: PdfLimits, problem: str) -> Iterator[NewEvidence | BadRow]:
    title, pages, texts = stem, 0, 0
    for row in _rows(output):
        if "pages" in row:
            title, pages = _usable(row["title"]) or stem, row["pages"]
            continue
        for passage in passages(unwrapped(row["text"])):
            if any(character.isalpha() for character in passage):
                texts += 1
                yield NewEvidence(passage, f"{url}#page={row['page']}" if url else "", f"{title}, page {row['page']}")
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
        except ValueError:  # cut off where the time was up
            return


def _usable(title: str) -> str:
    """The title that the file states, unless it is none: many programs write the name of the draft there."""
    words = " ".join(title.split())
    is_file = words.lower().startswith("microsoft word") or re.search(r"\.\w{2,4}$", words)
    return "" if is_file or not any(character.isalpha() for character in words) else words[:200]


def unwrapped(text: str) -> str:
    """Lines as a page shows them -> one paragraph a line; words that a line end parts are joined."""
    joined = _WORD_BREAK.sub("", text)
    return "\n".join(" ".join(paragraph.split()) for paragraph in _PARAGRAPH.split(joined))
