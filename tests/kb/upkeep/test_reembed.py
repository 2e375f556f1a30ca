from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from lancedb.table import Table
from numpy.typing import NDArray

from errors import StoreError
from kb.record import EvidenceRecord, NewEvidence
from kb.store.evidence_store import TABLE, EvidenceStore
from kb.store.place import connect
from kb.upkeep.reembed import _Reembedding, reembed
from models.encoders.embedder import Embedder
from tests.kb.stores import opened, spread, statements

OTHER = "f" * 64


def turned(embedder: Embedder) -> Embedder:
    """An embedder whose vectors are those of `embedder`, turned around: another model as far as the store can tell."""

    class Turned:
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return -embedder.embed(texts)

    return Turned()  # type: ignore[return-value]


@pytest.fixture
def part(store: EvidenceStore) -> EvidenceStore:
    """Some of the starter facts, those that say "flat" among them: a few more than the 500 that are embedded at a time."""
    rows = sorted(store._table.to_arrow().to_pylist(), key=lambda row: "flat" not in row["text"])
    store._table.delete("id NOT IN ({})".format(", ".join(f"'{row['id']}'" for row in rows[:520])))
    return store


def test_all_vectors_are_replaced_and_nothing_is_lost(part: EvidenceStore, embedder: Embedder) -> None:
    before = {row["id"]: row for row in part._table.to_arrow().to_pylist()}
    seen: list[tuple[int, int]] = []
    new = turned(embedder)
    assert reembed(part.uri, new.embed, OTHER, lambda done, total: seen.append((done, total))) == len(before)
    assert seen[-1] == (len(before), len(before))
    again = EvidenceStore(part.uri, new.embed, OTHER)
    after = {row["id"]: row for row in again._table.to_arrow().to_pylist()}
    assert after.keys() == before.keys()
    key = next(iter(before))
    assert {name: value for name, value in after[key].items() if name != "vector"} == {
        name: value for name, value in before[key].items() if name != "vector"
    }
    # Made among many, before alone: eight bits or not, see `Embedder.embed`.
    assert float(np.dot(after[key]["vector"], before[key]["vector"])) <= -0.99
    hits = again.search("The Earth is flat", new.embed(["The Earth is flat"])[0], 5)
    assert "flat" in hits[0].record.text


