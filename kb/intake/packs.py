"""Add packs: many articles at once (an encyclopaedia), in a collection removable with one commit.

A pack's rows are distinct by address, so no near-duplicates are searched for. A passage that the store has in the same
words gains the pack's address. A journal in the store's folder records how far each file is, during and after adding.
So adding a pack twice does nothing, and after a kill -9 it resumes after the last part written.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from kb.intake.formats.articles import Article, passages_of
from kb.intake.formats.parquet import read_parquet
from kb.intake.formats.rows import BadRow, Found, WithVector
from kb.intake.held_packs import is_whole, journal_of
from kb.intake.importing import believed
from kb.intake.known_packs import KnownPack, Shard
from kb.intake.pack_changes import Changes
from kb.intake.pack_files import Pack, articles_in, count_rows, is_export, stamp_of, text_bytes
from kb.intake.sources import Problem
from kb.record import NewEvidence, Origin
from kb.store.evidence_store import Embed, EvidenceStore
from kb.store.place import is_folder
from kb.store.stale import keys_of, remove_stale

_PART = 4_096
"""Passages that are embedded and written at once."""
_SHOWN = 20
ARTICLE_BYTES = 50_000
"""About how many bytes an article takes while it is added: 2 to 3 passages, their vectors twice (in the rows and in the
index), their words, and what earlier versions still hold for a day. Measured: 12.2 GB for 250,000 leads, see
docs/store.md.
"""
TEXT_FACTOR = 85
"""About how many bytes of the store a byte of text takes with whole articles: a passage of 240 bytes takes 20,300."""

Tell = Callable[[int, int], None]
"""Receives the number of articles done, and the total."""


@dataclass(frozen=True, slots=True)
class PackReport:
    """The result of adding a pack.

    `articles` were read now, `before` by an earlier run; `added` and `known` count passages. `removed` are passages
    that a new version no longer has, `kept` those of them that may not go. `problems` are the first 20 of the `skipped`
    articles.
    """

    articles: int = 0
    before: int = 0
    added: int = 0
    known: int = 0
    skipped: int = 0
    removed: int = 0
    kept: int = 0
    problems: tuple[Problem, ...] = ()


def add_pack(
    pack: Pack, store: EvidenceStore, tell: Tell = lambda done, total: None, embed: Embed | None = None
) -> PackReport:
    """Add a pack to the store in parts; resumes where an earlier run was stopped.

    A file that `kb export` wrote holds passages instead of articles, and perhaps their vectors. If files have changed
    since they were added, what they no longer say is removed at the end; see `kb.store.stale`. A pack of whole articles
    resumes with whole articles.

    Args:
        pack: what is added.
        store: where it goes.
        tell: receives the number of articles written, after each one read; what it raises ends the run.
        embed: compares one vector of each part of such a file with the one made here; without it, all are made here.

    Raises:
        InputError: a file has other columns or is damaged, or the disk is too small; what was written stays.
        ModelError: a passage could not be embedded.
        StoreError: the store or the journal cannot be written; what was written stays.
    """
    journal = journal_of(store.uri, pack.name)
    journal.load()
    pack = replace(pack, whole=pack.whole or is_whole(store.uri, pack.name))
    counts = {file: count_rows(file) for file in pack.files}  # all, before anything is written
    stamps = {file: stamp_of(file, pack.whole) for file in pack.files}
    done = {file: journal.progress(file.name, stamps[file]) for file in pack.files}
    total = sum(counts.values())
    left = {file: rows - done[file].rows for file, rows in counts.items()}
    check_room(store.uri, sum(_room(file, rows, counts[file], pack.whole) for file, rows in left.items()), pack.name)
    changes = Changes(journal, stamps, pack.complete)
    adding = _Adding(pack, store, lambda articles: tell(articles, total), embed)
    with store.in_parts():
        for file in pack.files:
            adding.pass_over(done[file].rows)
            if not done[file].done:
                adding.file(file, done[file].rows, partial(journal.note, file.name, stamps[file]))
    report = adding.report
    if report.articles == report.skipped and not report.before:
        example = f", such as this: {report.problems[0]}" if report.problems else ""
        raise InputError(f"{pack.name}: no article can be used{example}")
    if changes.outdated:
        adding.remove_stale()
    changes.settle()
    return adding.report


def fetch_pack(
    known: KnownPack, shards: Sequence[Shard], uri: str, folder: Path, whole: bool, told: Callable[[Shard], Tell]
) -> Pack:
    """Fetch a known pack's files, unless they or their passages exceed the disk space.

    Args:
        known: the pack.
        shards: its files, as the hub has them.
        uri: the store's address.
        folder: where the files are saved.
        whole: whole articles are to be taken.
        told: a file -> what receives its bytes fetched, and the total.

    Raises:
        DownloadError: a file cannot be fetched; what has arrived is kept.
        InputError: the disk is too small; nothing was fetched.
    """
    size = sum(shard.size for shard in shards)
    check_room(uri, size + room_for(known, whole), known.name)
    check_room(uri, size, known.name, folder)
    files = tuple(shard.fetch(told(shard)) for shard in shards)
    return Pack(known.name, files, known.licence, whole, complete=True)


def room_for(known: KnownPack, whole: bool) -> int:
    """Estimate a known pack's bytes in the store: text is fetched compressed to about half."""
    return int(known.gb * 1e9) * 2 * TEXT_FACTOR if whole else known.articles * ARTICLE_BYTES


