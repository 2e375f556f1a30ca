from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from errors import ModelError
from models.catalogue import WEIGHTS, Weight
from models.files import WEIGHTS_FOLDER, checked_path


def largest(weight: Weight, folder: Path) -> Path:
    entry = max(weight.files, key=lambda file: file.size)
    return folder / weight.path / entry.name if weight.is_folder else folder / entry.name


def test_every_weight_is_whole_and_has_a_card() -> None:
    for weight in WEIGHTS.values():
        assert checked_path(weight) == WEIGHTS_FOLDER / weight.path
        card = (WEIGHTS_FOLDER / weight.card).read_text(encoding="utf-8")
        for heading in ("## Data", "## Recipe", "## Figures", "## Limits", "CC BY-SA 4.0"):
            assert heading in card, (weight.card, heading)


def test_all_weights_together_stay_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS_FOLDER.rglob("*") if path.is_file()) <= 212_000_000


def test_a_foreign_a_cut_and_a_missing_file_are_named_with_their_cure(tmp_path: Path) -> None:
    folder = shutil.copytree(WEIGHTS_FOLDER, tmp_path / "weights")
    for weight in WEIGHTS.values():
        path = largest(weight, folder)
        with path.open("r+b") as file:
            file.seek(100)
            file.write(b"other")
        with pytest.raises(ModelError, match=rf"{path.name} is not the one in the catalogue"):
            checked_path(weight, folder)
        os.truncate(path, 1_000)
        with pytest.raises(ModelError, match=rf"{path.name} is cut short \(1,000 of [\d,]+ bytes\); restore it"):
            checked_path(weight, folder)
        path.unlink()
        with pytest.raises(ModelError, match=rf"{path.name} is missing; restore it with: git checkout"):
            checked_path(weight, folder)
