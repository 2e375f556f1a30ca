from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from errors import ModelError
from models.catalogue import WEIGHTS, Role
from models.cross_encoder import CrossEncoder
from models.files import WEIGHTS_FOLDER
from verifier.gather import Models

FOLDER = WEIGHTS_FOLDER / WEIGHTS[Role.RELEVANCE].path
CLAIM = "Water boils at 50C"
TEXTS = [
    "The parliament of Norway has 169 members.",
    "Water boils at 100 degrees Celsius at sea level, and at a lower temperature on mountains.",
    "Glaciers are rivers of ice.",
]


def test_the_text_that_bears_on_the_claim_scores_highest(models: Models) -> None:
    scores = models.reranker.scores(CLAIM, TEXTS)
    assert scores.argmax() == 1
    assert scores[1] > 1 and scores[0] < 0.3 and scores[2] < 0.3


def test_a_score_does_not_depend_on_the_other_texts(models: Models) -> None:
    together = models.reranker.scores(CLAIM, TEXTS)
    alone = [float(models.reranker.scores(CLAIM, [text])[0]) for text in TEXTS]
    assert np.allclose(together, alone, atol=1e-3)


def test_scores_are_mapped_by_scale_and_offset() -> None:
    raw, mapped = CrossEncoder(FOLDER, 1), CrossEncoder(FOLDER, 1, 2.0, 0.5)
    assert np.allclose(raw.scores(CLAIM, TEXTS) * 2 + 0.5, mapped.scores(CLAIM, TEXTS), atol=1e-4)


def test_no_texts_no_scores(models: Models) -> None:
    assert models.reranker.scores(CLAIM, []).shape == (0,)


def test_a_folder_that_is_no_model_is_a_clear_error(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "relevance")
    (tmp_path / "relevance" / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="sentence-transformers cannot load"):
        CrossEncoder(tmp_path / "relevance", 1)
