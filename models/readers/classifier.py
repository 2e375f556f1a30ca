"""Use a hub classifier as a reader: three logits give stance and relevance.

The logits are the stance, and what is not neutral is relevant. ONNX weights run in ONNX Runtime, safetensors in torch,
which is imported only then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import ModelError
from models.reader import PairReader, PairReading, load_session, load_tokenizer, relevance_of
from models.readers.config import Wiring

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Forward = Callable[[dict[str, NDArray[np.int64]]], NDArray[np.float32]]
"""Token ids, mask and segments, each of shape (rows, tokens) -> logits of shape (rows, 3)."""
IDS, MASK, SEGMENTS = "input_ids", "attention_mask", "token_type_ids"


@dataclass(frozen=True, slots=True)
class Fit:
    """What was fitted for a classifier: which text comes first, temperature, relevance scale and offset."""

    text_first: bool = True
    temperature: float = 1.0
    scale: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Classifier:
    """A loaded classifier, and how many pairs it reads at once."""

    forward: Forward
    tokenizer: Tokenizer
    wiring: Wiring
    threads: int


class AddedReader(PairReader):
    """A classifier that reads as the bundled reader does. Safe to share between threads."""

    def __init__(self, classifier: Classifier, fit: Fit) -> None:
        super().__init__(classifier.threads, fit.temperature, fit.scale, fit.offset)
        self._classifier, self._text_first = classifier, fit.text_first

    def _read_one(self, pair: tuple[str, str]) -> PairReading:
        encoding = self._classifier.tokenizer.encode(*(reversed(pair) if self._text_first else pair))
        stance = self._logits(encoding.ids, encoding.type_ids)
        return PairReading(tuple(stance), relevance_of(stance))

    def _logits(self, ids: list[int], segments: list[int]) -> list[float]:
        """Return the three logits of one pair, in the order of `labels`."""
        wiring = self._classifier.wiring
        inputs = {IDS: np.array([ids], dtype=np.int64), MASK: np.ones((1, len(ids)), dtype=np.int64)}
        if wiring.segments:
            inputs[SEGMENTS] = np.array([segments], dtype=np.int64)
        try:
            logits = self._classifier.forward(inputs)
        except Exception as exc:  # noqa: BLE001  # torch and ONNX Runtime have no common base of errors
            raise ModelError(f"the reader failed on a pair of {len(ids)} tokens: {_short(exc)}") from exc
        if logits.shape != (1, 3) or not np.isfinite(logits).all():
            raise ModelError(
                f"the reader gave numbers of shape {logits.shape}, finite or not, for a pair, "
                "where (1, 3) finite ones are due; it is damaged or another kind of model"
            )
        return [float(logits[0, place]) for place in wiring.stances]


def load_classifier(folder: Path, network: str, wiring: Wiring, threads: int) -> Classifier:
    """Load the classifier in `folder`, which reads `threads` pairs at once.

    Args:
        folder: holds `config.json`, `tokenizer.json` and the weights.
        network: the name of the weights file; its ending says what runs it.
        wiring: what the configuration says.
        threads: pairs read at once, each on one CPU thread; in torch this holds for all models.

    Raises:
        ModelError: a package is missing, or a file is not as expected.
    """
    forward = _in_onnx(folder / network) if network.endswith(".onnx") else _in_torch(folder)
    return Classifier(forward, load_tokenizer(folder, wiring.max_tokens), wiring, threads)


def _in_onnx(path: Path) -> Forward:
    session = load_session(path)
    wanted = [entry.name for entry in session.get_inputs()]
    if not {IDS} <= set(wanted) <= {IDS, MASK, SEGMENTS}:
        raise ModelError(
            f"{path} wants the inputs {', '.join(wanted)}; a reader takes {IDS}, {MASK} and {SEGMENTS}; choose another"
        )

    def forward(inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        blank = np.zeros_like(inputs[IDS])
        found: NDArray[np.float32] = session.run(None, {name: inputs.get(name, blank) for name in wanted})[0]
        return found

    return forward


def _in_torch(folder: Path) -> Forward:
    try:
        import torch
        from transformers import AutoModelForSequenceClassification
    except ImportError as exc:
        raise ModelError("torch or transformers is not installed; run: pip install -r requirements.txt") from exc
    try:
        model, told = AutoModelForSequenceClassification.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except Exception as exc:  # noqa: BLE001  # transformers' and safetensors' errors have no common base
        raise ModelError(f"torch cannot load the weights in {folder}: {_short(exc)}") from exc
    lacking = sorted(map(str, [*told["missing_keys"], *told["mismatched_keys"]]))
    if lacking:
        raise ModelError(
            f"the weights in {folder} lack {lacking[0]} ({len(lacking)} in all); choose another repository"
        )
    model.eval()
    torch.set_num_threads(1)  # for each of the reader's own threads

    def forward(inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        with torch.inference_mode():
            logits = model(**{name: torch.from_numpy(values) for name, values in inputs.items()}).logits
        found: NDArray[np.float32] = logits.float().numpy()
        return found

    return forward


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
