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
from models.encoders.bulk import BulkEncoder
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
    assert float((alone * together).sum(axis=1).min()) >= 0.99


@pytest.mark.parametrize(("eight_bits", "least"), [(True, 0.99), (False, 0.999)])
def test_products_of_either_precision_give_the_vectors_of_the_other_runtime(
    embedder: Embedder, eight_bits: bool, least: float
) -> None:
    encoder = BulkEncoder(WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path, 2, eight_bits)
    facts = [json.loads(line)["text"] for line in SEED_FACTS.read_text(encoding="utf-8").splitlines()[:40]]
    texts = [*ODD, *facts]
    means = encoder.pooled([embedder._encoder.tokenize(text, limit=256) for text in texts])
    found = means / np.linalg.norm(means, axis=1, keepdims=True)
    alone = np.vstack([embedder.embed([text]) for text in texts])
    assert float((found * alone).sum(axis=1).min()) >= least


def test_what_is_near_stays_near_in_eight_bits(embedder: Embedder) -> None:
    facts = [json.loads(line)["text"] for line in SEED_FACTS.read_text(encoding="utf-8").splitlines()[:300]]
    asked = embedder.embed([f"Is it right that {fact[0].lower()}{fact[1:]}" for fact in facts[:20]])
    path = WEIGHTS_FOLDER / WEIGHTS[Role.EMBEDDER].path
    tokens = [embedder._encoder.tokenize(text, limit=256) for text in facts]
    nearest = []
    for eight_bits in (False, True):
        means = BulkEncoder(path, 1, eight_bits).pooled(tokens)
        likeness = asked @ (means / np.linalg.norm(means, axis=1, keepdims=True)).T
        nearest.append(np.argsort(-likeness, axis=1)[:, :20])
    kept = [len(set(one) & set(other)) / 20 for one, other in zip(*nearest, strict=True)]
    assert np.mean(kept) >= 0.95


def test_another_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"garbage" * 100)
    with pytest.raises(ModelError, match="not a BERT encoder that can be read in batches") as caught:
        BulkEncoder(tmp_path / "x.gguf", 1)
    assert "\n" not in str(caught.value)


def test_embedding_loads_no_torch() -> None:
    script = (
        "import sys; from verifier.build import load_embedder; from verifier.settings import Settings\n"
        "load_embedder(Settings()).embed([f'text {n}' for n in range(200)]); print(sorted({'torch', 'transformers'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == "[]"
