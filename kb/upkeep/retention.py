"""Remove records when there are too many: first expired ones, then the least useful.

Starter facts and pinned records never go. A tagged version of the store keeps all that it had: only the newest version
loses records. usefulness.py scores how useful a record is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errors import InputError
from kb.record import VECTOR_WIDTH, Collection, Origin
from kb.store.indexes import alone_at, compact, vector_indexes
from kb.store.sql import any_of, evictable, expired
from kb.store.table import open_evidence, translated
from kb.upkeep.usefulness import usefulness

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.table import Table

_VECTOR_BYTES = VECTOR_WIDTH * 4
_ROW_BYTES = _VECTOR_BYTES + 300
"""Bytes of a record without its words: the vector, columns of fixed width, keys and hashes."""
_MUCH = 0.2
"""If this share of the records is removed, so is their vector index, which would still hold them. The next writer makes
it again if the store is still large enough for one.
"""
_AT_ONCE = 5_000
_EXAMPLES = 20
_WAIT = 60.0
"""Seconds to wait for the store's own upkeep after an earlier write; then the next upkeep merges what is left."""
_KEEP_VERSIONS = timedelta(days=1)
_COLUMNS = [
    "id",
    "text",
    "title",
    "source",
    "domain",
    "collection",
    "origin",
    "pinned",
    "access_count",
    "verification_count",
    "avg_relevance",
    "source_credibility",
    "last_accessed",
    "expires_at",
]

Rows = NDArray[np.int64]


class Reason(StrEnum):
    """Why a record goes."""

    EXPIRED = "expired"
    SOURCE = "too many of its domain"
    COLLECTION = "too many of its collection"
    RECORDS = "too many records"
    BYTES = "too many bytes"


