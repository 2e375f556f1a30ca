"""Write a trained reader twice: as a folder that sentence-transformers' CrossEncoder loads, and as ONNX in eight bits.

The ONNX graph takes `input_ids` and `attention_mask` of shape (rows, tokens) and gives `logits` of shape (rows, 4): three
stances and relevance. Only matrix products with constant weights, and the table of word vectors, are in eight bits.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from models.reader import CONFIG, NETWORK, TOKENIZER
from models.training.network import load_tokenizer
from models.training.reader_network import OUTPUTS, ReaderNetwork

MAX_TOKENS = 256
OPSET = 17


class _Graph(nn.Module):
    """The reader as the exporter needs it: tensors in, logits out."""

    def __init__(self, network: ReaderNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        tokens = self.network.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        weights = attention_mask.unsqueeze(-1).float()
        mean = (tokens * weights).sum(1) / weights.sum(1)
        logits: Tensor = self.network.output(torch.tanh(self.network.dense(mean)))
        return logits


def load_trained(encoder: Path, state: Path) -> ReaderNetwork:
    """The network with the weights in the file `state`."""
    network = ReaderNetwork(encoder)
    network.load_state_dict(torch.load(state, weights_only=True, map_location="cpu"))
    return network.eval()


def export_onnx(encoder: Path, state: Path, out: Path) -> None:
    """Write `reader.onnx` in eight bits, its tokenizer and its limits to the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        write_onnx(load_trained(encoder, state), full)
        quantise(full, out / NETWORK)
    shutil.copyfile(encoder / TOKENIZER, out / TOKENIZER)
    padding = int(load_tokenizer(encoder).pad_token_id)
    (out / CONFIG).write_text(json.dumps({"max_tokens": MAX_TOKENS, "padding": padding}) + "\n", encoding="utf-8")


def write_onnx(network: ReaderNetwork, path: Path) -> None:
    """The network in single precision; rows and tokens may vary."""
    ids = torch.tensor([[0, 10, 2, 2, 11, 2], [0, 10, 2, 2, 11, 2]])
    dims = {0: "rows", 1: "tokens"}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the tracing exporter is the one that writes this graph correctly, and is deprecated
        torch.onnx.export(
            _Graph(network.float().cpu()).eval(),
            (ids, torch.ones_like(ids)),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes={"input_ids": dims, "attention_mask": dims, "logits": {0: "rows"}},
            opset_version=OPSET,
            dynamo=False,
        )


def quantise(full: Path, path: Path) -> None:
    """Eight bits per channel for matrix products with constant weights and for the word vectors."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        str(full),
        str(path),
        per_channel=True,
        weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gather"],
        extra_options={"MatMulConstBOnly": True},
    )


def export_folder(encoder: Path, state: Path, out: Path) -> None:
    """The reader as a folder that `sentence_transformers.CrossEncoder` loads, in half precision."""
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    model = load_trained(encoder, state)
    hidden = model.dense.in_features
    with tempfile.TemporaryDirectory() as folder:
        model.encoder.save_pretrained(folder)
        load_tokenizer(encoder).save_pretrained(folder)
        options = {"model_max_length": MAX_TOKENS}
        body = Transformer(folder, transformer_task="feature-extraction", processor_kwargs=options)
    tanh = Dense(hidden, hidden, init_weight=model.dense.weight.data, init_bias=model.dense.bias.data)
    head = Dense(
        hidden,
        OUTPUTS,
        activation_function=None,
        init_weight=model.output.weight.data,
        init_bias=model.output.bias.data,
        module_output_name="scores",
    )
    cross = CrossEncoder(modules=[body, Pooling(hidden, pooling_mode="mean"), tanh, head], num_labels=OUTPUTS)
    body.half()
    cross.save_pretrained(str(out), create_model_card=False)
