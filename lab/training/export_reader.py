"""Write a trained reader as a sentence-transformers CrossEncoder folder and as ONNX in eight bits.

The ONNX graph takes `input_ids` and `attention_mask` of shape (rows, tokens) and gives `logits` of shape (rows, 4): three
stances and relevance. Matrix products with constant weights and the word vectors are in eight bits, the heads are not.

The weights are unsigned. Processors without VNNI add products of signed and unsigned bytes in 16 bits, which overflow:
there, the labels of a network with signed weights agreed with single precision in 41% of pairs. Where signed weights
are faster and exact, loading converts to them (`models/signed_weights.py`).

A few channels of MPNet are up to 50 times as large as the others. So the activations are first divided by a factor for
each channel, and the weights multiplied by it (SmoothQuant, Xiao et al. 2022): agreement is 0.89 without it, 0.98 with
it.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from lab.training.low_rank import write_adapter
from lab.training.network import encode, load_tokenizer
from lab.training.reader_network import OUTPUTS, ReaderNetwork
from models.adapter import adapter_name
from models.pairs import news_pairs, reader_pairs
from models.reader import CONFIG, NETWORK, TOKENIZER

MAX_TOKENS = 256
OPSET = 17
ALPHA = 0.8
"""How far the spread of activations is moved into the weights.

Agreement with single precision was 0.78 at 0.5, and 0.97 at 0.85.
"""
_SMOOTHED = re.compile(r"layer\.\d+/(output/dense|intermediate|attention/(attn/[qkv]|self/(query|key|value))/)")
SMOOTHED_PRODUCTS = 3
"""Smoothed tensors per layer: what enters the attention, the wide product and the narrow one."""
_HEADS = ["/dense/Gemm", "/dense/Gemm_MatMul", "/output/Gemm", "/output/Gemm_MatMul"]
"""Two small products; in eight bits they alone move the relevance by 2.8."""
_TINY = 1e-3


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


def export_onnx(encoder: Path, state: Path, out: Path, start: Path | None = None, frozen: int = 0) -> None:
    """Write `reader.onnx` in eight bits, its tokenizer and its limits to the folder `out`.

    Args:
        encoder: folder of the encoder, with its tokenizer.
        state: the trained weights.
        out: gets the three files.
        start: the `reader.onnx` that training continued from.
        frozen: how many lower layers keep their bytes from `start`, since they did not train.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        write_onnx(load_trained(encoder, state), full)
        even = Path(folder) / "smoothed.onnx"
        onnx.save(smoothed(onnx.load(full), largest_activations(full, calibration_rows(encoder))), even)
        quantise(even, out / NETWORK)
    if start is not None:
        onnx.save(with_frozen(onnx.load(out / NETWORK), onnx.load(start), frozen), out / NETWORK)
    shutil.copyfile(encoder / TOKENIZER, out / TOKENIZER)
    (out / CONFIG).write_text(json.dumps({"max_tokens": MAX_TOKENS}) + "\n", encoding="utf-8")


def export_adapter(network: ReaderNetwork, merged: Path, start: Path, out: Path, before: Sequence[Path] = ()) -> None:
    """Write the starting network, and the change that it learned, to the folder `out`.

    Args:
        network: trained, with a change of low rank.
        merged: folder of the same network as `export_onnx` wrote it.
        start: the `reader.onnx` that training started from.
        out: gets that file, the adapters, tokenizer and limits.
        before: the adapters that were merged when training started; the change builds on them.
    """
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(start, out / NETWORK)
    for adapter in before:
        shutil.copyfile(adapter, out / adapter.name)
    write_adapter(network, merged / NETWORK, out / adapter_name(len(before) + 1), before)
    for name in (TOKENIZER, CONFIG):
        shutil.copyfile(merged / name, out / name)


def write_onnx(network: ReaderNetwork, path: Path) -> None:
    """The reader in single precision."""
    write_graph(_Graph(network.float().cpu()), path)


