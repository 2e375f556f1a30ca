from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from errors import ModelError
from models.catalogue import WEIGHTS, Role, Weight
from models.files import WEIGHTS_FOLDER, checked_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the weights that may be damaged."""
    shutil.copytree(WEIGHTS_FOLDER, tmp_path / "weights")
    return tmp_path / "weights"


def largest(weight: Weight, folder: Path) -> Path:
    entry = max(weight.files, key=lambda file: file.size)
    return folder / weight.path / entry.name if weight.is_folder else folder / entry.name


@pytest.mark.parametrize("role", Role)
def test_every_weight_is_whole_and_has_a_card(role: Role) -> None:
    weight = WEIGHTS[role]
    assert checked_path(weight) == WEIGHTS_FOLDER / weight.path
    card = (WEIGHTS_FOLDER / weight.card).read_text(encoding="utf-8")
    for heading in ("## Data", "## Recipe", "## Figures", "## Limits", "CC BY-SA 4.0"):
        assert heading in card


def test_all_weights_together_stay_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS_FOLDER.rglob("*") if path.is_file()) <= 200_000_000


@pytest.mark.parametrize("role", Role)
def test_a_missing_file_is_named_with_its_cure(role: Role, folder: Path) -> None:
    path = largest(WEIGHTS[role], folder)
    path.unlink()
    with pytest.raises(ModelError, match=rf"{path.name} is missing; restore it with: git checkout"):
        checked_path(WEIGHTS[role], folder)


@pytest.mark.parametrize("role", Role)
def test_a_file_cut_short_is_named_with_its_cure(role: Role, folder: Path) -> None:
    path = largest(WEIGHTS[role], folder)
    os.truncate(path, 1_000)
    with pytest.raises(ModelError, match=rf"{path.name} is cut short \(1,000 of [\d,]+ bytes\); restore it"):
        checked_path(WEIGHTS[role], folder)


@pytest.mark.parametrize("role", Role)
def test_a_foreign_file_is_refused(role: Role, folder: Path) -> None:
    path = largest(WEIGHTS[role], folder)
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"other")
    with pytest.raises(ModelError, match=rf"{path.name} is not the one in the catalogue"):
        checked_path(WEIGHTS[role], folder)
