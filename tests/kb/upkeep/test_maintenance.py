from __future__ import annotations

from pathlib import Path
from threading import Timer

import pytest
from filelock import FileLock

from errors import InputError, StoreError
from kb.intake.formats.claim_sets import Dataset, Labelled
from kb.intake.journal import FOLDER, Journal
from kb.intake.labelled import LabelledClaims, stats
from kb.record import NewEvidence
from kb.upkeep.maintenance import optimize, reset
from tests.kb.tiny import CHECKSUM, embed, open_tiny


def test_compaction_gathers_files_and_loses_no_record(tmp_path: Path) -> None:
    store = open_tiny(tmp_path / "kb")
    for n in range(12):
        store.add([NewEvidence(f"Fact number {n} stands.")])
    done = optimize(store.uri)
    assert (done.records, done.files_after) == (12, 1) and done.files_before >= 12 and done.indexed == 12
    assert store.count() == 12 and len(store.search("number 7", embed(["x"])[0], 12)) == 12
    assert optimize(store.uri).files_before == 1


def test_compaction_waits_for_another_to_end_and_says_so_if_it_does_not(tmp_path: Path) -> None:
    store = open_tiny(tmp_path / "kb")
    store.add([NewEvidence("One fact.")])
    other = FileLock(Path(store.uri) / ".upkeep.lock", thread_local=False)
    other.acquire()
    with pytest.raises(StoreError, match=r"has been compacting the store at \S+ for 0\.1 s; try again"):
        optimize(store.uri, wait=0.1)
    Timer(0.5, other.release).start()
    assert optimize(store.uri).records == 1


def test_reset_needs_a_yes_and_leaves_labelled_claims(tmp_path: Path) -> None:
    store = open_tiny(tmp_path / "kb")
    store.add([NewEvidence("One fact."), NewEvidence("Another fact.")])
    LabelledClaims(store.uri, embed, CHECKSUM).add([Labelled("A claim.", "true", "", Dataset.CREAK)], "x")
    Journal(store.uri, ["a"]).note("k", "s", 1, False)
    with pytest.raises(InputError, match="add --yes"):
        reset(store.uri, confirmed=False)
    assert store.count() == 2
    assert reset(store.uri, confirmed=True) == 2
    assert not (Path(store.uri) / FOLDER).exists() and stats(store.uri) == {"creak": {"true": 1}}
    assert open_tiny(tmp_path / "kb").count() == 0


def test_a_damaged_store_can_be_deleted(tmp_path: Path) -> None:
    store = open_tiny(tmp_path / "kb")
    store.add([NewEvidence("One fact.")])
    for manifest in (tmp_path / "kb" / "evidence.lance" / "_versions").iterdir():
        manifest.write_bytes(b"broken")
    with pytest.raises(StoreError):
        optimize(store.uri)
    assert reset(store.uri, confirmed=True) is None
    assert open_tiny(tmp_path / "kb").count() == 0


def test_no_store_is_told_and_none_created(tmp_path: Path) -> None:
    uri = str(tmp_path / "nowhere")
    for command in (lambda: optimize(uri), lambda: reset(uri, confirmed=True)):
        with pytest.raises(StoreError, match="there is no evidence store"):
            command()
    assert not Path(uri).exists()