def write_graph(graph: nn.Module, path: Path) -> None:
    """A network of token ids and mask in single precision; rows and tokens may vary."""
    ids = torch.tensor([[0, 10, 2, 2, 11, 2], [0, 10, 2, 2, 11, 2]])
    dims = {0: "rows", 1: "tokens"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # only the deprecated tracing exporter writes this graph correctly
        torch.onnx.export(
            graph.eval(),
            (ids, torch.ones_like(ids)),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes={"input_ids": dims, "attention_mask": dims, "logits": {0: "rows"}},
            opset_version=OPSET,
            dynamo=False,
        )


def smoothed(graph: onnx.ModelProto, largest: Mapping[str, NDArray[np.float32]]) -> onnx.ModelProto:
    """The same network with activations and weights rescaled, so that both fit into eight bits.

    Args:
        graph: the network in single precision.
        largest: for each tensor that enters a product, the largest magnitude of each channel.
    """
    weights = {tensor.name: tensor for tensor in graph.graph.initializer}
    nodes: list[onnx.NodeProto] = []
    factors: dict[str, tuple[str, NDArray[np.float32]]] = {}
    for node in graph.graph.node:
        if _is_smoothed(node) and node.input[0] in largest:
            entering = node.input[0]
            if entering not in factors:
                sharing = [
                    numpy_helper.to_array(weights[other.input[1]])
                    for other in graph.graph.node
                    if _is_smoothed(other) and other.input[0] == entering
                ]
                factor = _factor(largest[entering], sharing)
                name = f"smooth_{len(factors)}"
                graph.graph.initializer.append(numpy_helper.from_array(1 / factor, name))
                nodes.append(helper.make_node("Mul", [entering, name], [f"{name}_out"], name=name))
                factors[entering] = (f"{name}_out", factor)
            node_input, factor = factors[entering]
            scaled = numpy_helper.to_array(weights[node.input[1]]) * factor[:, None]
            weights[node.input[1]].CopyFrom(numpy_helper.from_array(scaled, node.input[1]))
            node.input[0] = node_input
        nodes.append(node)
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    return graph


def _is_smoothed(node: onnx.NodeProto) -> bool:
    return node.op_type == "MatMul" and bool(_SMOOTHED.search(node.name))


def _factor(largest: NDArray[np.float32], weights: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """The factor of each channel, with a geometric mean of 1."""
    of_weights = np.max([np.abs(weight).max(1) for weight in weights], axis=0)
    factor = np.maximum(largest, _TINY) ** ALPHA / np.maximum(of_weights, _TINY) ** (1 - ALPHA)
    return np.asarray(factor / np.exp(np.log(factor).mean()), dtype=np.float32)


def largest_activations(full: Path, ids: Sequence[list[int]]) -> dict[str, NDArray[np.float32]]:
    """Return the largest magnitude of each channel over rows of token ids.

    There is one array for each tensor that enters a product.
    """
    import onnxruntime

    graph = onnx.load(full)
    names = sorted({node.input[0] for node in graph.graph.node if _is_smoothed(node)})
    graph.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    largest: dict[str, NDArray[np.float32]] = {}
    for row in ids:
        feed = {"input_ids": np.array([row]), "attention_mask": np.ones((1, len(row)), dtype=np.int64)}
        for name, values in zip(names, session.run(names, feed), strict=True):
            found = np.abs(values).max((0, 1))
            largest[name] = np.maximum(largest[name], found) if name in largest else found
    return largest


def calibration_rows(encoder: Path) -> list[list[int]]:
    """Token ids of written pairs, short ones and news, over which the activations are measured."""
    pairs = [*reader_pairs()[::90], *news_pairs()[::200]]
    return encode(load_tokenizer(encoder), [(pair.claim, pair.evidence) for pair in pairs], MAX_TOKENS)


def quantise(full: Path, path: Path) -> None:
    """Quantise matrix products with constant weights and the word vectors: unsigned eight bits per channel."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        str(full),
        str(path),
        per_channel=True,
        weight_type=QuantType.QUInt8,
        op_types_to_quantize=["MatMul", "Gather"],
        nodes_to_exclude=_HEADS,
        extra_options={"MatMulConstBOnly": True},
    )


def with_frozen(made: onnx.ModelProto, start: onnx.ModelProto, layers: int) -> onnx.ModelProto:
    """Copy the word vectors and the lower `layers` of `start` into `made`, unchanged.

    So weights that did not train are not rounded twice, and a repository with both files grows by the other layers
    alone.
    """
    kept = {tensor.name: tensor for tensor in start.graph.initializer}
    lower = re.compile(rf"/embeddings/|/relative_attention_bias/|/layer\.(?:{'|'.join(map(str, range(layers)))})/")
    factor = re.compile(r"smooth_(\d+)")
    frozen = set()
    for node in made.graph.node:
        smoothing = factor.fullmatch(node.name)
        if lower.search(node.name) or (smoothing and int(smoothing[1]) < layers * SMOOTHED_PRODUCTS):
            frozen |= {name for name in node.input if name in kept}
    for tensor in made.graph.initializer:
        if tensor.name in frozen:
            tensor.CopyFrom(kept[tensor.name])
    return made


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
