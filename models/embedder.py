"""Texts -> unit vectors whose dot product is their likeness in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.encoder import Encoder

MAX_TOKENS = 256
"""all-MiniLM-L6-v2 was tuned on up to 256 word pieces; what follows is cut."""


class Embedder:
    """Sentence embeddings by a GGUF encoder."""

    def __init__(self, path: Path, threads: int) -> None:
        """Load the encoder at `path`.

        Raises:
            ModelError: the file cannot be loaded.
        """
        self._encoder = Encoder(path, threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length 1, shape (texts, 384).

        Raises:
            ModelError: the model failed on a text.
        """
        vectors = np.zeros((len(texts), self._encoder.width), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            mean = self._encoder.pooled(self._encoder.tokenize(text, limit=MAX_TOKENS))
            row[:] = mean / np.linalg.norm(mean)
        return vectors
