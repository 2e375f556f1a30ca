"""Load the encoder of a GGUF file in torch, as a network of transformers."""

from __future__ import annotations

from pathlib import Path

import torch
from gguf import GGUFReader
from transformers import BertConfig, BertModel

from models.encoders.bulk import tensors_of

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


def load_encoder(path: Path) -> BertModel:
    """The encoder of the GGUF file at `path`, in single precision.

    Raises:
        OSError, ValueError, KeyError, RuntimeError: the file cannot be read, or holds no BERT encoder.
    """
    reader = GGUFReader(str(path))
    network = BertModel(BertConfig(**_dimensions(reader)), add_pooling_layer=False)
    network.load_state_dict({_name_of(name): torch.from_numpy(values) for name, values in tensors_of(reader).items()})
    return network


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


def _name_of(tensor: str) -> str:
    """The name that transformers gives a tensor."""
    name, kind = tensor.rsplit(".", 1)
    if not name.startswith("blk."):
        return f"embeddings.{_EMBEDDINGS[name]}.{kind}"
    _, layer, part = name.split(".")
    return f"encoder.layer.{layer}.{_LAYER[part]}.{kind}"
