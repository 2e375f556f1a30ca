"""Read the weights of an ONNX reader back into torch, so that training can continue.

Undoes what `export_reader` does: eight bits become `(q - zero point) x scale` again, per channel, and the factors that
smoothing moved into the weights are divided out. What rounding lost stays lost: labels agree in 98% of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor

from errors import ModelError
from lab.training.reader_network import ReaderNetwork
from models.adapter import adapted, in_single_precision, smoothing_of
from models.reader import NETWORK

STATE = "model.pt"
_QUANTISED = "_quantized"
_PRODUCT = re.compile(r"^/(?:network/)?(.+?)/(?:Gemm_)?MatMul(?:_\d+)?_quant$")

Arrays = Mapping[str, NDArray[np.generic]]


def load_start(network: ReaderNetwork, folder: Path) -> None:
    """Load the weights in `folder` into `network`.

    They come from `model.pt` of a run, or else from `reader.onnx` with its adapters, as it ships.

    Args:
        network: gets the weights.
        folder: holds the weights.

    Raises:
        ModelError: neither is there, or the weights are those of another network.
    """
    if (folder / STATE).exists():
        state = torch.load(folder / STATE, weights_only=True, map_location="cpu")
    elif (folder / NETWORK).exists():
        state = read_state(folder / NETWORK)
    else:
        raise ModelError(f"{folder} holds neither {STATE} nor {NETWORK}")
    try:
        network.load_state_dict(state)
    except RuntimeError as exc:
        raise ModelError(f"the weights in {folder} are of another network: {' '.join(str(exc).split())[:200]}") from exc


def read_state(path: Path) -> dict[str, Tensor]:
    """Read the weights of the ONNX file at `path`, with its adapters, in single precision.

    The names are those of `ReaderNetwork`.
    """
    graph = adapted(path).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    found = {_own_name(name): _whole(arrays, name) for name in arrays if name.startswith("network.")}
    for node in graph.node:
        product = _PRODUCT.match(node.name)
        if node.op_type == "MatMulInteger" and product:
            weight = _whole(arrays, node.input[1])
            smoothing = smoothing_of(node.input[0])
            if smoothing:  # its rows are the input channels, each multiplied by 1 / smooth
                weight = weight * arrays[smoothing].astype(np.float32)[:, None]
            found[f"{product[1].replace('/', '.')}.weight"] = weight.T
    return {
        name: torch.from_numpy(np.array(values, dtype=np.float32))
        for name, values in found.items()
        if not name.endswith(("_scale", "_zero_point"))
    }


def _own_name(name: str) -> str:
    return name.removeprefix("network.").removesuffix(_QUANTISED).removesuffix("_Transposed")


def _whole(arrays: Arrays, name: str) -> NDArray[np.float32]:
    """Return an initializer as the network has it, in single precision: scaled, heads transposed back."""
    if name.endswith(_QUANTISED):
        return in_single_precision(arrays, name.removesuffix(_QUANTISED))
    values = arrays[name].astype(np.float32)
    return values.T if name.endswith("_Transposed") else values
