"""Damaged files of a store: what is found, what is made again by itself, and what is said of the rest."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from errors import StoreError
from kb.store.evidence_store import EvidenceStore
from kb.upkeep.check import Finding, check_store
from kb.upkeep.maintenance import optimize
from tests.kb.stores import opened, spread, statements


@pytest.fixture
def filled(tmp_path: Path) -> EvidenceStore:
    store = opened(tmp_path / "kb")
    for start in range(0, 600, 200):
        store.add(statements(*range(start, start + 200)))
    store.optimize()
    store.close()
    return store


def files(store: EvidenceStore, part: str) -> list[Path]:
    return [path for path in (Path(store.uri) / "evidence.lance" / part).rglob("*") if path.is_file()]


def damaged(findings: list[Finding]) -> list[str]:
    return [finding.what for finding in findings if not finding.sound]


def test_a_whole_store_is_sound(filled: EvidenceStore) -> None:
    findings = check_store(filled.uri)
    assert damaged(findings) == [] and "600 of 600" in str(findings[0])


@pytest.mark.parametrize("seed", range(4))
def test_garbage_within_a_data_file_is_found(filled: EvidenceStore, seed: int) -> None:
    rng = random.Random(seed)
    path = max(files(filled, "data"), key=lambda file: file.stat().st_size)
    content = bytearray(path.read_bytes())
    at = rng.randrange(len(content) // 10, len(content) // 2)
    content[at : at + 4_000] = rng.randbytes(4_000)
    path.write_bytes(content)
    findings = check_store(filled.uri)
    assert damaged(findings), findings
    assert all(finding.mend for finding in findings if not finding.sound)


def test_a_missing_data_file_costs_its_rows_and_is_told(filled: EvidenceStore) -> None:
    for path in files(filled, "data"):
        path.unlink()
    (rows, *_) = check_store(filled.uri)
    assert not rows.sound and "0 of 600 can be read" in rows.found and "kb export" in rows.mend


@pytest.mark.parametrize("how", ["emptied", "garbage", "removed"])
@pytest.mark.parametrize("use", ["search", "optimise", "command"])
def test_a_damaged_index_is_made_again(filled: EvidenceStore, how: str, use: str) -> None:
    for path in files(filled, "_indices"):
        path.write_bytes({"emptied": b"", "garbage": b"garbage" * 100}.get(how, b""))
    if how == "removed":
        shutil.rmtree(Path(filled.uri) / "evidence.lance" / "_indices")
    assert damaged(check_store(filled.uri)) == ["index text_idx"]
    store = opened(filled.uri)
    uses: dict[str, Callable[[], object]] = {
        "search": lambda: store.search("statement number 5", spread(["x"])[0], 5),
        "optimise": store.optimize,
        "command": lambda: optimize(filled.uri),
    }
    uses[use]()
    assert damaged(check_store(filled.uri)) == []
    assert len(opened(filled.uri).search("statement number 5", spread(["x"])[0], 5)) == 5


def test_a_store_without_its_index_of_words_is_searched(filled: EvidenceStore) -> None:
    filled._table.drop_index("text_idx")
    assert damaged(check_store(filled.uri)) == ["index of words"]
    optimize(filled.uri)
    assert damaged(check_store(filled.uri)) == []


def test_no_store_and_one_that_cannot_be_opened_are_told_apart(tmp_path: Path, filled: EvidenceStore) -> None:
    with pytest.raises(StoreError, match="there is no evidence store"):
        check_store(str(tmp_path / "none"))
    for path in files(filled, "_versions"):
        path.write_bytes(b"")
    with pytest.raises(StoreError, match="nothing of it can be read here: restore a copy"):
        check_store(filled.uri)
