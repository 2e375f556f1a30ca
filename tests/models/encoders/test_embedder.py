from __future__ import annotations

import numpy as np
import pytest

from models.encoders.embedder import Embedder

# Cosines of the same weights in full precision, in torch.
REFERENCE = {
    ("A man is eating food.", "A man is eating a piece of bread."): 0.748,
    ("The Earth is flat", "Earth is a nearly round ball, slightly flattened at the poles."): 0.693,
    ("Water boils at 100 degrees Celsius.", "The parliament voted on the budget."): -0.078,
}


def test_vectors_have_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed(["A fact.", "x" * 5_000, "🎉", "地球は丸い"])
    assert vectors.shape == (4, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(("pair", "cosine"), REFERENCE.items(), ids=["near", "related", "far"])
def test_likeness_is_that_of_the_model_in_full_precision(
    embedder: Embedder, pair: tuple[str, str], cosine: float
) -> None:
    a, b = embedder.embed(list(pair))
    assert float(a @ b) == pytest.approx(cosine, abs=0.02)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, 384)
