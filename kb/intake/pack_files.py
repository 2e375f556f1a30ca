"""The files of a pack: which they are, how many rows they have, and whether they are still the same."""

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
"""Of Wikipedia's texts."""
_ZIM_FACTOR = 3
"""About how many bytes of text a byte of a ZIM file without pictures holds."""
WHOLE = " whole"
"""What the stamp of a file ends with of which whole articles were taken."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What is to be added: files of articles, under a name, with what stands behind every passage.

    `whole`: whole articles are taken, not their leads alone. `complete`: the pack has no other files than these.
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
            InputError: the name is none.
        """
        try:
            return pack_collection(self.name)
        except ValueError as exc:
            rule = "1 to 64 small letters, digits, hyphens, dots and underscores, such as my-wiki"
            raise InputError(f"a pack's name is {rule}, not {self.name[:80]!r}; give one with --name") from exc


def pack_at(path: Path, name: str = "", licence: str = LICENCE, whole: bool = False) -> Pack:
    """Return the pack of a file or folder of this machine, named by it where no name is given.

    Raises:
        InputError: there is no such file, its name makes no name of a pack, or the licence is empty.
    """
    made = re.sub(
        r"[^a-z0-9._-]+", "-", path.resolve().name.removesuffix(".parquet").removesuffix(SUFFIX).lower()
    ).strip("-._")
    pack = Pack(name or made, files_of(path), licence, whole)
    if pack.collection and not licence.strip():
        raise InputError("--licence must name the licence of the texts, such as CC BY-SA 4.0")
    return pack


def files_of(path: Path) -> tuple[Path, ...]:
    """The Parquet files that a path stands for: itself, or those in the folder, in the order of their names.

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
    """Whether a file was written by `kb export`; False where it cannot be read at all."""
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
    """Yield the articles of a file, without its first `after`; `whole`: not their beginnings alone.

    Raises:
        InputError: it cannot be read.
    """
    return (
        read_zim(file, after, WHOLE_TEXT if whole else LEAD_TEXT) if is_zim(file) else read_articles(file, after, whole)
    )


def is_zim(file: Path) -> bool:
    """Whether a file is one of Kiwix's, by its name."""
    return file.suffix.lower() == SUFFIX


def text_bytes(file: Path) -> int:
    """Return about how many bytes the articles of a file have, by its footer, or by its size where it has none.

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
    """Tell a file from another of its name, and how much of it is taken.

    Where it lies does not count, for a pack may be fetched again.

    Raises:
        InputError: it cannot be read.
    """
    try:
        stat = file.stat()
        with file.open("rb") as content:
            content.seek(max(0, stat.st_size - 65_536))  # the footer knows sizes and statistics of all columns
            end = content.read()
    except OSError as exc:
        raise InputError(f"cannot read {file}: {exc.strerror or exc}") from exc
    return f"{stat.st_size} {hashlib.sha256(end).hexdigest()[:16]}{WHOLE if whole and not is_export(file) else ''}"
