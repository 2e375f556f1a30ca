"""Read a claim with a text: the text's stance, and its relevance to the claim.

One pass of one network in ONNX Runtime gives both. It is a cross-encoder with a stance head of three logits and, if it
was trained for it, a relevance head of one, on the mean of the token vectors. torch is not needed.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import ModelError
from models.lru_cache import LruCache
from models.writing import ended, written_as

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
"""The stance logits, in the reader's order; the relevance logit follows."""
NETWORK, TOKENIZER, CONFIG = "reader.onnx", "tokenizer.json", "reader.json"
REMEMBERED = 4_096
"""How many pairs keep their reading: relevance asks first, and stance asks for the same pair a moment later."""


@dataclass(frozen=True, slots=True)
class PairReading:
    """A pair's reading: stance logits in the order of `LABELS`, and the raw relevance logit."""

    stance: tuple[float, ...]
    relevance: float


class PairReader(ABC):
    """Shared base of all readers: cached pairs, stance probabilities, relevance on the common scale.

    Safe to share between threads. A subclass says how its network reads a pair. Each pair is read alone, on one thread,
    as many at once as there are threads. Dynamic quantisation takes its scale from everything read in one run, so in a
    batch a pair would read differently next to other pairs, by up to 0.3 of relevance. Reading alone costs no time on
    two cores.
    """

    def __init__(self, threads: int, temperature: float = 1.0, scale: float = 1.0, offset: float = 0.0) -> None:
        """Keep the numbers that were fitted on held-out data.

        Args:
            threads: pairs read at once.
            temperature: divides stance logits, so that probabilities are frequencies.
            scale: multiplies the raw relevance.
            offset: is then added, so that 0 is as likely relevant as not.
        """
        self.labels: tuple[str, ...] = LABELS
        self.temperature = temperature
        self._scale, self._offset = scale, offset
        self._known = LruCache[tuple[str, str], PairReading]()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="reader")

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[PairReading]:
        """Return the reading of every (claim, text), from the cache if it was read before.

        Raises:
            ModelError: the network failed.
        """
        pairs = [(written_as(claim, text), text) for claim, text in pairs]
        known = self._known.get_or_compute(pairs, self._run, REMEMBERED)
        return [known[pair] for pair in pairs]

    def prefetch(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Read (claim, text) pairs together, so that later requests for them hit the cache.

        Raises:
            ModelError: the network failed.
        """
        self.read(pairs)

    def logits(self, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        """Return stance logits of (claim, text) rows, before the temperature.

        Shape (rows, 3), in the order of `labels`.

        Raises:
            ModelError: the network failed.
        """
        readings = self.read([(claim, text) for claim, text in rows])
        return np.array([reading.stance for reading in readings], dtype=np.float32).reshape(len(rows), len(LABELS))

    def probabilities(self, *texts: str) -> dict[str, float]:
        """Return stance label -> probability for a claim and a text; they sum to 1.

        Raises:
            ModelError: the network failed.
        """
        claim, text = texts
        logits = self.logits([(claim, text)])[0].astype(np.float64) / self.temperature
        odds = np.exp(logits - logits.max())
        return dict(zip(self.labels, (odds / odds.sum()).tolist(), strict=True))

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return each text's relevance to the query on the common logit-like scale, shape (texts,).

        Raises:
            ModelError: the network failed.
        """
        raw = np.array(
            [reading.relevance for reading in self.read([(query, text) for text in texts])], dtype=np.float32
        )
        return raw * np.float32(self._scale) + np.float32(self._offset)

    def _run(self, pairs: Sequence[tuple[str, str]]) -> list[PairReading]:
        """Read every (claim, text) and return the readings in order.

        The longest are read first, so that no thread ends long after the others.
        """
        longest_first = sorted(pairs, key=lambda pair: -len(pair[1]))
        found = dict(zip(longest_first, self._pool.map(self._read_one, longest_first), strict=True))
        return [found[pair] for pair in pairs]

    @abstractmethod
    def _read_one(self, pair: tuple[str, str]) -> PairReading:
        """Read one (claim, text) on the calling thread.

        Raises:
            ModelError: the network failed.
        """


class Reader(PairReader):
    """The reader that ships, or one trained and exported the same way."""

    def __init__(
        self,
        folder: Path,
        threads: int,
        temperature: float = 1.0,
        scale: float = 1.0,
        offset: float = 0.0,
        read: Callable[[Path], bytes] | None = None,
    ) -> None:
        """Load the network, the tokenizer and the limits in `folder`.

        Args:
            folder: holds `reader.onnx`, `tokenizer.json` and `reader.json`.
            threads: see `PairReader`.
            temperature: see `PairReader`.
            scale: see `PairReader`.
            offset: see `PairReader`.
            read: reads the network; by default `models.signed_weights.fastest`.

        Raises:
            ModelError: a package or a file is missing, or a file is not as expected.
        """
        from models.signed_weights import fastest  # imported here because it loads onnx

        super().__init__(threads, temperature, scale, offset)
        self._session = load_session(folder / NETWORK, read or fastest)
        self._tokenizer = _tokenizer(folder)

    def _read_one(self, pair: tuple[str, str]) -> PairReading:
        claim, text = pair
        ids = np.array([self._tokenizer.encode(ended(claim), text).ids], dtype=np.int64)
        try:
            (logits,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        except Exception as exc:  # noqa: BLE001  # ONNX Runtime's own errors have no common base
            raise ModelError(f"the reader failed on {pair[1][:80]!r}: {' '.join(str(exc).split())[:200]}") from exc
        stance, rest = tuple(logits[0, : len(LABELS)].tolist()), logits[0, len(LABELS) :].tolist()
        return PairReading(stance, rest[0] if rest else relevance_of(stance))


def relevance_of(stance: Sequence[float]) -> float:
    """Derive relevance from stance logits in `LABELS` order: the log-odds of not being neutral."""
    supports, refutes, neither = stance
    return float(np.logaddexp(supports, refutes)) - neither


def load_session(path: Path, read: Callable[[Path], bytes] | None = None) -> InferenceSession:
    """Load a network in ONNX Runtime; each call runs on the calling thread.

    Args:
        path: the ONNX file.
        read: reads the file; by default ONNX Runtime does.

    Raises:
        ModelError: the package is missing, or the file is not as expected.
    """
    try:
        import onnxruntime
    except ImportError as exc:
        raise ModelError("onnxruntime is not installed; run: pip install -r requirements.txt") from exc
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.enable_mem_pattern = False  # pairs differ in length
    options.log_severity_level = 4
    try:
        network = read(path) if read else str(path)
        return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # noqa: BLE001  # the errors of ONNX Runtime and of onnx have no common base
        raise ModelError(f"ONNX Runtime cannot load {path}: {' '.join(str(exc).split())[:200]}") from exc


def _tokenizer(folder: Path) -> Tokenizer:
    """Load the tokenizer with the limit named in `CONFIG`."""
    try:
        limit = int(json.loads((folder / CONFIG).read_text(encoding="utf-8"))["max_tokens"])
    except (OSError, ValueError, TypeError, KeyError) as exc:
        raise ModelError(
            f"{folder} holds no readable tokenizer or {CONFIG}: {' '.join(str(exc).split())[:200]}"
        ) from exc
    return load_tokenizer(folder, limit)


def load_tokenizer(folder: Path, limit: int) -> Tokenizer:
    """Load the tokenizer in `folder`, limited to `limit` tokens for a pair.

    It cuts the longer text first.

    Raises:
        ModelError: the package or the file is missing, or the file cannot be read.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as exc:
        raise ModelError("tokenizers is not installed; run: pip install -r requirements.txt") from exc
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as exc:  # noqa: BLE001  # tokenizers raises bare Exception
        raise ModelError(
            f"{folder} holds no readable tokenizer or {CONFIG}: {' '.join(str(exc).split())[:200]}"
        ) from exc
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit, strategy="longest_first")
    tokenizer.encode_special_tokens = True  # text is data: "</s>" written in it is never a separator
    return tokenizer