@dataclass(frozen=True, slots=True)
class Caps:
    """How much may be kept; None sets no bound.

    `per_source` counts the removable records of one domain; texts without a source belong to none. The other caps count
    everything, including starter facts and pinned records.
    """

    per_source: int | None = None
    static: int | None = None
    current: int | None = None
    records: int | None = None
    size: int | None = None
    """Bytes of live records, estimated."""

    def __post_init__(self) -> None:
        """Refuse invalid caps.

        Raises:
            InputError: a cap is negative.
        """
        for name in ("per_source", "static", "current", "records", "size"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InputError(f"a cap must be 0 or more, and {name} is {value}")


@dataclass(frozen=True, slots=True)
class Going:
    """A record to be removed, as people see it."""

    id: str
    text: str
    domain: str
    reason: Reason
    usefulness: float


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What was removed or, in a dry run, would be.

    `examples` are the first 20, the least useful first. `remain` and `bytes_after` are what is left; `over` is how many
    records the caps would still remove if they could.
    """

    removed: int
    by_reason: Mapping[str, int]
    by_domain: Mapping[str, int]
    examples: tuple[Going, ...]
    remain: int
    over: int
    bytes_before: int
    bytes_after: int
    dry_run: bool


def prune(uri: str, caps: Caps | None = None, dry_run: bool = False, now: datetime | None = None) -> PruneReport:
    """Remove expired records and the least useful over the caps; then merge what is left.

    Args:
        uri: the store.
        caps: how much may be kept; without them, only expired records go.
        dry_run: only report what would go.
        now: the time by which a record has expired; the clock's if None.

    Raises:
        StoreError: there is no store, or it cannot be read or written. What was removed until then stays removed.
    """
    moment = now or datetime.now(UTC)
    table = open_evidence(uri)
    with translated("read", uri):
        before = int(table.stats()["total_bytes"])
        rows = table.search().select(_COLUMNS).limit(None).to_arrow()
        copied = bool(vector_indexes(table))
    plan = _Plan(rows, moment, _sizes(rows, copied))
    plan.choose(caps or Caps())
    if not dry_run and plan.reasons:
        with translated("write to", uri):
            _remove(table, plan, moment)
            if len(plan.reasons) >= _MUCH * rows.num_rows:
                for name in vector_indexes(table):
                    table.drop_index(name)
            with alone_at(uri, _WAIT) as alone:  # of two that compact at once, one gives up, and the bytes stay
                if alone:
                    compact(table, _KEEP_VERSIONS)
    with translated("read", uri):
        after = before if dry_run else int(table.stats()["total_bytes"])
        remain = rows.num_rows - len(plan.reasons) if dry_run else int(table.count_rows())
    return plan.report(remain, before, after, dry_run)


def prune_expired(uri: str, now: datetime | None = None) -> int:
    """Remove only expired records, reading no other column; return how many.

    Raises:
        StoreError: there is no store, or it cannot be written.
    """
    table = open_evidence(uri)
    with translated("write to", uri):
        where = expired(now or datetime.now(UTC))
        if not table.count_rows(where):
            return 0
        return int(table.delete(where).num_deleted_rows)


class _Plan:
    """Which rows go, and why; each cap chooses among those that earlier caps left."""

    def __init__(self, rows: pa.Table, now: datetime, sizes: Rows) -> None:
        self.reasons: dict[int, Reason] = {}
        self.over = 0
        self._rows, self._sizes = rows, sizes
        self._score = usefulness(rows, now)
        pinned = np.array(rows["pinned"].to_pylist(), dtype=bool)
        starter = np.array([origin == Origin.KB for origin in rows["origin"].to_pylist()], dtype=bool)
        ends = rows["expires_at"].to_pylist()
        old = np.array([end is not None and end <= now for end in ends], dtype=bool)
        self._free = ~(pinned | starter)
        self._left = np.ones(rows.num_rows, dtype=bool)
        self._go(np.flatnonzero(old & self._free), Reason.EXPIRED)

    def choose(self, caps: Caps) -> None:
        """Mark what goes under the caps, from the narrowest to the widest."""
        if caps.per_source is not None:
            for rows in _groups(self._rows["domain"].to_pylist()):
                left = rows[self._left[rows] & self._free[rows]]
                self._go(self._least(left, len(left) - caps.per_source), Reason.SOURCE)
        collections = np.array(self._rows["collection"].to_pylist(), dtype=object)
        for name, cap in ((Collection.STATIC, caps.static), (Collection.CURRENT, caps.current)):
            self._cap(collections == name.value, cap, Reason.COLLECTION)
        self._cap(np.ones(len(self._left), dtype=bool), caps.records, Reason.RECORDS)
        if caps.size is not None:
            self._cap_bytes(caps.size)

    def _cap(self, where: NDArray[np.bool_], cap: int | None, reason: Reason) -> None:
        if cap is None:
            return
        excess = int((where & self._left).sum()) - cap
        chosen = self._least(np.flatnonzero(where & self._left & self._free), excess)
        self.over += max(0, excess - len(chosen))
        self._go(chosen, reason)

    def _cap_bytes(self, cap: int) -> None:
        sizes = self._sizes
        excess = int(sizes[self._left].sum()) - cap
        free = self._least(np.flatnonzero(self._left & self._free), len(sizes)) if excess > 0 else np.zeros(0, np.int64)
        gained = np.cumsum(sizes[free])
        needed = int(np.searchsorted(gained, excess)) + 1 if excess > 0 else 0
        self._go(free[:needed], Reason.BYTES)
        self.over += int(excess > 0 and (not len(gained) or int(gained[-1]) < excess))

    def _least(self, rows: Rows, number: int) -> Rows:
        """Return the least useful of the rows; of two equal ones, the one stored first."""
        order = np.argsort(self._score[rows], kind="stable")
        return rows[order][: max(0, number)]

    def _go(self, rows: Rows, reason: Reason) -> None:
        self._left[rows] = False
        self.reasons |= dict.fromkeys(rows.tolist(), reason)

    def ids(self) -> list[str]:
        """Return the ids that go because of a cap; expired ones go by their time."""
        keys = self._rows["id"].to_pylist()
        return [keys[row] for row, reason in self.reasons.items() if reason is not Reason.EXPIRED]

    def report(self, remain: int, before: int, after: int, dry_run: bool) -> PruneReport:
        domains = self._rows["domain"].to_pylist()
        by_reason = Counter(reason.value for reason in self.reasons.values())
        by_domain = Counter(domains[row] or "(none)" for row in self.reasons)
        least = sorted(self.reasons, key=lambda row: float(self._score[row]))[:_EXAMPLES]
        return PruneReport(
            len(self.reasons),
            dict(by_reason.most_common()),
            dict(by_domain.most_common()),
            tuple(self._going(row) for row in least),
            remain,
            self.over,
            before,
            after,
            dry_run,
        )

    def _going(self, row: int) -> Going:
        values: dict[str, Any] = self._rows.slice(row, 1).select(["id", "text", "domain"]).to_pylist()[0]
        return Going(
            values["id"], values["text"], values["domain"], self.reasons[row], round(float(self._score[row]), 3)
        )


def _remove(table: Table, plan: _Plan, now: datetime) -> None:
    """Remove what is planned, except records pinned or extended meanwhile."""
    table.delete(expired(now))
    ids = plan.ids()
    for start in range(0, len(ids), _AT_ONCE):
        table.delete(f"{any_of('id', ids[start : start + _AT_ONCE])} AND {evictable()}")


def _groups(domains: Iterable[str]) -> list[Rows]:
    """Return the rows of each domain."""
    groups: dict[str, list[int]] = {}
    for row, domain in enumerate(domains):
        if domain:
            groups.setdefault(domain, []).append(row)
    return [np.array(rows, dtype=np.int64) for rows in groups.values()]


def _sizes(rows: pa.Table, copied: bool) -> Rows:
    """Estimate the bytes of each record; a vector index holds a copy of every one."""
    sizes = np.full(rows.num_rows, _ROW_BYTES + copied * _VECTOR_BYTES, dtype=np.int64)
    for name in ("text", "title", "source"):
        sizes += np.array([len((words or "").encode()) for words in rows[name].to_pylist()], dtype=np.int64)
    return sizes
