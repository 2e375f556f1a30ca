"""Make and refresh the store's indexes in the background, in one process at a time.

The word index exists from the start. The vector index is made when reading all vectors begins to cost more than a check
should notice, and again when the store has outgrown it; in between, new rows are added to it. Rows in no index yet are
still found: the library reads them one by one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock, Timeout

from kb.record import VECTOR_WIDTH
from kb.store.place import is_folder, reason
from kb.store.policy import UpkeepPolicy
from kb.store.table import index_words
from kb.store.tags import CleanUp, expire

if TYPE_CHECKING:
    from lancedb.table import Table


class Need(Enum):
    """How urgently the indexes need to be refreshed."""

    NONE = 0
    SOON = 1
    NOW = 2


LOG = logging.getLogger(__name__)
_VECTOR_INDEX = "vector_at_"
_ROWS_PER_CELL = 1_024
_MUCH = 0.2
"""If this share of the records is removed, so is their vector index; the next writer makes it again."""


def compact(table: Table, keep: timedelta, clean_up: CleanUp | None = None) -> None:
    """Merge small files, drop versions older than `keep`, and index what is new.

    A tagged version stays, with all after it: the library abandons the whole work, the indexes included, if it meets a
    tag among the versions to drop. `clean_up` remembers from one time to the next how far back that is. Rows rewritten
    meanwhile are left to the next round.

    Raises:
        OSError, RuntimeError, ValueError: the library's own, for the caller to translate.
    """
    try:
        table.optimize(cleanup_older_than=(clean_up or CleanUp(table)).older_than(keep))
    except RuntimeError as exc:
        if "conflict" not in str(exc).lower():
            raise


def vector_indexes(table: Table) -> dict[str, int]:
    """Return vector index name -> rows that the store had when it was made."""
    names = [index.name for index in table.list_indices() if index.name.startswith(_VECTOR_INDEX)]
    return {name: int(name.removeprefix(_VECTOR_INDEX)) for name in names}


def drop_outgrown_index(table: Table, removed: int, rows: int) -> None:
    """Drop the vector index if much of what it was made for is gone."""
    if removed >= _MUCH * max(1, rows):
        for index in vector_indexes(table):
            table.drop_index(index)


def damaged_indexes(table: Table) -> dict[str, str]:
    """Return name of each unreadable index -> why: a file is missing, empty or garbage."""
    found = {}
    for index in table.list_indices():
        try:
            table.index_stats(index.name)
            words = "text" in index.columns
            query = table.search("the", query_type="fts") if words else table.search(np.ones(VECTOR_WIDTH, np.float32))
            query.limit(1).to_list()
        except (OSError, RuntimeError, ValueError) as exc:
            found[index.name] = reason(exc)
    return found


@contextmanager
def alone_at(uri: str, wait: float = 0.0) -> Iterator[bool]:
    """Take the upkeep lock of the store `uri`, waiting at most `wait` seconds.

    Yields whether it was taken; it is held to the end of the block. Only a folder has one.
    """
    if not is_folder(uri):
        yield True
        return
    try:
        with FileLock(Path(uri) / ".upkeep.lock", timeout=wait):
            yield True
    except Timeout:
        yield False


class Upkeep:
    """Maintains the indexes of one table in a separate thread; one process at a time."""

    def __init__(self, table: Table, uri: str, policy: UpkeepPolicy) -> None:
        """`uri`: the store's address; a folder gets a lock file, held by one process."""
        self._table, self._policy = table, policy
        self._uri = uri
        self._state = threading.Lock()
        self._thread: threading.Thread | None = None
        self._writes = self._rows = 0
        self._disturbed, self._ending = threading.Event(), False
        self._held = 0
        self._clean_up = CleanUp(table)
        self._expired_on: date | None = None

    def wrote(self, rows: int) -> None:
        """Note a write of `rows` rows, and start background work if it is time."""
        with self._state:
            self._writes, self._rows = self._writes + 1, self._rows + rows
            self._disturbed.set()
            if self._writes >= self._policy.every_writes or self._rows >= self._policy.every_rows:
                self._start()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Postpone everything that is not urgent while many parts follow each other.

        A part of a pack takes longer to embed than a pause that counts as the end of writing. Refreshing the indexes
        after each part would rewrite the whole table each time.
        """
        with self._state:
            self._held += 1
        try:
            yield
        finally:
            with self._state:
                self._held -= 1

    def finish(self, seconds: float) -> None:
        """Process what was written since the last time, waiting at most `seconds`.

        What is not done by then is left to the next writer.
        """
        with self._state:
            if self._writes:
                self._start()
            thread = self._thread
            self._ending = True
            self._disturbed.set()
        if thread is not None:
            thread.join(seconds)
        self._ending = False

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._writes = self._rows = 0
            self._thread = threading.Thread(target=self._work, name="store upkeep", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        """Run one background round. A failure costs speed, not evidence: it is logged and retried."""
        try:
            self._expire()
            while (need := self.need()) is not Need.NONE:
                if need is Need.NOW or (not self._held and self._is_quiet()):
                    self.run()
                    return
                if self._held:
                    return
        except (OSError, RuntimeError, ValueError) as exc:
            LOG.warning("the evidence store's indexes could not be refreshed: %s", " ".join(str(exc).split())[:300])

    def _is_quiet(self) -> bool:
        """Wait until writing pauses or the store closes; False if another write happened.

        The library cannot refresh an index without merging all pieces of the table, up to a million rows. Doing so
        after each of many writes in a row would rewrite the whole table each time.
        """
        if not self._ending:
            self._disturbed.clear()
            self._disturbed.wait(self._policy.quiet)
        return self._ending or not self._disturbed.is_set()

    def _expire(self) -> None:
        """Untag versions that need not be kept, once a day and soon after opening."""
        today = datetime.now(UTC).date()
        if self._policy.keep_read_days is not None and self._expired_on != today:
            expire(self._table, self._policy.keep_read_days, today)
            self._expired_on = today

    def need(self, at_rest: bool = False) -> Need:
        """Return whether the indexes are behind, or many small pieces have piled up.

        `at_rest`: a caller waits for them.
        """
        rows, waiting = self._table.count_rows(), max(self._unindexed(), default=0)
        pieces = self._table.stats()["fragment_stats"]["num_small_fragments"]
        policy = self._policy
        if (
            waiting > max(policy.max_unindexed, policy.pressing_share * rows)
            or pieces > 10 * policy.max_small_fragments
        ):
            return Need.NOW
        behind = waiting > max(policy.max_unindexed, policy.max_unindexed_share * rows)
        behind = behind or pieces > policy.max_small_fragments or self._outgrown(rows, at_rest)
        return Need.SOON if behind else Need.NONE

    def run(self, wait: float = 0.0, at_rest: bool = False) -> bool:
        """Make and refresh the indexes and compact; return whether it was done.

        `at_rest`: a caller waits until all is in order, and searches begin then. If another thread or process is at
        work, this waits up to `wait` seconds for its end; after them, nothing is done.

        Raises:
            OSError, RuntimeError, ValueError: the library could not do it; the store is as it was.
        """
        with alone_at(self._uri, wait) as alone:
            if not alone:
                return False
            for name in damaged_indexes(self._table):
                self._table.drop_index(name)
            index_words(self._table)
            rows = self._table.count_rows()
            if self._outgrown(rows, at_rest):
                self._make_vector_index(rows)
            self._expire()
            compact(self._table, self._policy.keep_versions, self._clean_up)
        return True

    def rebuild(self) -> bool:
        """Make all indexes again from the rows; return False if another process is at work.

        Raises:
            OSError, RuntimeError, ValueError: the library could not do it.
        """
        with alone_at(self._uri) as alone:
            if not alone:
                return False
            for index in self._table.list_indices():
                self._table.drop_index(index.name)
            index_words(self._table)
            rows = self._table.count_rows()
            if self._outgrown(rows):
                self._make_vector_index(rows)
        return True

    def vector_indexes(self) -> dict[str, int]:
        """Return index name -> rows that the store had when it was made."""
        return vector_indexes(self._table)

    def _outgrown(self, rows: int, at_rest: bool = False) -> bool:
        made_for = max(self.vector_indexes().values(), default=0)
        growth = self._policy.growth_at_rest if at_rest else self._policy.growth
        return rows >= max(self._policy.vector_index_from, growth * made_for)

    def _unindexed(self) -> Iterator[int]:
        for index in self._table.list_indices():
            stats = self._table.index_stats(index.name)
            if stats is not None:
                yield stats.num_unindexed_rows

    def _make_vector_index(self, rows: int) -> None:
        """Make an index with about a thousand unchanged vectors per cell, so cosines are exact."""
        from lancedb.index import IvfFlat

        earlier = self.vector_indexes()
        config = IvfFlat(distance_type="cosine", target_partition_size=_ROWS_PER_CELL)
        self._table.create_index("vector", config=config, name=f"{_VECTOR_INDEX}{rows}")
        for name in earlier:
            self._table.drop_index(name)
