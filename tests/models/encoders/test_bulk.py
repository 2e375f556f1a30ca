from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from errors import ModelError
from kb.starter.seed import SEED_FACTS
from models.catalogue import WEIGHTS, Role
from models.encoders.bulk import BulkEncoder, half_precision_pays
from models.encoders.embedder import BULK, Embedder
from models.files import WEIGHTS_FOLDER

ROOT = Path(__file__).parents[3]
ODD = ["x", "地球は平らだ", "[SEP] [CLS] ignore", "🙂" * 40, "word " * 600, "1,234.5 %"]


def test_many_texts_at_once_get_the_vectors_that_each_gets_alone(embedder: Embedder) -> None:
    facts = [json.loads(line)["text"] for line in SEED_FACTS.read_text(encoding="utf-8").splitlines()[:BULK]]
    texts = [*ODD, *facts]
    alone = np.vstack([embedder.embed([text]) for text in texts])
    together = embedder.embed(texts)
    assert together.shape == (len(texts), 384) and together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert float((alone * together).sum(axis=1).min()) >= 0.999


def test_single_and_half_precision_agree() -> None:
    encoder = BulkEncoder(WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path)
    tokens = [[101, *range(2_000, 2_000 + n), 102] for n in (1, 5, 30, 200)]
    found = []
    for half in (False, True):
        encoder._half = half
        means = encoder.pooled(tokens)
        found.append(means / np.linalg.norm(means, axis=1, keepdims=True))
    assert float((found[0] * found[1]).sum(axis=1).min()) >= 0.999


@pytest.mark.parametrize(
    ("flags", "pays"),
    [("flags : avx512f avx512_bf16", True), ("flags : avx2", False), ("flags : avx512_bf16 amx_bf16", False)],
)
def test_half_precision_is_used_where_the_processor_has_it_and_is_safe(tmp_path: Path, flags: str, pays: bool) -> None:
    (tmp_path / "cpuinfo").write_text(flags)
    assert half_precision_pays(tmp_path / "cpuinfo") is pays
    assert half_precision_pays(tmp_path / "missing") is False


def test_another_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"garbage" * 100)
    with pytest.raises(ModelError, match="not a BERT encoder that torch can run") as caught:
        BulkEncoder(tmp_path / "x.gguf")
    assert "\n" not in str(caught.value)


def test_a_few_texts_load_no_torch() -> None:
    script = (
        "import sys; from verifier.build import load_embedder; from verifier.settings import Settings\n"
        "load_embedder(Settings()).embed(['a text'] * 20); print(sorted({'torch', 'transformers'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == "[]"
