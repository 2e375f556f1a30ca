"""Which of many vectors lie very close to which of many others, without comparing all with all.

Ten thousand new texts beside a million stored ones are ten billion pairs, of which a handful count. Two vectors with a
cosine of 0.98 enclose an angle of 11.5 degrees, so in each coordinate their signs agree with a chance of 94%, and in
20 coordinates at once with 27%. Vectors are therefore put under 24 keys, each made of the signs of 20 coordinates, and
only those that share a key are compared. Of pairs made from the starter facts' vectors, 99.5% of those with a cosine of
exactly 0.98 share one, 99.8% at 0.985, and all at 0.99.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_ALL_AT_ONCE = 64
"""So many new vectors are compared with everything: below this, keys cost more than they save."""
_KEYS, _BITS = 24, 20
_BLOCK, _PAIRS_AT_ONCE = 16_384, 16_384

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]
Pairs = tuple[Rows, Rows, Vectors]
"""Row among the new, row among the others, cosine: three arrays of one length."""


class Neighbours:
    """New vectors, arranged for being compared with any number of others."""

    def __init__(self, new: Vectors, threshold: float) -> None:
        """`new`: unit vectors, shape (n, width). `threshold`: the cosine from which a pair counts."""
        self._new, self._threshold = new, threshold
        self._keyed = len(new) > _ALL_AT_ONCE
        if not self._keyed:
            return
        rng = np.random.default_rng(0)
        self._middle = new.mean(axis=0)
        self._weights = np.zeros((new.shape[1], _KEYS), dtype=np.float32)
        for key in range(_KEYS):
            self._weights[rng.choice(new.shape[1], _BITS, replace=False), key] = 2.0 ** np.arange(_BITS)
        keys = self._keys(new)
        self._order = np.argsort(keys, axis=0, kind="stable")
        self._sorted = np.take_along_axis(keys, self._order, axis=0)
        self._taken = np.zeros((_KEYS, 2**_BITS), dtype=np.bool_)
        for key in range(_KEYS):
            self._taken[key, keys[:, key]] = True

    def pairs(self, others: Vectors) -> Iterator[Pairs]:
        """The pairs of a new vector and one of `others` (unit vectors, shape (m, width)) that count, in no order."""
        for start in range(0, len(others), _BLOCK):
            block = others[start : start + _BLOCK]
            for new, other, cosines in self._by_key(block) if self._keyed else self._all(block):
                close = cosines >= self._threshold
                yield new[close], other[close] + start, cosines[close]

    def _all(self, block: Vectors) -> Iterator[Pairs]:
        cosines = self._new @ block.T
        new, other = np.nonzero(cosines >= self._threshold)
        yield new, other, cosines[new, other]

    def _by_key(self, block: Vectors) -> Iterator[Pairs]:
        pairs = self._sharing_a_key(block)
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            new, other = np.divmod(pairs[start : start + _PAIRS_AT_ONCE], len(block))
            yield new, other, np.einsum("ij,ij->i", self._new[new], block[other])

    def _keys(self, vectors: Vectors) -> Rows:
        """Shape (vectors, keys). Sums of powers of two below 2**20 are exact in single precision."""
        found: Rows = ((vectors > self._middle).astype(np.float32) @ self._weights).astype(np.int64)
        return found

    def _sharing_a_key(self, block: Vectors) -> Rows:
        """Pairs of rows, each as one number (new row x size of the block + row of the block), each once."""
        keys = self._keys(block)
        found = []
        for key in range(_KEYS):
            rows = np.flatnonzero(self._taken[key, keys[:, key]])
            first = np.searchsorted(self._sorted[:, key], keys[rows, key], "left")
            count = np.searchsorted(self._sorted[:, key], keys[rows, key], "right") - first
            place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
            found.append(self._order[place, key] * len(block) + np.repeat(rows, count))
        return np.unique(np.concatenate(found))
