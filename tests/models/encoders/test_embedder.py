from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

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


def test_a_text_is_read_once(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    pooled = embedder._encoder.pooled

    def counted(ids: Sequence[int]) -> NDArray[np.float32]:
        read.append(len(ids))
        return pooled(ids)

    monkeypatch.setattr(embedder._encoder, "pooled", counted)
    texts = ["A ferry to Orso.", "A bridge to Orso.", "A ferry to Orso."]
    first, again = embedder.embed(texts), embedder.embed(texts[:2])
    assert len(read) == 2 and (first[0] == first[2]).all()
    assert (first[:2] == again).all()
    again[0] = 0  # what is handed out is the caller's own
    assert (embedder.embed(texts[:1])[0] == first[0]).all()
    monkeypatch.setattr("models.encoders.embedder.REMEMBERED", 1)
    embedder.embed(["A third text of Orso."])
    embedder.embed(texts[:1])
    assert len(read) == 4
