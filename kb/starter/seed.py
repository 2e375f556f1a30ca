"""Add the facts that every new store starts with, and the starter pack.

The facts are in our own words, each with its source. seed_facts.jsonl has what people check most, nearly every topic
from two publishers. general_facts.jsonl has common knowledge, most topics from one passage only. SOURCES.md explains
how both were made.

Their vectors are in seed_vectors.npz and the numbered files next to it, so that a first start does not wait for
thousands of embeddings. They are used only if the store's embedder made them. `python -m kb seed --vectors` makes the
missing ones, in a separate file, since every version of a file stays in the history.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from atomic import atomic_write
from kb.record import NewEvidence, Origin, content_hash
from kb.starter.pack import codes_of, starter_facts, starter_vectors, vectors_of
from kb.store.evidence_store import Embed, EvidenceStore

SEED_FACTS = Path(__file__).parent / "seed_facts.jsonl"
GENERAL_FACTS = Path(__file__).parent / "general_facts.jsonl"
VECTORS_FOLDER, SEED_VECTORS = Path(__file__).parent, "seed_vectors"
_BATCH = 100

Vectors = Mapping[str, NDArray[np.float32]]
"""Content hash -> unit vector."""


def seed_facts() -> list[NewEvidence]:
    """Return the starter facts."""
    lines = (line for path in (SEED_FACTS, GENERAL_FACTS) for line in path.read_text(encoding="utf-8").splitlines())
    rows = [json.loads(line) for line in lines]
    return [NewEvidence(row["text"], row["source"], row["title"], Origin.KB, pinned=True) for row in rows]


def seed(
    store: EvidenceStore, progress: Callable[[int, int], None] = lambda done, total: None, starter: bool = False
) -> int:
    """Add the starter facts that the store does not hold yet.

    Safe to call at every start, and from two processes at once: existing facts are not added again.

    Args:
        store: an open store.
        progress: receives (done, total) while facts are added.
        starter: whether to add the starter pack's statements too.

    Returns:
        How many facts were added.

    Raises:
        StoreError: the store cannot be written, or the starter pack cannot be read.
    """
    added = _fill(store, seed_facts(), stored_vectors, progress)
    return added + (_fill(store, starter_facts(), _pack_vectors, progress) if starter else 0)


def _fill(
    store: EvidenceStore,
    facts: list[NewEvidence],
    vectors_for: Callable[[str], Vectors],
    progress: Callable[[int, int], None],
) -> int:
    """Add what is missing: facts with vectors in one write, the rest in steps.

    Embedding takes a while. The facts are distinct, and none is dropped because of what the store holds.
    """
    missing = store.missing(facts)
    if not missing:
        return 0
    vectors = vectors_for(store.embedder)
    keyed = {content_hash(fact.text): fact for fact in missing}
    ready = {key: vectors[key] for key in keyed if key in vectors}
    rest = [fact for key, fact in keyed.items() if key not in ready]
    added = 0
    if ready:
        added = store.add_distinct([keyed[key] for key in ready], np.array(list(ready.values())))
        progress(len(ready), len(missing))
    for start in range(0, len(rest), _BATCH):
        part = rest[start : start + _BATCH]
        added += store.add_distinct(part)
        progress(len(ready) + start + len(part), len(missing))
    return added


def _pack_vectors(embedder: str) -> Vectors:
    """Return the vectors of the starter pack's statements.

    Empty if they were made from other texts or by another embedder.
    """
    facts = starter_facts()
    vectors = starter_vectors([fact.text for fact in facts], embedder)
    return {} if vectors is None else {content_hash(fact.text): row for fact, row in zip(facts, vectors, strict=True)}


def stored_vectors(embedder: str, folder: Path = VECTORS_FOLDER) -> Vectors:
    """Return the starter facts' vectors that this embedder made; empty if there are none."""
    found: dict[str, NDArray[np.float32]] = {}
    for path in sorted(folder.glob(f"{SEED_VECTORS}*.npz")):
        with np.load(path) as file:
            if str(file["embedder"]) == embedder:
                found |= zip(file["hashes"].tolist(), vectors_of(file["codes"]), strict=True)
    return found


def save_vectors(embed: Embed, embedder: str, folder: Path = VECTORS_FOLDER) -> int:
    """Write the missing vectors of starter facts to one more file; return how many.

    A vector takes one byte per number.
    """
    stored = stored_vectors(embedder, folder)
    texts = [fact.text for fact in seed_facts() if content_hash(fact.text) not in stored]
    if texts:
        vectors = np.concatenate([embed([text]) for text in texts])  # several at once would be embedded in eight bits
        content = io.BytesIO()
        np.savez_compressed(
            content,
            codes=codes_of(vectors),
            hashes=np.array([content_hash(text) for text in texts]),
            embedder=np.array(embedder),
        )
        numbers = [int(path.stem.rpartition("_")[2]) for path in folder.glob(f"{SEED_VECTORS}_*.npz")]
        with atomic_write(folder / f"{SEED_VECTORS}_{max(numbers, default=1) + 1}.npz") as fresh:
            fresh.write_bytes(content.getvalue())
    return len(texts)
