"""Articles in Parquet files of the shape id, url, title, text -> passages of their leads, or of all, each with its title.

The shape is that of `wikimedia/wikipedia` on the Hugging Face hub: plain text, paragraphs apart by line ends, headings
as short lines without a full stop.
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
"""About so many make a passage."""
READ = 20_000
"""Characters of an article that are looked at: a text of any length costs no more than this."""
WHOLE = 400_000
"""Characters that are looked at where whole articles are taken."""
_HEADING = 80
_LISTS = frozenset(
    "references|notes|footnotes|citations|sources|bibliography|further reading|external links|see also|other websites|"
    "related pages|gallery".split("|")
)
"""Headings, in small letters, behind which an encyclopaedia lists what is elsewhere: nothing from there on is taken."""
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
    """Count the rows of a file of articles, without reading them.

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
    """Yield the articles of a file, without its first `after` rows; `whole`: not their beginnings alone.

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
    """The article's lead in passages of about 40 words; each begins with the title, in its own sentence or before it.

    With `whole`, the sections follow, up to those that only list: no passage goes from one section into the next.
    """
    found = [text for section in _sections(article.text, whole) for text in _joined(section)]
    return [text if text.startswith(article.title) else f"{article.title}: {text}" for text in found]


def _joined(section: Iterable[str]) -> Iterator[str]:
    """Sentences in passages of about 40 words."""
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
    """The sentences before the first heading, up to the bound; of a whole article, those of each section after them too.

    A sentence longer than a passage may be comes in pieces.
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
    """Make an article of a row's url, title and text, or say why it is none; at most `most` characters are kept."""
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
