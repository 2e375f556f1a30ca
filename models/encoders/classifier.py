"""Classify texts or pairs of texts with a GGUF encoder: probabilities of the labels.

The head (a tanh layer and a linear layer on the mean token vector) is in the GGUF's header under `HEAD_KEY`, as base64
of a safetensors file, because llama.cpp itself applies heads only to the first token. Files with llama.cpp's own kind
of head work too.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from errors import ModelError
from models.encoders.encoder import Encoder

HEAD_KEY = "classifier.head"
LABELS_KEY = "classifier.labels"
_STANCES = {"entailment": "SUPPORTS", "contradiction": "REFUTES", "neutral": "NOT ENOUGH INFO"}
"""Names of the three stances in inference models."""


class EncoderClassifier:
    """Label probabilities from a GGUF encoder and its head."""

    def __init__(
        self, path: Path, threads: int, labels: Sequence[str], temperature: float = 1.0, max_tokens: int = 256
    ) -> None:
        """Load the model at `path`.

        Args:
            path: the GGUF file.
            threads: CPU threads per call.
            labels: the labels that the caller expects, in any order.
            temperature: divides the logits; fitted on held-out data so that probabilities are frequencies.
            max_tokens: longer inputs are cut.

        Raises:
            ModelError: the file cannot be loaded, has no head, or has other labels.
        """
        self._encoder = Encoder(path, threads)
        self.temperature, self._max_tokens = temperature, max_tokens
        self.labels = self._labels()
        if sorted(self.labels) != sorted(labels):
            raise ModelError(
                f"{path} has the labels {', '.join(self.labels) or 'none'}, not {', '.join(labels)}; it is another model"
            )
        if self._encoder.ranked:
            return
        try:
            head = load(base64.b64decode(self._encoder.header(HEAD_KEY)))
            self._dense, self._dense_bias = (head[f"dense.{part}"].astype(np.float32) for part in ("weight", "bias"))
            self._output, self._output_bias = (head[f"output.{part}"].astype(np.float32) for part in ("weight", "bias"))
        except (KeyError, ValueError, SafetensorError) as exc:
            raise ModelError(f"{path} has no readable classification head ({exc}); export it again") from exc

    def _labels(self) -> tuple[str, ...]:
        names = self._encoder.class_names() or tuple(self._encoder.header(LABELS_KEY).split("|"))
        return tuple(_STANCES.get(name.lower(), name) for name in names if name)

    def logits(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        """Score texts or pairs of texts, before the temperature.

        Shape (rows, labels), in the order of `labels`.

        Raises:
            ModelError: the model failed on a text.
        """
        found = np.array([self._logits(*texts) for texts in rows], dtype=np.float32)
        return found.reshape(len(rows), len(self.labels))

    def _logits(self, *texts: str) -> NDArray[np.float32]:
        """Score one text or pair: shape (labels,), in the order of `labels`.

        Raises:
            ModelError: the model failed on the text.
        """
        pooled = self._encoder.pooled(self._encoder.tokenize(*texts, limit=self._max_tokens))
        if self._encoder.ranked:
            return pooled
        hidden = np.tanh(self._dense @ pooled + self._dense_bias)
        scores: NDArray[np.float32] = self._output @ hidden + self._output_bias
        return scores

    def probabilities(self, *texts: str) -> dict[str, float]:
        """Return label -> probability for a text or pair of texts; they sum to 1.

        Raises:
            ModelError: the model failed on the text.
        """
        logits = self._logits(*texts) / self.temperature
        odds = np.exp(logits - logits.max())
        return dict(zip(self.labels, (odds / odds.sum()).tolist(), strict=True))
