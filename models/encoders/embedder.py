"""Turn texts into unit vectors whose dot product is their similarity in meaning."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.encoders.encoder import Encoder
from models.lru_cache import LruCache

if TYPE_CHECKING:
    from models.encoders.bulk import BulkEncoder

MAX_TOKENS = 256
"""all-MiniLM-L6-v2 was tuned on up to 256 word pieces; the rest is cut."""
BULK = 128
"""From this many texts on, read in batches, by a network that takes half a second to make."""
REMEMBERED = 4_096
"""How many texts keep their vector, 6 MB: a check asks for a text up to three times, and the next check asks again."""


class Embedder:
    """Sentence embeddings by a GGUF encoder. Safe to share between threads."""

    def __init__(self, path: Path, threads: int) -> None:
        """Load the encoder at `path`.

        Raises:
            ModelError: the file cannot be loaded.
        """
        self._encoder = Encoder(path, threads)
        self._path = path
        self._bulk: BulkEncoder | None = None
        self._loading = threading.Lock()
        self._known = LruCache[str, NDArray[np.float32]]()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of length 1, shape (texts, 384).

        A text's vector depends on the other texts only in its last digits. Among 128 texts or more, its cosine to the
        vector of the text alone is above 0.99 where eight-bit products are fast, above 0.999 elsewhere.

        Raises:
            ModelError: the model failed on a text.
        """
        if len(texts) >= BULK:  # an import, whose texts are not requested again
            return self._embedded(texts)
        known = self._known.get_or_compute(texts, self._embedded, REMEMBERED)
        return np.array([known[text] for text in texts], dtype=np.float32).reshape(len(texts), self._encoder.width)

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        tokens = [self._encoder.tokenize(text, limit=MAX_TOKENS) for text in texts]
        if len(texts) >= BULK:
            means = self._bulk_encoder().pooled(tokens)
        else:
            means = np.array([self._encoder.pooled(ids) for ids in tokens], dtype=np.float32)
        means = means.reshape(len(texts), self._encoder.width)
        vectors: NDArray[np.float32] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors

    def _bulk_encoder(self) -> BulkEncoder:
        with self._loading:
            if self._bulk is None:
                from models.encoders.bulk import BulkEncoder
                from models.llm.cores import usable_cores

                self._bulk = BulkEncoder(self._path, usable_cores())
            return self._bulk
