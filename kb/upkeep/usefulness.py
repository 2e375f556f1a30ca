"""Score how useful records are, to decide which to keep.

The score is from 0 to 1, and 1 more for what a user added:

    0.35 x cited + 0.15 x read + 0.15 x relevance + 0.20 x freshness + 0.15 x credibility

    cited       1 - 1/2 ** verification_count: being cited by a verdict is the best proof, and the first one says most
    read        1 - 1/2 ** (access_count / 5): checks found it, so people ask about its topic
    relevance   avg_relevance through a sigmoid (its scale is that of logits); 0 if it was never read
    freshness   1/2 ** (days since last use / 30, or / 180 in the collection static): claims are about what is new
    credibility that of its publisher: of two never used, the better source is likelier to decide

The weights are a judgement, not a fit. They keep a cited record of a middling paper before a fresh one of the best that
was never read. They remove an old one that was read once or twice before a new one that may yet be.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.record import Collection, Origin

if TYPE_CHECKING:
    import pyarrow as pa

_CITED, _READ, _RELEVANCE, _FRESHNESS, _CREDIBILITY = 0.35, 0.15, 0.15, 0.20, 0.15
_READ_HALF = 5.0
_LASTING = 180.0
_HALF_LIFE = {Collection.CURRENT.value: 30.0}
"""Days after which an unused record is half as fresh."""


def usefulness(rows: pa.Table, now: datetime) -> NDArray[np.float64]:
    """Return the score of each row: see the head of this file."""
    used = _numbers(rows, "access_count")
    cited = 1 - 0.5 ** _numbers(rows, "verification_count")
    relevance = np.where(used > 0, 1 / (1 + np.exp(-np.clip(_numbers(rows, "avg_relevance"), -50, 50))), 0.0)
    half = np.array([_HALF_LIFE.get(name, _LASTING) for name in rows["collection"].to_pylist()])
    days = np.array([max(0.0, (now - at).total_seconds()) / 86_400 for at in rows["last_accessed"].to_pylist()])
    own = np.array([origin == Origin.USER for origin in rows["origin"].to_pylist()], dtype=float)
    score: NDArray[np.float64] = (
        _CITED * cited
        + _READ * (1 - 0.5 ** (used / _READ_HALF))
        + _RELEVANCE * relevance
        + _FRESHNESS * 0.5 ** (days / half)
        + _CREDIBILITY * np.clip(_numbers(rows, "source_credibility"), 0, 1)
        + own
    )
    return score


def _numbers(rows: pa.Table, name: str) -> NDArray[np.float64]:
    return np.nan_to_num(np.array(rows[name].to_pylist(), dtype=np.float64))
