"""Import sources into the store in batches, naming bad rows and resuming a stopped import."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from kb.intake.ingest import BadRow, Found, Stored, WithVector
from kb.intake.journal import Journal
from kb.intake.sources import Problem, Source
from kb.record import Collection, EvidenceRecord, NewEvidence
from kb.store.evidence_store import Embed, EvidenceStore

BATCH = 200
SHOWN = 20
"""Problems that a report names; the rest are counted."""
_SAME = 0.99
"""Least cosine between a file's vector and the one made here; below it, the file's are not trusted."""

Tell = Callable[[int], None]
"""Receives the number of rows read so far."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an import goes, and how its texts are marked.

    `collection` None leaves it to each row.
    """

    store: EvidenceStore
    embed: Embed
    collection: Collection | None = None
    pin: bool = False


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import.

    `denied` texts come from publishers that the user blocks. `passed_over` counts rows that an earlier run stored.
    `problems` are the first 20 of `skipped`. `foreign_vectors` counts texts whose vectors in the file were not the
    embedder's.
    """

    added: int = 0
    merged: int = 0
    denied: int = 0
    restored: int = 0
    skipped: int = 0
    passed_over: int = 0
    foreign_vectors: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def taken(self) -> int:
        """Rows now in the store, from this run or an earlier one."""
        return self.added + self.merged + self.restored + self.passed_over


def believed(embed: Embed, texts: Sequence[str], vectors: NDArray[np.float32]) -> bool:
    """Return whether the vector of a random text equals the one computed here.

    A checksum in a file proves nothing about its vectors, and a wrong vector would bring up a text under unrelated
    claims.
    """
    i = random.randrange(len(texts))
    return float(embed([texts[i]])[0] @ vectors[i]) >= _SAME


class _Importer:
    """The counts of one import, and the batch not written yet."""

    def __init__(self, target: Target, journal: Journal, tell: Tell) -> None:
        self._target, self._journal, self._tell = target, journal, tell
        self.report = ImportReport()
        self._read = 0

    def source(self, source: Source) -> None:
        """Read one source to its end."""
        start = self._journal.progress(source.key, source.stamp)
        self.report = replace(self.report, passed_over=self.report.passed_over + start.rows)
        if start.done:
            return
        rows, batch = start.rows, list[Found]()
        try:
            for found in islice(source.read(), start.rows, None):
                rows += 1
                self._read += 1
                if isinstance(found, BadRow):
                    self.problem(Problem(source.name, found.line, found.reason))
                else:
                    batch.append(found)
                if len(batch) == BATCH:
                    self._write(batch)
                    self._journal.note(source.key, source.stamp, rows, False)
                    batch = []
                self._tell(self._read)
        except InputError as exc:
            self.problem(Problem(source.name, 0, str(exc)))
        self._write(batch)
        self._journal.note(source.key, source.stamp, rows, True)

    def problem(self, problem: Problem) -> None:
        """Count an unusable item; the first few are kept by name."""
        shown = self.report.problems
        self.report = replace(
            self.report,
            skipped=self.report.skipped + 1,
            problems=(*shown, problem) if len(shown) < SHOWN else shown,
        )

    def _write(self, batch: Sequence[Found]) -> None:
        stored = [found for found in batch if isinstance(found, Stored)]
        plain = [found for found in batch if isinstance(found, NewEvidence)]
        ready = [found for found in batch if isinstance(found, WithVector)]
        if stored:
            self._restore(stored)
        if plain:
            self._add(plain, None)
        if ready:
            texts = [found.evidence for found in ready]
            vectors = np.array([found.vector for found in ready], dtype=np.float32)
            self._add(texts, self._believed([text.text for text in texts], vectors))

    def _add(self, items: Sequence[NewEvidence], vectors: NDArray[np.float32] | None) -> None:
        collection, pin = self._target.collection, self._target.pin
        chosen = [replace(item, collection=collection or item.collection, pinned=pin or item.pinned) for item in items]
        done = self._target.store.add(chosen, vectors)
        self.report = replace(
            self.report,
            added=self.report.added + done.added,
            merged=self.report.merged + done.merged,
            denied=self.report.denied + done.denied,
        )

    def _restore(self, rows: Sequence[Stored]) -> None:
        unique = {row.record.id: row for row in rows}  # a key twice in one batch would be stored twice
        records = [self._placed(row.record) for row in unique.values()]
        known = [row.vector for row in unique.values() if row.vector is not None]
        vectors = None
        if len(known) == len(records):
            vectors = self._believed([record.text for record in records], np.array(known, dtype=np.float32))
        self._target.store.restore(records, vectors)
        self.report = replace(self.report, restored=self.report.restored + len(rows))

    def _placed(self, record: EvidenceRecord) -> EvidenceRecord:
        collection, pin = self._target.collection, self._target.pin
        return replace(record, collection=collection or record.collection, pinned=pin or record.pinned)

    def _believed(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """Return the vectors if they can be trusted; else None, to make them again."""
        if believed(self._target.embed, texts, vectors):
            return vectors
        self.report = replace(self.report, foreign_vectors=self.report.foreign_vectors + len(texts))
        return None


def import_sources(
    sources: Iterable[Source | Problem], target: Target, journal: Journal, tell: Tell = lambda rows: None
) -> ImportReport:
    """Import all sources into the store.

    Doing it twice adds nothing; a stopped import goes on if the journal was loaded.

    A source that cannot be read is a problem in the report, and does not stop the others.

    Raises:
        InputError: what was named holds no sources at all.
        StoreError: the store or the journal cannot be written; what was written stays, and `journal` knows how much.
    """
    importer = _Importer(target, journal, tell)
    for source in sources:
        if isinstance(source, Problem):
            importer.problem(source)
        else:
            importer.source(source)
    journal.forget()
    return importer.report
