"""Turn articles in Parquet files (id, url, title, text) into passages, each with its title.

Passages cover the leads or whole articles. The files have the shape of `wikimedia/wikipedia` on the Hugging Face hub:
plain text, paragraphs separated by line ends, headings as short lines without a full stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from errors import InputError
from kb.chunk import MAX_CHARACTERS, sentences, windows
from kb.intake.formats.rows import BadRow

COLUMNS = ("id", "url", "title", "text")
LEAD = 1_200
"""Characters of an article's beginning that its passages are made of, up to the end of a sentence."""
WORDS = 40
"""About this many words make a passage."""
READ = 20_000
"""Characters read of an article: a longer text costs no more."""
WHOLE = 400_000
"""Characters read if whole articles are taken."""
_HEADING = 80
_LISTS = frozenset(
    "references|notes|footnotes|citations|sources|bibliography|further reading|external links|see also|other websites|"
    "related pages|gallery".split("|")
)
"""Headings, in lower case, after which an encyclopaedia lists what is elsewhere: nothing from there on is taken."""
_LONGEST_TITLE = 200
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Article:
    """An article, or its beginning; `row` is its number in the file, from 1."""

    row: int
    url: str
    title: str
    text: str


def count_articles(path: Path) -> int:
    """Count the rows of an article file, without reading them.

    Raises:
        InputError: it is no Parquet file, is cut short, or has other columns.
    """
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _check_columns(path, file.schema_arrow)
            return int(file.metadata.num_rows)
    except (pa.ArrowException, OSError) as exc:
        reason = " ".join(str(exc).split())[:200]
        raise InputError(
            f"{path.name}: cannot be read as Parquet ({reason}); it may be cut short: fetch it again"
        ) from exc


def read_articles(path: Path, after: int = 0, whole: bool = False) -> Iterator[Article | BadRow]:
    """Yield the articles of a file after its first `after` rows.

    `whole`: entire articles, not only their beginnings.

    Raises:
        InputError: as `count_articles`, or the file is damaged further on.
    """
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            _check_columns(path, file.schema_arrow)
            groups = list(range(file.num_row_groups))
            while groups and number + (rows := file.metadata.row_group(groups[0]).num_rows) <= after:
                number += rows
                groups.pop(0)
            for batch in file.iter_batches(_ROWS_AT_ONCE, row_groups=groups, columns=["url", "title", "text"]):
                for i, row in enumerate(batch.to_pylist(), number + 1):
                    if i > after:
                        yield article_of(i, row, WHOLE if whole else READ)
                number += batch.num_rows
    except (pa.ArrowException, OSError, UnicodeDecodeError) as exc:
        reason = " ".join(str(exc).split())[:200]
        raise InputError(
            f"{path.name}: damaged after row {number} ({reason}); fetch it again, what was read stays"
        ) from exc


def passages_of(article: Article, whole: bool = False) -> list[str]:
    """Split an article's lead into passages of about 40 words, each beginning with the title.

    The title is part of the first sentence or put before it. With `whole`, the sections follow, up to those that only
    list; no passage spans two sections.
    """
    found = [text for section in _sections(article.text, whole) for text in _joined(section)]
    return [text if text.startswith(article.title) else f"{article.title}: {text}" for text in found]


def _joined(section: Iterable[str]) -> Iterator[str]:
    """Join sentences into passages of about 40 words."""
    current, words = list[str](), 0
    for sentence in section:
        length = len(sentence.split())
        full = words + length > WORDS * 5 // 4 or len(" ".join([*current, sentence])) > MAX_CHARACTERS
        if current and full:
            yield " ".join(current)
            current, words = [], 0
        current.append(sentence)
        words += length
    if current:
        yield " ".join(current)


def _sections(text: str, whole: bool) -> Iterator[list[str]]:
    """Yield the sentences before the first heading, up to the bound.

    For a whole article, those of each later section follow. A sentence longer than a passage comes in pieces.
    """
    taken, section = 0, list[str]()
    for paragraph in text[: WHOLE if whole else READ].splitlines():
        line = paragraph.strip()
        if not line:
            continue
        if taken and _is_heading(line):
            if not whole or line.casefold() in _LISTS:
                break
            yield section
            section = []
            continue
        for sentence in sentences(line):
            if not whole and taken and taken + len(sentence) > LEAD:
                yield section
                return
            if any(character.isalpha() for character in sentence):
                taken += len(sentence)
                section += windows(sentence[:LEAD])
    yield section


def _is_heading(line: str) -> bool:
    return len(line) <= _HEADING and line[-1] not in ".!?:;,\"')]”’"


def _check_columns(path: Path, schema: pa.Schema) -> None:
    strings = {field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)}
    lacking = [name for name in COLUMNS[1:] if name not in strings]
    if lacking:
        raise InputError(
            f"{path.name}: a pack's file has the columns {', '.join(COLUMNS)} as text; this one has no {', '.join(lacking)}, "
            f"only {', '.join(schema.names)[:200]}; other tables go through: python -m kb import"
        )


def article_of(row: int, values: dict[str, Any], most: int) -> Article | BadRow:
    """Make an article from a row's url, title and text, or say why not.

    At most `most` characters are kept.
    """
    url, title, text = (" ".join((values[name] or "").split()) for name in ("url", "title", "text"))
    try:
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            return BadRow(row, f"url must be an address such as https://example.org/page, not {url[:80]!r}")
    except ValueError:
        return BadRow(row, f"url cannot be read: {url[:80]!r}")
    if not title or len(title) > _LONGEST_TITLE:
        return BadRow(row, f"title must have 1 to {_LONGEST_TITLE} characters, this one has {len(title)}")
    if not any(character.isalpha() for character in text[:READ]):
        return BadRow(row, "text is empty or has no letters")
    return Article(row, url, title, values["text"][:most])
