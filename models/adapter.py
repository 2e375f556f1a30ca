"""Merge later low-rank training into a reader's eight-bit weights at load time.

A second training of all layers would add 90 MB to the repository's history for good. What it learned fits into 16 MB as
a low-rank change of each matrix (LoRA, Hu et al. 2021). So `reader.onnx` stays as it is, and `adapter.safetensors` next
to it holds the change. The merged network is as fast as without. Later training goes into `adapter_2.safetensors` and
so on; each one changes the result of those before it.

An adapter's tensors, by name:

- `layer.N.PRODUCT.up` (out, rank) and `layer.N.PRODUCT.down` (rank, in): each in eight bits, with a scale for every row
  (`up_scale`, `down_scale`). `up @ down` is added to the weights of that product. Products with the same input (query,
  key, value) may share a `down`, named after the module that holds them. A product without these stays as it is.
- The name of a tensor of the network: it replaces that tensor, whatever its precision. The heads come this way, in
  half precision, and so do the factors that multiply activations before rounding (`smooth_K`; see
  `lab/training/export_reader.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, takewhile
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors.numpy import load_file

ADAPTER = "adapter.safetensors"
_PRODUCT = re.compile(r"^/(?:network/)?encoder/encoder/(layer\.\d+/.+)/MatMul_quant$")
_PARTS = ("quantized", "zero_point", "scale")
_SMOOTHED = re.compile(r"(smooth_\d+)_out_quantized")
_STEPS = 255
_THREADS = 2

Array = NDArray[np.float32]
Tensors = Mapping[str, NDArray[np.generic]]


def adapted(path: Path) -> onnx.ModelProto:
    """Read the network at `path` and merge any adapters in the same folder.

    Raises:
        OSError: a file cannot be read.
        DecodeError: the network is not an ONNX file (an error of google.protobuf).
        SafetensorError, KeyError, ValueError: an adapter is damaged, or belongs to another network.
    """
    network = onnx.load(path)
    adapters = adapters_of(path)
    if adapters:
        merge(network, [load_file(each) for each in adapters])
    return network


def adapters_of(path: Path) -> list[Path]:
    """Return the adapters of the network at `path`, in training order."""
    return list(takewhile(Path.exists, (path.with_name(adapter_name(number)) for number in count(1))))


def adapter_name(number: int) -> str:
    """Return the name of the first adapter (1) or of a later one."""
    return ADAPTER if number == 1 else ADAPTER.replace(".", f"_{number}.", 1)


def merge(network: onnx.ModelProto, adapters: Sequence[Tensors]) -> None:
    """Merge `adapters` into `network` in place.

    Their changes are added to the eight-bit products; their whole tensors replace others.

    Raises:
        KeyError, ValueError: an adapter belongs to another network.
    """
    tensors = {tensor.name: tensor for tensor in network.graph.initializer}
    arrays = {name: numpy_helper.to_array(tensor) for name, tensor in tensors.items()}
    products = {_name_of(node): node for node in network.graph.node if _PRODUCT.match(node.name)}
    unknown = {name.removesuffix(".up") for each in adapters for name in each if name.endswith(".up")} - products.keys()
    if unknown:
        raise KeyError(f"the network has no product {min(unknown)}")
    whole = {name: tensor for each in adapters for name, tensor in each.items()}  # the last one wins
    with ThreadPoolExecutor(_THREADS) as pool:
        changed = pool.map(lambda name: _merged(products[name], name, arrays, adapters, whole), products)
        merged = [tensor for found in changed for tensor in found]
    replaced = tensors.keys() & whole.keys()
    merged += [numpy_helper.from_array(whole[name].astype(arrays[name].dtype), name) for name in replaced]
    for tensor in merged:
        tensors[tensor.name].CopyFrom(tensor)


def _name_of(node: onnx.NodeProto) -> str:
    return _PRODUCT.sub(r"\1", node.name).replace("/", ".")


def _merged(
    node: onnx.NodeProto, name: str, arrays: Tensors, adapters: Sequence[Tensors], replaced: Tensors
) -> list[onnx.TensorProto]:
    """Return the changed weights, zero points and scales of one product."""
    entering, weight = node.input[0], node.input[1].removesuffix("_quantized")
    whole = in_single_precision(arrays, weight)
    factor: Array | np.float32 = np.float32(1)
    smooth = smoothing_of(entering)
    if smooth:  # the rows carry the old factor and need the new one
        factor = np.float32(1) / replaced[smooth].astype(np.float32)[:, None]
        whole *= arrays[smooth].astype(np.float32)[:, None] * factor
    for adapter in adapters:
        if f"{name}.up" in adapter:
            down, up = _factors(adapter, name)
            whole += (down * factor) @ up
    return [numpy_helper.from_array(part, f"{weight}_{of}") for part, of in zip(_rounded(whole), _PARTS, strict=True)]


def in_single_precision(arrays: Tensors, name: str) -> Array:
    """Convert the eight-bit weights `name` back into numbers.

    The zero point and the scale are per column, or one for all.
    """
    quantised, zero, scale = (arrays[f"{name}_{part}"].astype(np.float32) for part in _PARTS)
    whole: Array = (quantised - zero) * scale
    return whole


def smoothing_of(entering: str) -> str | None:
    """Name the smoothing tensor that multiplied a product's input `entering`; None if there is none."""
    smoothed = _SMOOTHED.fullmatch(entering)
    return smoothed[1] if smoothed else None


def _factors(adapter: Tensors, name: str) -> tuple[Array, Array]:
    """Return the change of a product's weights as factors: (in, rank) and (rank, out)."""
    shared = f"{name.rpartition('.')[0]}.down"
    down = f"{name}.down" if f"{name}.down" in adapter else shared
    return _scaled(adapter, down).T, _scaled(adapter, f"{name}.up").T


def _scaled(adapter: Tensors, name: str) -> Array:
    return adapter[name].astype(np.float32) * adapter[f"{name}_scale"].astype(np.float32)[:, None]


def _rounded(whole: Array) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Array]:
    """Round to eight bits as ONNX Runtime's quantiser does; return values, zero points, scales.

    Each column has its own range, which includes 0.
    """
    lowest, highest = np.minimum(whole.min(0), 0), np.maximum(whole.max(0), 0)
    scale = ((highest - lowest) / np.float32(_STEPS)).astype(np.float32)
    scale[scale == 0] = 1
    zero = np.rint(-lowest / scale)
    whole /= scale
    np.rint(whole, out=whole)
    whole += zero
    return np.clip(whole, 0, _STEPS, out=whole).astype(np.uint8), zero.astype(np.uint8), scale