def test_an_interrupted_run_goes_on_and_the_old_store_stays_whole(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb")
    store.add(statements(*range(520)))
    calls = 0

    def fails_late(texts: Sequence[str]) -> NDArray[np.float32]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("power cut")
        return other(texts)

    with pytest.raises(StoreError, match="no record is lost"):
        reembed(store.uri, fails_late, OTHER, lambda done, total: None)
    assert opened(store.uri).count() == store.count() == 520
    seen: list[int] = []
    count = reembed(store.uri, other, OTHER, lambda done, total: seen.append(total))
    assert seen[0] == count - 500
    assert EvidenceStore(store.uri, other, OTHER).count() == count == 520


def test_no_store_is_a_clear_error(tmp_path: Path, embedder: Embedder) -> None:
    with pytest.raises(StoreError, match="there is no evidence store"):
        reembed(str(tmp_path / "none"), embedder.embed, OTHER, lambda done, total: None)


def told(store: EvidenceStore) -> dict[str, EvidenceRecord]:
    keys = store._table.to_arrow()["id"].to_pylist()
    assert len(keys) == len(set(keys))
    return {record.text: record for record in store.get(keys)}


def other(texts: Sequence[str]) -> NDArray[np.float32]:
    return -spread(texts)


def check_changed(after: dict[str, EvidenceRecord], gone: str, pinned: str, added: str) -> None:
    assert gone not in after and added in after
    assert after[pinned].pinned and after[pinned].access_count == 3 and after[pinned].rating == "False"


def change(store: EvidenceStore, gone: str, pinned: str, added: NewEvidence) -> None:
    """What others do while the store is embedded: they delete, pin, count, rate, and add."""
    store._table.delete(f"text = '{gone}'")
    store._table.update(where=f"text = '{pinned}'", values={"pinned": True, "access_count": 3, "rating": "False"})
    store.add([added])


@pytest.mark.parametrize("moment", ["while texts are embedded", "in the moment of the commit"])
def test_what_others_do_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    store = opened(tmp_path / "kb")
    texts = [item.text for item in statements(*range(1_200))]
    store.add(statements(*range(1_200)))
    (added,) = statements(5_000)
    done = False

    def meanwhile() -> None:
        nonlocal done
        if not done:
            done = True
            change(store, texts[0], texts[1], added)

    def embed(some: Sequence[str]) -> NDArray[np.float32]:
        if moment == "while texts are embedded":
            meanwhile()
        return other(some)

    swap = _Reembedding._swap

    def late(self: _Reembedding, fresh: Table) -> None:
        meanwhile()
        swap(self, fresh)

    monkeypatch.setattr(_Reembedding, "_swap", late)
    assert reembed(store.uri, embed, OTHER, lambda done, total: None) == 1_200
    after = EvidenceStore(store.uri, other, OTHER)
    check_changed(told(after), texts[0], texts[1], added.text)
    vectors = {row["text"]: row["vector"] for row in after._table.to_arrow().to_pylist()}
    assert all(float(np.dot(vectors[text], other([text])[0])) > 0.999 for text in (texts[1], added.text))
    assert after._table.tags.list() == {} and connect(store.uri).list_tables().tables == [TABLE]
    assert len(after.search("statement number", other(["x"])[0], 5)) == 5


def test_a_run_that_ends_after_the_commit_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / "kb")
    texts = [item.text for item in statements(*range(30))]
    store.add(statements(*range(30)))
    (added,) = statements(5_000)
    swap = _Reembedding._swap

    def killed(self: _Reembedding, fresh: Table) -> None:
        change(store, texts[0], texts[1], added)
        swap(self, fresh)
        raise RuntimeError("power cut")

    monkeypatch.setattr(_Reembedding, "_swap", killed)
    with pytest.raises(StoreError, match="no record is lost"):
        reembed(store.uri, other, OTHER, lambda done, total: None)
    assert reembed(store.uri, other, OTHER, lambda done, total: None) == 30
    check_changed(told(EvidenceStore(store.uri, other, OTHER)), texts[0], texts[1], added.text)


def test_a_process_with_the_old_embedder_can_neither_write_nor_search_afterwards(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb")
    store.add(statements(1, 2))
    reembed(store.uri, other, OTHER, lambda done, total: None)
    for use in (
        lambda: store.add(statements(3)),
        lambda: store.add_distinct(statements(3)),
        lambda: store.search("statement", spread(["statement"])[0], 5),
        lambda: store.restore(store.get(store._table.to_arrow()["id"].to_pylist())),
    ):
        with pytest.raises(StoreError, match="another embedder.*start this program again"):
            use()
    assert EvidenceStore(store.uri, other, OTHER).count() == 2


def test_texts_added_all_the_while_are_all_there(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb")
    store.add(statements(*range(600)))
    acknowledged, stop = list(range(600)), threading.Event()

    def add() -> None:
        number = 1_000
        while not stop.is_set():
            try:
                store.add(statements(number))
            except StoreError:
                return  # the new vectors are there
            acknowledged.append(number)
            number += 1

    writer = threading.Thread(target=add)
    writer.start()
    reembed(store.uri, other, OTHER, lambda done, total: None)
    writer.join(10)
    stop.set()
    writer.join()
    after = EvidenceStore(store.uri, other, OTHER)
    assert len(acknowledged) > 600 and after.missing(statements(*acknowledged)) == []
    vectors = {row["text"]: row["vector"] for row in after._table.to_arrow().to_pylist()}
    assert all(float(np.dot(vector, other([text])[0])) > 0.999 for text, vector in vectors.items())
