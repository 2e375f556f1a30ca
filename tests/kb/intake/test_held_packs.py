"""Packs in a store: left out of searches and taken in again, by any process, through a re-embedding, and never lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errors import InputError, StoreError
from kb.intake.held_packs import HeldPack, held_packs, remove_pack, switch_pack
from kb.intake.pack_files import Pack
from kb.intake.packs import add_pack
from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from kb.upkeep.reembed import reembed
from models.encoders.embedder import Embedder
from tests.kb.intake.test_packs import article, write_pack
from tests.kb.stores import spread
from tests.kb.tiny import embed, open_tiny
from verifier.cli.kb import main
from verifier.evidence.retrieve import retrieve
from verifier.settings import RetrievalSettings

OWN = "Place 7 is where the user spent a summer."
QUERY = "What is Place 7 in the county of Vell?"


@pytest.fixture
def packed(tmp_path: Path) -> EvidenceStore:
    """A store with a text of the user's own and two packs of other articles."""
    store = open_tiny(tmp_path / "kb")
    store.add([NewEvidence(OWN, "https://own.example/1")])
    for name, numbers in (("wiki", range(60)), ("mirror", range(60, 90))):
        path = write_pack(tmp_path / f"{name}.parquet", [article(n) for n in numbers])
        add_pack(Pack(name, (path,)), store)
    return store


def found(store: EvidenceStore, limit: int = 200) -> dict[str, int]:
    """The collections of all that a search finds, with the number of its records."""
    hits = store.search(QUERY, embed([QUERY])[0], limit)
    collections = [hit.record.collection for hit in hits]
    return {name: collections.count(name) for name in sorted(set(collections))}


def test_a_pack_that_is_off_is_found_by_no_search_and_comes_back_whole(packed: EvidenceStore) -> None:
    everything = {"pack/mirror": 60, "pack/wiki": 120, "static": 1}
    before = {row["id"]: row for row in packed._table.to_arrow().to_pylist()}
    assert found(packed) == everything
    assert switch_pack(packed.uri, "wiki", True)
    assert found(packed) == {"pack/mirror": 60, "static": 1}
    assert held_packs(packed.uri) == (HeldPack("mirror", 60), HeldPack("wiki", 120, off=True))
    assert switch_pack(packed.uri, "mirror", True) and found(packed) == {"static": 1}
    assert [hit.record.text for hit in packed.look_up(QUERY, embed([QUERY])[0], 5)] == [OWN]
    assert switch_pack(packed.uri, "wiki", False) and switch_pack(packed.uri, "mirror", False)
    assert found(packed) == everything
    assert {row["id"]: row for row in packed._table.to_arrow().to_pylist()} == before


def test_few_records_are_found_behind_a_large_pack_that_is_off(packed: EvidenceStore) -> None:
    packed.optimize()
    switch_pack(packed.uri, "wiki", True)
    assert found(packed, 3) == {"pack/mirror": 2, "static": 1} or found(packed, 3) == {"pack/mirror": 3}
    assert found(packed, 61) == {"pack/mirror": 60, "static": 1}


def test_every_process_and_every_later_one_knows(packed: EvidenceStore, tmp_path: Path) -> None:
    other = open_tiny(tmp_path / "kb")
    assert switch_pack(other.uri, "wiki", True)
    version = packed.version
    assert not switch_pack(other.uri, "wiki", True) and packed.version == version
    for store in (packed, other, open_tiny(tmp_path / "kb")):
        assert "pack/wiki" not in found(store)
    packed.add([NewEvidence("A text that comes later.", "https://own.example/2")])
    packed.optimize()
    assert found(other) == {"pack/mirror": 60, "static": 2}


def test_an_earlier_version_is_asked_with_the_packs_of_then(packed: EvidenceStore) -> None:
    then = packed.version
    switch_pack(packed.uri, "wiki", True)
    now = packed.version
    switch_pack(packed.uri, "wiki", False)
    texts = [
        {hit.record.collection for hit in packed.as_of(str(at)).search(QUERY, embed([QUERY])[0], 200)}
        for at in (then, now)
    ]
    assert "pack/wiki" in texts[0] and "pack/wiki" not in texts[1]


def test_a_new_embedder_leaves_out_what_was_left_out(packed: EvidenceStore) -> None:
    switch_pack(packed.uri, "wiki", True)
    reembed(packed.uri, spread, "other", lambda done, total: None)
    again = EvidenceStore(packed.uri, spread, "other")
    assert held_packs(packed.uri) == (HeldPack("mirror", 60), HeldPack("wiki", 120, off=True))
    hits = again.search(QUERY, spread([QUERY])[0], 200)
    assert {hit.record.collection for hit in hits} == {"pack/mirror", "static"}


def test_a_pack_that_is_removed_and_added_again_takes_part(packed: EvidenceStore, tmp_path: Path) -> None:
    switch_pack(packed.uri, "wiki", True)
    assert remove_pack(packed.uri, "wiki") == 120 and held_packs(packed.uri) == (HeldPack("mirror", 60),)
    add_pack(Pack("wiki", (tmp_path / "wiki.parquet",)), packed)
    assert found(packed)["pack/wiki"] == 120


def test_what_is_no_pack_cannot_be_switched(packed: EvidenceStore, tmp_path: Path) -> None:
    for name in ("none", "static"):
        with pytest.raises(InputError, match=f"there is no pack {name} in the store"):
            switch_pack(packed.uri, name, True)
    with pytest.raises(InputError, match="a pack's name is 1 to 64"):
        switch_pack(packed.uri, "a' OR 'b", True)
    with pytest.raises(StoreError, match="there is no evidence store"):
        switch_pack(str(tmp_path / "nowhere"), "wiki", True)
    assert held_packs(str(tmp_path / "nowhere")) == () and not (tmp_path / "nowhere").exists()


def test_a_check_retrieves_nothing_of_it(store: EvidenceStore, embedder: Embedder, tmp_path: Path) -> None:
    path = write_pack(tmp_path / "wiki.parquet", [article(n) for n in range(20)])
    add_pack(Pack("wiki", (path,)), store)

    def sources() -> set[str]:
        return {
            piece.domain
            for piece in retrieve("Place 7 lies on the river Osk", store, embedder, RetrievalSettings(), 20)
        }

    assert "wiki.example" in sources()
    switch_pack(store.uri, "wiki", True)
    assert "wiki.example" not in sources()


def test_the_commands(packed: EvidenceStore, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        status = main(["packs", *words, "--kb", packed.uri])
        return (status, *capsys.readouterr())

    assert run("off", "wiki")[:2] == (0, "the pack wiki is left out of checks, and stays in the store\n")
    assert run("off", "wiki")[1].endswith(", as before\n")
    assert "wiki  120 passages in the store, left out of checks\n" in run("list")[1]
    assert json.loads(run("list", "--json")[1])[:2] == [
        {"name": "mirror", "passages": 60, "off": False},
        {"name": "wiki", "passages": 120, "off": True},
    ]
    assert json.loads(run("on", "wiki", "--json")[1]) == {"name": "wiki", "off": False, "changed": True}
    assert "left out" not in run("list")[1]
    status, _, said = run("off", "none")
    assert status == 2 and "there is no pack none in the store" in said
