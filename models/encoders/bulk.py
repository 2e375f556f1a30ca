"""Run the encoder of a GGUF file in torch, for many texts at once.

llama.cpp reads one text per call, which suits a claim. To fill a store, torch reads batches of texts of like length, with
the same weights (made whole again from 8 bits) and the same tokens, three times as fast. Both runtimes round, so their
vectors are not equal to the last bit: their cosine is above 0.9997.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import ModelError

if TYPE_CHECKING:
    from gguf import GGUFReader

_BATCH = 32
_CPU_FLAGS = Path("/proc/cpuinfo")
_EMBEDDINGS = {
    "token_embd": "word_embeddings",
    "position_embd": "position_embeddings",
    "token_types": "token_type_embeddings",
    "token_embd_norm": "LayerNorm",
}
_LAYER = {
    "attn_q": "attention.self.query",
    "attn_k": "attention.self.key",
    "attn_v": "attention.self.value",
    "attn_output": "attention.output.dense",
    "attn_output_norm": "attention.output.LayerNorm",
    "ffn_up": "intermediate.dense",
    "ffn_down": "output.dense",
    "layer_output_norm": "output.LayerNorm",
}


class BulkEncoder:
    """A BERT encoder in torch. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Read the GGUF file at `path`.

        Raises:
            ModelError: torch is missing, or the file holds no BERT encoder.
        """
        try:
            import torch
            from gguf import GGUFReader
            from transformers import BertConfig, BertModel
        except ImportError as exc:
            raise ModelError(f"{exc.name} is not installed; run: pip install -r requirements.txt") from exc
        try:
            reader = GGUFReader(str(path))
            config = BertConfig(**_dimensions(reader))
            self.network = BertModel(config, add_pooling_layer=False)
            weights = {name: torch.from_numpy(values) for name, values in _weights(reader).items()}
            self.network.load_state_dict(weights)
        except (OSError, ValueError, KeyError, RuntimeError) as exc:
            raise ModelError(
                f"{path}: not a BERT encoder that torch can run ({' '.join(str(exc).split())[:200]})"
            ) from exc
        self.network.eval()
        self._half = half_precision_pays(_CPU_FLAGS)

    def pooled(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean of the token vectors of each text of token ids; shape (texts, width), not normalised.

        Each worker reads batches of its own with one thread of torch: two threads that share a batch wait for each
        other at every layer, which takes three times as long as soon as the machine has other work.
        """
        import torch

        found = np.zeros((len(texts), self.network.config.hidden_size), dtype=np.float32)
        order = np.argsort([len(tokens) for tokens in texts], kind="stable")
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]

        def read(rows: NDArray[np.int64]) -> None:
            found[rows] = self._read([texts[row] for row in rows])

        workers = torch.get_num_threads()
        try:
            with ThreadPoolExecutor(workers, initializer=lambda: torch.set_num_threads(1)) as pool:
                list(pool.map(read, reversed(batches)))
        finally:
            torch.set_num_threads(workers)  # the workers' setting is also that of threads to come
        return found

    def _read(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The means of one batch, padded to its longest text."""
        import torch

        longest = max(map(len, texts))
        ids, mask = torch.zeros((len(texts), longest), dtype=torch.long), torch.zeros((len(texts), longest))
        for row, tokens in enumerate(texts):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            states = self.network(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        means: NDArray[np.float32] = ((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
        return means


def half_precision_pays(flags: Path) -> bool:
    """Whether this processor multiplies 16-bit numbers by itself; elsewhere that is slower than 32 bits.

    One with AMX is left out: there are virtual machines that announce it and kill the process at its first instruction.

    Args:
        flags: the file in which the system lists what its processors can do; without it, the answer is no.
    """
    try:
        known = flags.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "avx512_bf16" in known and "amx_bf16" not in known


def _dimensions(reader: GGUFReader) -> dict[str, int | float]:
    """The sizes in the file's header, by the names that transformers gives them."""

    def value(key: str) -> int | float:
        found: int | float = reader.fields[f"bert.{key}"].contents()
        return found

    return {
        "vocab_size": int(next(tensor.shape[1] for tensor in reader.tensors if tensor.name == "token_embd.weight")),
        "hidden_size": value("embedding_length"),
        "num_hidden_layers": value("block_count"),
        "num_attention_heads": value("attention.head_count"),
        "intermediate_size": value("feed_forward_length"),
        "max_position_embeddings": value("context_length"),
        "layer_norm_eps": value("attention.layer_norm_epsilon"),
    }


def _weights(reader: GGUFReader) -> dict[str, NDArray[np.float32]]:
    """All tensors in single precision, by the names that transformers gives them."""
    from gguf import dequantize

    found = {}
    for tensor in reader.tensors:
        name, kind = tensor.name.rsplit(".", 1)
        if name.startswith("blk."):
            _, layer, part = name.split(".")
            ours = f"encoder.layer.{layer}.{_LAYER[part]}.{kind}"
        else:
            ours = f"embeddings.{_EMBEDDINGS[name]}.{kind}"
        values = dequantize(tensor.data, tensor.tensor_type)
        found[ours] = np.array(values.reshape(tuple(reversed(tensor.shape.tolist()))), dtype=np.float32)
    return found
