"""(query, text) pairs -> relevance scores, by a cross-encoder of sentence-transformers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errors import ModelError

MAX_TOKENS = 192
BATCH = 8
"""Pairs read at once. They are read in order of length, and each batch is padded to its longest: on two cores, 20 texts of
which five are long take half the time that they take in one batch."""


class CrossEncoder:
    """A loaded cross-encoder. Safe to share between threads: calls take turns."""

    def __init__(self, path: Path, threads: int, scale: float = 1.0, offset: float = 0.0) -> None:
        """Load the model in the folder `path`.

        Args:
            path: folder with config.json, model.safetensors and the tokenizer.
            threads: CPU threads for torch, process-wide.
            scale: the raw score is multiplied by it, then
            offset: this is added, so that scores of every cross-encoder mean the same (see the catalogue).

        Raises:
            ModelError: the model cannot be loaded.
        """
        try:
            import torch
            from sentence_transformers import CrossEncoder as Model
            from transformers.utils import logging
        except ImportError as exc:
            raise ModelError("sentence-transformers is not installed; run: pip install -r requirements.txt") from exc
        torch.set_num_threads(threads)
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            self._model = Model(
                str(path),
                device="cpu",
                local_files_only=True,
                max_length=MAX_TOKENS,
                model_kwargs={"dtype": torch.float32},
            )
        except (OSError, ValueError, RuntimeError) as exc:
            raise ModelError(f"sentence-transformers cannot load {path}: {exc}") from exc
        self._identity = torch.nn.Identity()
        self._scale, self._offset = scale, offset
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Relevance of each text to the query on the common logit-like scale, shape (texts,)."""
        if not texts:
            return np.zeros(0, dtype=np.float32)
        with self._lock:
            raw = self._model.predict(
                [(query, text) for text in texts],
                batch_size=BATCH,
                activation_fn=self._identity,
                show_progress_bar=False,
            )
        return np.asarray(raw, dtype=np.float32) * self._scale + self._offset
