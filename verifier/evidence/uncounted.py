"""Ask a store without counting that its records were used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kb.record import NewEvidence
from kb.store.evidence_store import AddReport
from kb.store.fusion import Boost, Hit, Keep
from kb.store.usage import Usage
from verifier.interfaces import Store


class Uncounted:
    """A store that does not count uses of its records.

    Uses decide which of similar records is found first: otherwise, repeating a check would change what it finds.
    """

    def __init__(self, store: Store) -> None:
        """`store` does everything else."""
        self._store = store

    @property
    def version(self) -> int:
        """See `Store`."""
        return self._store.version

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        boost: Boost | None = None,
        *,
        keep: Keep | None = None,
    ) -> list[Hit]:
        """See `Store`."""
        return self._store.search(text, vector, limit, boost, keep=keep)

    def add(self, items: Sequence[NewEvidence]) -> AddReport:
        """See `Store`."""
        return self._store.add(items)

    def record_usage(self, usages: Sequence[Usage]) -> None:
        """Count nothing."""

    def protect(self, version: int) -> None:
        """See `Store`."""
        self._store.protect(version)
