"""Create a separate store for an evaluation, so the user's is neither read nor written."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kb.intake.ingest import read_evidence
from kb.record import NewEvidence
from kb.starter.seed import seed
from kb.store.evidence_store import EvidenceStore
from verifier.build import open_store
from verifier.interfaces import Embedder
from verifier.settings import Settings

_BATCH = 200


@contextmanager
def filled_store(
    settings: Settings, embedder: Embedder, texts: Path | Sequence[NewEvidence] | None
) -> Iterator[EvidenceStore]:
    """Fill a store in a temporary folder with the starter facts, or with `texts` instead.

    `texts` may be a JSON-lines file.

    Raises:
        InputError: the file cannot be read or has an unusable row.
        StoreError: the store cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="evaluation-") as folder:
        store = open_store(replace(settings, kb_uri=folder), embedder.embed)
        if texts is None:
            seed(store, starter=settings.starter)
        else:
            items = read_evidence(texts) if isinstance(texts, Path) else list(texts)
            for start in range(0, len(items), _BATCH):
                store.add(items[start : start + _BATCH])
        yield store
        store.close()
