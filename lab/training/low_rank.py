"""Train a low-rank change of every encoder product, and write it as the reader's adapter.

This is LoRA (Hu et al. 2021). The weights themselves stay as they ship, so a repository grows by 18 MB instead of by
all weights. On one graphics card, 400 seconds of it were worth as much on held-out rows as training all weights, and
far more than training the upper half of the layers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

_SHARED = ("q", "k", "v")
"""Products that read the same vector and share its narrowing (`down`).

As they are three, its rank is higher.
"""
_SHARED_RANK = 4 / 3
_HEADS = ("dense", "output")
_TOP = 47
"""Largest whole number of a factor.

A repository then packs an adapter into four fifths, and 2% of the change is lost; 31 would lose too much.
"""
_LIFT = np.float32(1024)
"""Multiplies `up` and divides `down`, so that half precision suffices for the scales of `up`."""
_FACTOR = re.compile(r"smooth_\d+")

Arrays = dict[str, NDArray[np.generic]]


class LowRank(nn.Module):
    """A fixed linear layer with a trained change of its weights, `up @ down`.

    The change starts at zero.
    """

    def __init__(self, fixed: nn.Linear, down: nn.Parameter) -> None:
        super().__init__()
        self.fixed = fixed.requires_grad_(False)
        self.down = down
        self.up = nn.Parameter(torch.zeros(fixed.out_features, down.shape[0]))

    def forward(self, entering: Tensor) -> Tensor:
        """Map shape (..., in) to (..., out)."""
        whole: Tensor = self.fixed(entering)
        return whole + functional.linear(functional.linear(entering, self.down), self.up)

    def merged(self) -> Tensor:
        """The weights with the change, shape (out, in)."""
        return self.fixed.weight + self.up @ self.down


def add_low_rank(encoder: nn.Module, rank: int, first: int = 0) -> None:
    """Put a change of this rank on every product of the layers from `first` on.

    Nothing else in `encoder` trains.
    """
    encoder.requires_grad_(False)
    layers: nn.ModuleList = encoder.encoder.layer  # type: ignore[assignment,union-attr]
    for layer in layers[first:]:
        attention = layer.attention.attn  # type: ignore[union-attr]
        shared = _narrowing(attention.q, round(rank * _SHARED_RANK))  # type: ignore[union-attr,arg-type]
        for name in _SHARED:
            setattr(attention, name, LowRank(getattr(attention, name), shared))
        for owner, name in ((attention, "o"), (layer.intermediate, "dense"), (layer.output, "dense")):
            linear: nn.Linear = getattr(owner, name)
            setattr(owner, name, LowRank(linear, _narrowing(linear, rank)))


def _narrowing(linear: nn.Linear, rank: int) -> nn.Parameter:
    down = nn.Parameter(torch.empty(rank, linear.in_features))
    nn.init.kaiming_uniform_(down, a=math.sqrt(5))
    return down


def _changes(network: nn.Module) -> Iterator[tuple[str, LowRank]]:
    """(path such as `encoder.encoder.layer.0.attention.attn.q`, change) of all products."""
    return ((name, module) for name, module in network.named_modules() if isinstance(module, LowRank))


def merged_state(network: nn.Module) -> dict[str, Tensor]:
    """Return the network's state with the low-rank changes merged into the weights."""
    changed = dict(_changes(network))
    state = {}
    for name, tensor in network.state_dict().items():
        owner, _, last = name.rpartition(".")
        product = owner.removesuffix(".fixed")
        if last in ("up", "down") and owner in changed:
            continue
        whole = changed[product].merged() if product in changed and last == "weight" else tensor
        state[f"{product}.{last}" if product in changed else name] = whole.detach().cpu()
    return state


def heads_of(network: nn.Module) -> dict[str, Tensor]:
    """Copy the weights of the two heads, which train whole."""
    return {name: tensor.clone() for name, tensor in network.state_dict().items() if name.startswith(_HEADS)}


@torch.no_grad()
def keep_share(network: nn.Module, share: float, heads: dict[str, Tensor]) -> None:
    """Keep a share of what was learned, 0 to 1.

    In between, a network can be better at the old and the new (Wortsman et al. 2022).

    Args:
        network: trained, with changes of low rank.
        share: 0 for none of what it learned, 1 for all.
        heads: what `heads_of` gave before the training.
    """
    for _, change in _changes(network):
        change.up.mul_(share)
    for name, parameter in network.named_parameters():
        if name in heads:
            parameter.copy_(torch.lerp(heads[name], parameter, share))


def write_adapter(network: nn.Module, exported: Path, path: Path, before: Sequence[Path] = ()) -> None:
    """Write the changes, heads and smoothing of `network` as `models/adapter.py` reads them.

    Args:
        network: trained, with changes of low rank.
        exported: the same network, merged and exported in eight bits; its smoothing factors are taken.
        path: the file to write.
        before: the adapters that the change builds on; a head that they already hold is left out.
    """
    known = {name: values for adapter in before for name, values in load_file(adapter).items()}
    heads = tuple(f"network.{head}." for head in _HEADS)
    whole = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(exported).graph.initializer}
    tensors: Arrays = {
        name: values.astype(np.float16)
        for name, values in whole.items()
        if _FACTOR.fullmatch(name) or (name.startswith(heads) and not _same(values, known.get(name)))
    }
    for name, change in _changes(network):
        product = name.removeprefix("encoder.encoder.")
        owner, _, last = product.rpartition(".")
        down, up = (tensor.detach().float().cpu().numpy() for tensor in (change.down, change.up))
        size = np.abs(down).max(1)  # equally large rows, so that what is rounded in the columns of `up` is of one size
        _put(tensors, f"{owner if last in _SHARED else product}.down", down / size[:, None] / _LIFT)
        _put(tensors, f"{product}.up", up * size * _LIFT, np.float16)
    save_file(tensors, path)
    path.chmod(0o644)


def _same(values: NDArray[np.generic], known: NDArray[np.generic] | None) -> bool:
    return known is not None and np.array_equal(values, known.astype(values.dtype))


def _put(tensors: Arrays, name: str, values: NDArray[np.float32], scale_type: type[np.floating] = np.float32) -> None:
    """Store whole numbers up to `_TOP`, and a scale for each row."""
    scale = np.maximum(np.abs(values).max(1) / _TOP, np.finfo(scale_type).tiny).astype(scale_type)
    tensors[name] = np.clip(np.rint(values / scale[:, None].astype(np.float32)), -_TOP, _TOP).astype(np.int8)
    tensors[f"{name}_scale"] = scale
