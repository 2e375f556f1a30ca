"""Read files of one text each: plain text, Markdown, saved web pages; cut into passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from errors import InputError
from kb.chunk import passages
from kb.record import NewEvidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

MAX_FILE_BYTES = 50_000_000
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"""^title:[ \t]*["']?(.+?)["']?[ \t]*$""", re.MULTILINE)


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
        """Its address as the page states it, or ""."""

    @property
    def published_at(self) -> datetime | None:
        """When it says it was published."""


Extract = Callable[[str], Page | None]
"""HTML -> page, or None if no text was found."""


def read_text(path: Path) -> str:
    """Read a whole UTF-8 file.

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


def read_plain(path: Path) -> Iterator[NewEvidence]:
    """Yield the passages of a text file.

    Raises:
        InputError: it cannot be read, or holds no text.
    """
    yield from _titled(read_text(path), path.stem, path)


def read_html(path: Path, extract: Extract) -> Iterator[NewEvidence]:
    """Yield the passages of a saved web page.

    Raises:
        InputError: it cannot be read, or holds no article.
    """
    page = extract(read_text(path))
    if page is None:
        raise InputError(
            f"{path.name}: no readable text found in this page; save the article itself, or paste its text into a .txt file"
        )
    yield from page_passages(page, path.stem)


def page_passages(page: Page, name: str) -> Iterator[NewEvidence]:
    """Yield a page's passages, under its title or else under `name`."""
    for passage in passages(page.text):
        if any(character.isalpha() for character in passage):
            yield NewEvidence(passage, page.url, page.title or name, published_at=page.published_at)


def read_markdown(path: Path) -> Iterator[NewEvidence]:
    """Yield a Markdown file's passages: what a reader sees.

    Markup, code, tables and raw HTML are left out.

    Raises:
        InputError: it cannot be read, or holds no text.
    """
    title, text = markdown_text(read_text(path))
    yield from _titled(text, title or path.stem, path)


def markdown_text(source: str) -> tuple[str, str]:
    """Return the title and the prose of Markdown, one paragraph per line.

    The title is that of the front matter, else the first heading, else "".
    """
    from markdown_it import MarkdownIt

    front = _FRONT_MATTER.match(source)
    named = _TITLE.search(front.group(1)) if front else None
    tokens = MarkdownIt("commonmark").enable("table").parse(source[front.end() :] if front else source)
    lines: list[str] = []
    heading, tables = "", 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        tables += (token.type == "table_open") - (token.type == "table_close")
        if token.type != "inline" or tables:
            continue
        text = _words(token.children or ())
        if before is not None and before.type == "heading_open":
            heading = heading or text
        elif text:
            lines.append(text)
    return (named.group(1) if named else heading).strip(), "\n".join(lines)


def _words(tokens: Sequence[Token]) -> str:
    """Return a paragraph's words, without picture descriptions, which are no statements of the text."""
    parts = []
    for token in tokens:
        if token.type in {"text", "code_inline"}:
            parts.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return " ".join("".join(parts).split())


def _titled(text: str, title: str, path: Path) -> Iterator[NewEvidence]:
    found = [passage for passage in passages(text) if any(character.isalpha() for character in passage)]
    if not found:
        raise InputError(f"{path.name}: no text in it")
    yield from (NewEvidence(passage, title=title) for passage in found)
