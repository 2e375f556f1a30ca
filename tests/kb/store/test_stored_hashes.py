"""Near-duplicates are found among many texts added one batch after the other, whatever happens to the store meanwhile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.record import NewEvidence
from kb.store import stored_hashes
from kb.store.evidence_store import EvidenceStore
from kb.store.hashing import KeyRuns
from kb.store.policy import UpkeepPolicy
from kb.store.stored_hashes import StoredHashes
from kb.store.usage import Usage
from tests.kb.stores import opened, spread, statements

COUNT = 100


def texts(start: int, wording: str) -> list[NewEvidence]:
    return [
        NewEvidence(f"{wording} {n} says so.", f"https://{wording.lower()}.example/{n}")
        for n in range(start, start + COUNT)
    ]


def vectors(start: int, noise: float = 0.0) -> NDArray[np.float32]:
    """Unit vectors in all directions; with noise 0.1, others whose cosine to them is about 0.995."""
    rng = np.random.default_rng(int(noise * 1_000) + 1)
    rows = spread([str(n) for n in range(start, start + COUNT)])
    noisy = rows + rng.normal(scale=noise / 384**0.5, size=rows.shape) if noise else rows
    found: NDArray[np.float32] = (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)
    return found


@pytest.fixture
def filled(tmp_path: Path) -> EvidenceStore:
    store = opened(tmp_path / "kb")
    for start in range(0, 5 * COUNT, COUNT):
        assert store.add(texts(start, "Statement"), vectors(start)).added == COUNT
    return store


def merged(store: EvidenceStore, start: int) -> int:
    """How many near-duplicates of the statements from `start` on are known to be such."""
    return store.add(texts(start, "Sentence"), vectors(start, 0.1)).merged


def held(store: EvidenceStore) -> int:
    hashes = store._hashes
    assert hashes is not None and hashes.loaded and hashes.refresh()
    return hashes._count


def test_near_duplicates_of_earlier_batches_merge_and_each_row_is_held_once(filled: EvidenceStore) -> None:
    assert merged(filled, 0) == merged(filled, 4 * COUNT) == COUNT
    assert held(filled) == filled.count() == 5 * COUNT


def test_a_store_that_is_opened_later_knows_what_was_there(filled: EvidenceStore) -> None:
    later = opened(filled.uri)
    assert merged(later, COUNT) == COUNT and held(later) == 5 * COUNT


def test_what_another_has_written_is_noticed(filled: EvidenceStore) -> None:
    other = opened(filled.uri)
    other.add(texts(900, "Statement"), vectors(900))
    assert merged(filled, 900) == COUNT
    assert filled.add(texts(900, "Statement"), vectors(900)).merged == COUNT
    assert held(filled) == held(other) == 6 * COUNT


def test_rows_that_were_moved_are_found(filled: EvidenceStore) -> None:
    ids = filled.add(texts(0, "Statement")).ids
    filled.record_usage([Usage(key, 1.0, True) for key in ids])
    filled.close()
    filled.optimize()
    filled.record_usage([Usage(key, 1.0, True) for key in ids[:30]])
    filled.close()
    assert merged(filled, 0) == merged(filled, 3 * COUNT) == COUNT
    assert held(filled) == 5 * COUNT


def test_what_was_deleted_is_no_duplicate_and_can_be_added_again(filled: EvidenceStore) -> None:
    filled._table.delete(f"source LIKE '%/{COUNT}'")
    report = filled.add(texts(COUNT, "Sentence"), vectors(COUNT, 0.1))
    assert (report.added, report.merged) == (1, COUNT - 1)
    assert filled.add(texts(COUNT, "Statement"), vectors(COUNT)).merged == COUNT


def test_a_store_with_an_index_is_hashed_when_look_ups_have_cost_as_much(filled: EvidenceStore) -> None:
    small = opened(filled.uri, UpkeepPolicy(vector_index_from=200))
    small.optimize()
    assert small._upkeep.vector_indexes()
    hashes = StoredHashes(small._table)
    assert [hashes.worth(10, 20, True) for _ in range(3)] == [False, False, True]
    assert hashes.refresh() and hashes.worth(1, 1, True)
    assert merged(small, 0) == COUNT


def test_of_a_store_that_is_too_large_nothing_is_held(filled: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_hashes, "MOST_ROWS", 100)
    later = opened(filled.uri)
    assert merged(later, 0) == COUNT
    assert later._hashes is not None and not later._hashes.loaded


def test_a_handful_of_texts_is_compared_with_everything(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb")
    store.add(statements(*range(10)))
    assert store._hashes is not None and not store._hashes.loaded


@pytest.mark.parametrize("sizes", [[1], [3, 1, 4, 1, 5], [40] * 20, [500, 2, 2, 2]])
def test_runs_of_keys_give_every_pair_once(sizes: list[int]) -> None:
    rng, runs, held = np.random.default_rng(0), KeyRuns(), np.zeros(0, np.int64)
    for size in sizes:
        keys = rng.integers(0, 30, size)
        runs.add(keys, len(held))
        held = np.concatenate([held, keys])
    wanted = rng.integers(0, 40, 25)
    pairs = [pair for a, b in runs.matches(wanted) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert sorted(pairs) == sorted((int(i), int(j)) for i, j in np.argwhere(wanted[:, None] == held[None]))
