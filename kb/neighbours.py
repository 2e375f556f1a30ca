"""Which of many vectors lie very close to which of many others, without comparing all with all.

Ten thousand new texts beside a million stored ones are ten billion pairs; only those that may reach `SAME_TEXT` count.
New vectors are grouped around some of themselves, the pivots. A vector that lies within 0.2 of another (cosine 0.98)
is almost as near to every pivot as that other is, so it need only be compared with the groups whose pivots are about
as near to it as its nearest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_GROUP = 64
_ALL_AT_ONCE = 512
"""So many new vectors are compared with everything: below this, grouping costs more than it saves."""
_MARGIN = 0.06
"""Two vectors with cosine 0.98 differ by 0.2; along one direction out of 384, by 0.01 as a rule. Six times that."""
_BLOCK = 16_384

Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
"""Row among the new, row among the others, cosine: three arrays of one length."""


class Neighbours:
    """New vectors, arranged for being compared with any number of others."""

    def __init__(self, new: NDArray[np.float32], threshold: float) -> None:
        """`new`: unit vectors, shape (n, width). `threshold`: the cosine from which a pair counts."""
        self._new, self._threshold = new, threshold
        self._pivots = new[::_GROUP] if len(new) > _ALL_AT_ONCE else new[:0]
        nearest = np.argmax(new @ self._pivots.T, axis=1) if len(self._pivots) else np.zeros(0, dtype=np.int64)
        order = np.argsort(nearest, kind="stable")
        self._groups = np.split(order, np.searchsorted(nearest[order], np.arange(1, len(self._pivots))))

    def pairs(self, others: NDArray[np.float32]) -> Iterator[Pairs]:
        """The pairs of a new vector and one of `others` (unit vectors, shape (m, width)) that count, in no order."""
        for start in range(0, len(others), _BLOCK):
            block = others[start : start + _BLOCK]
            found = self._grouped(block) if len(self._pivots) else self._plain(block)
            yield from ((new, other + start, cosine) for new, other, cosine in found)

    def _plain(self, block: NDArray[np.float32]) -> Iterator[Pairs]:
        cosines = self._new @ block.T
        new, other = np.nonzero(cosines >= self._threshold)
        yield new, other, cosines[new, other]

    def _grouped(self, block: NDArray[np.float32]) -> Iterator[Pairs]:
        likeness = block @ self._pivots.T
        near = (likeness >= likeness.max(axis=1, keepdims=True) - _MARGIN).T
        for members, reach in zip(self._groups, near, strict=True):
            rows = np.flatnonzero(reach)
            if len(rows) and len(members):
                cosines = self._new[members] @ block[rows].T
                new, other = np.nonzero(cosines >= self._threshold)
                yield members[new], rows[other], cosines[new, other]
