"""When the store's indexes are touched, and how long earlier versions stay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class UpkeepPolicy:
    """When the indexes are touched. Counts are of rows unless stated otherwise.

    - `growth`: the vector index is made again when the store has this many times the rows it was made for.
    - `growth_at_rest`: the same while a caller waits until all is in order, as after a pack: overfull cells are slow to
      read.
    - `max_unindexed` and `max_unindexed_share` (of all rows): more than both may wait for an index only while writing
      goes on.
    - `pressing_share`: with this share of all rows in no index, it no longer waits for the writing to end.
    - `quiet`: seconds without a write that count as its end.
    - `every_writes` and `every_rows`: how much is written between two looks for work.
    - `keep_versions`: how long earlier versions stay, for readers still using them and for going back.
    - `keep_read_days`: how long versions that a check has read stay, with all after the oldest of them. 0: no longer
      than others; None: until a caller decides.
    """

    vector_index_from: int = 50_000
    growth: float = 4.0
    growth_at_rest: float = 1.5
    max_unindexed: int = 2_000
    max_unindexed_share: float = 0.02
    pressing_share: float = 0.5
    quiet: float = 2.0
    max_small_fragments: int = 100
    every_writes: int = 20
    every_rows: int = 500
    keep_versions: timedelta = timedelta(days=1)
    keep_read_days: int | None = 30
