"""The kept copy of the merged network: read instead of merging again, and never where it is not what its name says."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from models.catalogue import WEIGHTS, Role
from models.files import checked_path
from models.merged import MergedCopy
from models.reader import NETWORK, Reader
from models.signed_weights import fastest

READER = checked_path(WEIGHTS[Role.READER]) / NETWORK
PAIR = ("The Rhine flows through Basel.", "Basel lies on the Rhine.")


Merging = Counter[Path]


def copies(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def whole() -> bytes:
    return fastest(READER)


@pytest.fixture
def merging(whole: bytes, monkeypatch: pytest.MonkeyPatch) -> Merging:
    """Counts how often the adapters are merged, which takes seconds and is done once here."""
    done: Merging = Counter()

    def merge(path: Path) -> bytes:
        done[path] += 1
        return whole

    monkeypatch.setattr("models.merged.fastest", merge)
    return done


def test_a_later_start_reads_the_copy(merging: Merging, whole: bytes, tmp_path: Path) -> None:
    assert [MergedCopy("a" * 64, tmp_path / "new")(READER) for _ in range(2)] == [whole] * 2
    (copy,) = copies(tmp_path / "new")
    assert merging[READER] == 1 and copy.read_bytes() == whole


@pytest.mark.parametrize("damage", [lambda whole: whole[:-1], lambda whole: b"", lambda whole: b"0" + whole[1:]])
def test_a_copy_that_is_not_what_its_name_says_is_made_again(
    merging: Merging, whole: bytes, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    MergedCopy("a" * 64, tmp_path)(READER)
    (copy,) = copies(tmp_path)
    copy.write_bytes(damage(whole))
    assert MergedCopy("a" * 64, tmp_path)(READER) == whole
    assert merging[READER] == 2 and copies(tmp_path) == [copy] and copy.read_bytes() == whole


def test_what_is_no_copy_stays_and_what_a_kill_left_goes(merging: Merging, tmp_path: Path) -> None:
    foreign, left, young = (tmp_path / name for name in ("reader.onnx", ".a.onnx.12-34.new", ".b.onnx.12-34.new"))
    for path in (foreign, left, young):
        path.write_bytes(b"something")
    os.utime(left, (0, 0))
    MergedCopy("a" * 64, tmp_path)(READER)
    assert foreign.exists() and young.exists() and not left.exists()


def test_the_copy_of_other_weights_makes_room(merging: Merging, tmp_path: Path) -> None:
    for checksum in ("a" * 64, "b" * 64):
        MergedCopy(checksum, tmp_path)(READER)
    (copy,) = copies(tmp_path)
    assert merging[READER] == 2 and copy.name.startswith("b")


def test_a_folder_that_cannot_be_written_costs_only_time(merging: Merging, whole: bytes, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert [MergedCopy("a" * 64, blocked / "merged")(READER) for _ in range(2)] == [whole] * 2
    assert merging[READER] == 2


def test_a_network_without_adapters_is_not_copied(tmp_path: Path) -> None:
    stance = checked_path(WEIGHTS[Role.STANCE]) / NETWORK
    assert MergedCopy("a" * 64, tmp_path)(stance) == fastest(stance)
    assert not copies(tmp_path)


def test_the_reader_from_a_copy_reads_as_before(tmp_path: Path) -> None:
    first, second = (Reader(READER.parent, 1, read=MergedCopy("a" * 64, tmp_path)).logits([PAIR]) for _ in range(2))
    assert np.array_equal(first, second) and len(copies(tmp_path)) == 1
