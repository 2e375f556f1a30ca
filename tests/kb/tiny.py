"""Vectors where meaning does not matter: a text's hash decides, so equal texts are equal and others far apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.intake.importing import Target
from kb.store.evidence_store import EvidenceStore

CHECKSUM = "tiny-checksum"


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    rows = []
    for text in texts:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
        row = np.random.default_rng(seed).standard_normal(384).astype(np.float32)
        rows.append(row / np.linalg.norm(row))
    return np.array(rows, dtype=np.float32).reshape(len(texts), 384)


def open_tiny(folder: Path, checksum: str = CHECKSUM) -> EvidenceStore:
    return EvidenceStore(str(folder), embed, checksum)


def target(store: EvidenceStore) -> Target:
    return Target(store, embed)
