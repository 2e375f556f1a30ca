"""The facts that every new store starts with, in our own words, each with its source, and the starter pack.

seed_facts.jsonl has what people check most, nearly every topic by two publishers; general_facts.jsonl has common knowledge, most
topics by one passage alone (SOURCES.md tells how both were made). Their vectors are in kb/starter/seed_vectors.npz, so that a
first start does not wait for thousands of embeddings. They are used only if the embedder that made them is the store's;
`python -m kb seed --vectors` makes them again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.record import NewEvidence, Origin, content_hash
from kb.starter.pack import starter_facts, starter_vectors
from kb.store.evidence_store import Embed, EvidenceStore

SEED_FACTS = Path(__file__).parent / "seed_facts.jsonl"
GENERAL_FACTS = Path(__file__).parent / "general_facts.jsonl"
SEED_VECTORS = Path(__file__).parent / "seed_vectors.npz"
_BATCH = 100


def seed_facts() -> list[NewEvidence]:
    """The starter facts."""
    lines = (line for path in (SEED_FACTS, GENERAL_FACTS) for line in path.read_text(encoding="utf-8").splitlines())
    rows = [json.loads(line) for line in lines]
    return [NewEvidence(row["text"], row["source"], row["title"], Origin.KB, pinned=True) for row in rows]


def seed(
    store: EvidenceStore, progress: Callable[[int, int], None] = lambda done, total: None, starter: bool = False
) -> int:
    """Add the starter facts that the store does not hold yet; `progress` takes (done, total).

    Safe to call at every start, and from two processes at once: facts that are there are not added again.

    Args:
        store: an open store.
        progress: takes (done, total) while facts are added.
        starter: whether the starter pack's statements belong to them.

    Returns:
        How many facts were added.

    Raises:
        StoreError: the store cannot be written, or the starter pack cannot be read.
    """
    return _seed_facts(store, progress) + (_seed_pack(store, progress) if starter else 0)


def _seed_pack(store: EvidenceStore, progress: Callable[[int, int], None]) -> int:
    """Add the pack in one write: its statements are distinct, and none is dropped for what the store holds."""
    facts = starter_facts()
    missing = store.missing(facts)
    if not missing:
        return 0
    vectors = starter_vectors([fact.text for fact in facts], store.embedder)
    if vectors is not None:
        keys = {content_hash(fact.text): row for row, fact in enumerate(facts)}
        vectors = vectors[[keys[content_hash(fact.text)] for fact in missing]]
    added = 0
    batch = len(missing) if vectors is not None else _BATCH  # embedding takes a while: tell how it goes
    for start in range(0, len(missing), batch):
        rows = slice(start, start + batch)
        added += store.add_distinct(missing[rows], vectors[rows] if vectors is not None else None)
        progress(min(start + batch, len(missing)), len(missing))
    return added


def _seed_facts(store: EvidenceStore, progress: Callable[[int, int], None]) -> int:
    missing = store.missing(seed_facts())
    known = _stored_vectors(store.embedder) if missing else {}
    added = 0
    for start in range(0, len(missing), _BATCH):
        part = missing[start : start + _BATCH]
        found = [known.get(content_hash(fact.text)) for fact in part]
        vectors = [vector for vector in found if vector is not None]
        added += store.add(part, np.array(vectors) if len(vectors) == len(part) else None).added
        progress(start + len(part), len(missing))
    return added


def _stored_vectors(embedder: str) -> dict[str, NDArray[np.float32]]:
    """Content hash -> unit vector; empty where the file is missing or another embedder made it."""
    if not SEED_VECTORS.exists():
        return {}
    with np.load(SEED_VECTORS) as file:
        if str(file["embedder"]) != embedder:
            return {}
        vectors = file["vectors"].astype(np.float32)
        return dict(zip(file["hashes"].tolist(), vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))


def save_vectors(embed: Embed, embedder: str) -> int:
    """Write the vectors of all starter facts, in half precision; returns how many."""
    texts = [fact.text for fact in seed_facts()]
    vectors = embed(texts).astype(np.float16)
    np.savez_compressed(
        SEED_VECTORS,
        vectors=vectors,
        hashes=np.array([content_hash(text) for text in texts]),
        embedder=np.array(embedder),
    )
    return len(texts)