def _room(file: Path, left: int, rows: int, whole: bool) -> int:
    """Estimate the store bytes of a file's articles that are not there yet."""
    least = left * ARTICLE_BYTES
    return (
        max(least, text_bytes(file) * TEXT_FACTOR * left // rows) if whole and rows and not is_export(file) else least
    )


def check_room(uri: str, needed: int, name: str, folder: Path | None = None) -> None:
    """Refuse what does not fit on the disk of the store, or of `folder`.

    Raises:
        InputError: it does not; says how much is needed and how much is free.
    """
    if folder is None and not is_folder(uri):
        return
    place = (folder or Path(uri)).resolve()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if needed > free:
        raise InputError(
            f"the pack {name} needs about {needed / 1e9:,.2f} GB, and {free / 1e9:,.2f} GB are free in {place}; "
            "free some space, or choose another folder with --kb"
        )


class _Adding:
    """The counts of one run, and the part not written yet."""

    def __init__(self, pack: Pack, store: EvidenceStore, tell: Callable[[int], None], embed: Embed | None) -> None:
        self._pack, self._store, self._tell, self._embed = pack, store, tell, embed
        self._collection = pack.collection
        self._part: list[NewEvidence] = []
        self._vectors: list[NDArray[np.float32]] = []
        self._done = 0
        self.report = PackReport()

    def pass_over(self, rows: int) -> None:
        """Count rows of an earlier run."""
        self.report = replace(self.report, before=self.report.before + rows)
        self._done += rows

    def file(self, file: Path, start: int, note: Callable[[int, bool], None]) -> None:
        """Read a file from row `start`; `note` receives the rows written and whether all are."""
        row = start
        for found in self._rows(file, start):
            row += 1
            if isinstance(found, BadRow):
                self._skip(Problem(file.name, found.line, found.reason))
            elif isinstance(found, Article):
                self._part += self._passages(found)
            elif isinstance(found, WithVector):
                self._part.append(self._placed(found.evidence))
                self._vectors.append(found.vector)
            elif isinstance(found, NewEvidence):
                self._part.append(self._placed(found))
            self.report = replace(self.report, articles=self.report.articles + 1)
            if len(self._part) >= _PART:
                self._write()
                note(row, False)
                self._done = self.report.before + self.report.articles
            self._tell(self._done)  # what is only read may still be lost
        self._write()
        note(row, True)
        self._done = self.report.before + self.report.articles
        self._tell(self._done)

    def remove_stale(self) -> None:
        """Read all files again, and remove what none of them says any longer."""
        removed, kept = remove_stale(self._store.uri, self._collection, keys_of(self._texts()))
        self.report = replace(self.report, removed=removed, kept=kept)

    def _texts(self) -> Iterator[str]:
        read = 0
        for file in self._pack.files:
            for found in self._rows(file, 0):
                if isinstance(found, Article):
                    yield from passages_of(found, self._pack.whole)
                elif isinstance(found, WithVector):
                    yield found.evidence.text
                elif isinstance(found, NewEvidence):
                    yield found.text
                read += 1
                self._tell(read)

    def _rows(self, file: Path, start: int) -> Iterator[Article | Found]:
        if is_export(file):
            return islice(read_parquet(file, self._store.embedder if self._embed else ""), start, None)
        return articles_in(file, start, self._pack.whole)

    def _placed(self, item: NewEvidence) -> NewEvidence:
        """Move a passage of an export into this pack; the file states publisher and licence."""
        return replace(item, collection=self._collection, origin=Origin.KB)

    def _passages(self, article: Article) -> list[NewEvidence]:
        publisher = f"{self._pack.name} ({self._pack.licence})"
        return [
            NewEvidence(text, article.url, article.title, Origin.KB, self._collection, publisher=publisher)
            for text in passages_of(article, self._pack.whole)
        ]

    def _skip(self, problem: Problem) -> None:
        shown = self.report.problems
        self.report = replace(
            self.report,
            skipped=self.report.skipped + 1,
            problems=(*shown, problem) if len(shown) < _SHOWN else shown,
        )

    def _write(self) -> None:
        """Store new passages without a near-duplicate search, and add addresses to known ones."""
        part, vectors = self._part, self._vectors
        self._part, self._vectors = [], []
        missing = {item.text for item in self._store.missing(part)}
        new = [i for i, item in enumerate(part) if item.text in missing]
        known = [item for item in part if item.text not in missing]
        if new:
            made = self._chosen(
                [part[i].text for i in new], [vectors[i] for i in new] if len(vectors) == len(part) else []
            )
            added = self._store.add_distinct([part[i] for i in new], made)
            self.report = replace(self.report, added=self.report.added + added)
        if known:
            self._store.add(known)
            self.report = replace(self.report, known=self.report.known + len(known))

    def _chosen(self, texts: list[str], vectors: list[NDArray[np.float32]]) -> NDArray[np.float32] | None:
        """Return a file's vectors if complete and this embedder's; else None, to make them here."""
        if not vectors or self._embed is None:
            return None
        stacked = np.array(vectors, dtype=np.float32)
        return stacked if believed(self._embed, texts, stacked) else None
