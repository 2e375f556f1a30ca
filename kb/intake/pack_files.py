"""Describe the files of a pack: which they are, their rows, whether they are unchanged."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from errors import InputError
from kb.intake.formats.articles import READ as LEAD_TEXT
from kb.intake.formats.articles import WHOLE as WHOLE_TEXT
from kb.intake.formats.articles import Article, count_articles, read_articles
from kb.intake.formats.parquet import EMBEDDER
from kb.intake.formats.rows import BadRow
from kb.intake.formats.zim import SUFFIX, count_zim, read_zim
from kb.record import pack_collection

LICENCE = "CC BY-SA 4.0"
"""The licence of Wikipedia's texts."""
_ZIM_FACTOR = 3
"""About how many bytes of text a byte of a ZIM file without pictures holds."""
WHOLE = " whole"
"""End of a file's stamp if its whole articles were taken."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What is added: files of articles, under a name, with the licence of every passage.

    `whole`: whole articles are taken, not only their leads. `complete`: the pack has no other files than these.
    """

    name: str
    files: tuple[Path, ...]
    licence: str = LICENCE
    whole: bool = False
    complete: bool = False

    @property
    def collection(self) -> str:
        """The collection of its passages.

        Raises:
            InputError: the name is not valid.
        """
        try:
            return pack_collection(self.name)
        except ValueError as exc:
            rule = "1 to 64 small letters, digits, hyphens, dots and underscores, such as my-wiki"
            raise InputError(f"a pack's name is {rule}, not {self.name[:80]!r}; give one with --name") from exc


def pack_at(path: Path, name: str = "", licence: str = LICENCE, whole: bool = False) -> Pack:
    """Return the pack of a local file or folder; its default name is the path's.

    Raises:
        InputError: there is no such file, its name yields no pack name, or the licence is empty.
    """
    made = re.sub(
        r"[^a-z0-9._-]+", "-", path.resolve().name.removesuffix(".parquet").removesuffix(SUFFIX).lower()
    ).strip("-._")
    pack = Pack(name or made, files_of(path), licence, whole)
    if pack.collection and not licence.strip():
        raise InputError("--licence must name the licence of the texts, such as CC BY-SA 4.0")
    return pack


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a pack: the file itself, or the Parquet files of a folder, by name.

    Raises:
        InputError: there is none.
    """
    if path.is_dir():
        found = tuple(sorted(file for file in path.glob("*.parquet") if file.is_file()))
        if not found:
            raise InputError(f"{path}: no .parquet file in this folder")
        return found
    if not path.is_file():
        raise InputError(f"there is no file {path}; the packs that are known by name: python -m kb packs list")
    if path.suffix.lower() not in {".parquet", SUFFIX}:
        raise InputError(f"{path.name}: a pack is a .parquet or .zim file, or a folder of .parquet files")
    return (path,)


def is_export(file: Path) -> bool:
    """Return whether `kb export` wrote a file; False if it cannot be read."""
    if is_zim(file):
        return False
    try:
        schema = pq.read_schema(file)
    except (pa.ArrowException, OSError):
        return False
    return EMBEDDER in (schema.metadata or {}) and {"text", "source", "collection"} <= set(schema.names)


def count_rows(file: Path) -> int:
    """Count the articles of a file, or the passages of an export.

    Raises:
        InputError: it is neither, or is cut short.
    """
    if is_zim(file):
        return count_zim(file)
    return int(pq.read_metadata(file).num_rows) if is_export(file) else count_articles(file)


def articles_in(file: Path, after: int, whole: bool) -> Iterator[Article | BadRow]:
    """Yield the articles of a file after the first `after`; `whole`: not only their beginnings.

    Raises:
        InputError: it cannot be read.
    """
    return (
        read_zim(file, after, WHOLE_TEXT if whole else LEAD_TEXT) if is_zim(file) else read_articles(file, after, whole)
    )


def is_zim(file: Path) -> bool:
    """Return whether a file is one of Kiwix's, by its name."""
    return file.suffix.lower() == SUFFIX


def text_bytes(file: Path) -> int:
    """Estimate the bytes of a file's articles by its footer, or else by its size.

    Raises:
        InputError: it has no articles, or is cut short.
    """
    if is_zim(file):
        return _ZIM_FACTOR * file.stat().st_size
    count_articles(file)
    meta = pq.read_metadata(file)
    groups = (meta.row_group(i) for i in range(meta.num_row_groups))
    columns = (group.column(i) for group in groups for i in range(group.num_columns))
    return sum(int(column.total_uncompressed_size) for column in columns if column.path_in_schema == "text")


def stamp_of(file: Path, whole: bool = False) -> str:
    """Return a stamp for a file's content and for how much of it is taken.

    The folder does not count, since a pack may be fetched again.

    Raises:
        InputError: it cannot be read.
    """
    try:
        stat = file.stat()
        with file.open("rb") as content:
            content.seek(max(0, stat.st_size - 65_536))  # the footer holds sizes and statistics of all columns
            end = content.read()
    except OSError as exc:
        raise InputError(f"cannot read {file}: {exc.strerror or exc}") from exc
    return f"{stat.st_size} {hashlib.sha256(end).hexdigest()[:16]}{WHOLE if whole and not is_export(file) else ''}"
