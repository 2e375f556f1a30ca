"""Stores for tests that need no model: vectors that depend on the text alone, and processes that write them."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from kb.store.policy import UpkeepPolicy

EMBEDDER = "test"


def spread(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors in all directions, the same in every process."""
    rows = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=384) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32).reshape(len(texts), 384)


def opened(uri: object, policy: UpkeepPolicy | None = None) -> EvidenceStore:
    return EvidenceStore(str(uri), spread, EMBEDDER, policy=policy)


def statements(*numbers: int) -> list[NewEvidence]:
    return [NewEvidence(f"Statement number {n} of many.", f"https://site{n % 7}.example/{n}") for n in numbers]


def write_for_ever(uri: str, writer: int) -> None:
    """Add texts, five at a time, and say of each portion when it is stored. Ends only by being killed."""
    store = opened(uri, UpkeepPolicy(every_writes=3, max_unindexed=10, max_small_fragments=5))
    for start in range(writer * 1_000_000, (writer + 1) * 1_000_000, 5):
        store.add(statements(*range(start, start + 5)))
        sys.stdout.write(f"{start}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    write_for_ever(sys.argv[1], int(sys.argv[2]))
