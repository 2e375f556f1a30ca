from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errors import StoreError
from kb.reembed import reembed
from kb.store import EvidenceStore
from models.embedder import Embedder

OTHER = "f" * 64


def turned(embedder: Embedder) -> Embedder:
    """An embedder whose vectors are those of `embedder`, turned around: another model as far as the store can tell."""

    class Turned:
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return -embedder.embed(texts)

    return Turned()  # type: ignore[return-value]


def test_all_vectors_are_replaced_and_nothing_is_lost(store: EvidenceStore, embedder: Embedder) -> None:
    before = {row["id"]: row for row in store._table.to_arrow().to_pylist()}
    seen: list[tuple[int, int]] = []
    new = turned(embedder)
    assert reembed(store.uri, new.embed, OTHER, lambda done, total: seen.append((done, total))) == len(before)
    assert seen[-1] == (len(before), len(before))
    again = EvidenceStore(store.uri, new.embed, OTHER)
    after = {row["id"]: row for row in again._table.to_arrow().to_pylist()}
    assert after.keys() == before.keys()
    key = next(iter(before))
    assert {name: value for name, value in after[key].items() if name != "vector"} == {
        name: value for name, value in before[key].items() if name != "vector"
    }
    assert float(np.dot(after[key]["vector"], before[key]["vector"])) <= -0.999
    hits = again.search("The Earth is flat", new.embed(["The Earth is flat"])[0], 5)
    assert "flat" in hits[0].record.text


def test_an_interrupted_run_goes_on_and_the_old_store_stays_whole(store: EvidenceStore, embedder: Embedder) -> None:
    calls = 0

    def fails_late(texts: Sequence[str]) -> NDArray[np.float32]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("power cut")
        return embedder.embed(texts)

    with pytest.raises(StoreError, match="it is as it was"):
        reembed(store.uri, fails_late, OTHER, lambda done, total: None)
    assert EvidenceStore(store.uri, embedder.embed, store.embedder).count() == store.count()
    seen: list[int] = []
    count = reembed(store.uri, embedder.embed, OTHER, lambda done, total: seen.append(total))
    assert seen[0] == count - 500
    assert EvidenceStore(store.uri, embedder.embed, OTHER).count() == count


def test_no_store_is_a_clear_error(tmp_path: Path, embedder: Embedder) -> None:
    with pytest.raises(StoreError, match="there is no evidence store"):
        reembed(str(tmp_path / "none"), embedder.embed, OTHER, lambda done, total: None)
