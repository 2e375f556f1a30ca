"""Write a trained relevance model as a folder that sentence-transformers' CrossEncoder loads.

The encoder is stored in half precision. The tokenizer is told to make no token types, since training used none.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import torch
from sentence_transformers import CrossEncoder
from sentence_transformers.base.modules import Dense, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from models.training.network import MeanPooledClassifier, load_tokenizer

_NEEDLESS = ("vocab.txt", "README.md", "special_tokens_map.json")


def export(encoder: Path, state: Path, out: Path, max_tokens: int) -> None:
    """Put encoder, mean pooling, tanh layer and output layer together, and save them to `out`."""
    model = MeanPooledClassifier(encoder, ("relevance",))
    model.load_state_dict(torch.load(state, weights_only=True))
    hidden = model.dense.in_features
    with tempfile.TemporaryDirectory() as folder:
        model.encoder.save_pretrained(folder)
        load_tokenizer(encoder).save_pretrained(folder)
        body = Transformer(
            folder, transformer_task="feature-extraction", processor_kwargs={"model_max_length": max_tokens}
        )
    tanh = Dense(hidden, hidden, init_weight=model.dense.weight.data, init_bias=model.dense.bias.data)
    head = Dense(
        hidden,
        1,
        activation_function=None,
        init_weight=model.output.weight.data,
        init_bias=model.output.bias.data,
        module_output_name="scores",
    )
    cross = CrossEncoder(modules=[body, Pooling(hidden, pooling_mode="mean"), tanh, head], num_labels=1)
    body.half()
    cross.save_pretrained(str(out), create_model_card=False)
    for name in _NEEDLESS:
        (out / name).unlink(missing_ok=True)
    config = out / "tokenizer_config.json"
    values = json.loads(config.read_text(encoding="utf-8"))
    values["model_input_names"] = ["input_ids", "attention_mask"]
    config.write_text(json.dumps(values, indent=1), encoding="utf-8")
