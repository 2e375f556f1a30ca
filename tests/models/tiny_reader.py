"""An encoder for readers that is small enough for a test."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from models.catalogue import WEIGHTS, Role
from models.files import WEIGHTS_FOLDER

if TYPE_CHECKING:
    from lab.training.reader_network import ReaderNetwork


def write_tiny_mpnet(folder: Path) -> Path:
    """An MPNet of two layers of 32 with random weights, and the real tokenizer, in `folder`."""
    import torch
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(0)
    sizes = MPNetConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
    MPNetModel(sizes, add_pooling_layer=False).save_pretrained(folder)
    shutil.copyfile(WEIGHTS_FOLDER / WEIGHTS[Role.READER].path / "tokenizer.json", folder / "tokenizer.json")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "MPNetTokenizerFast"}')
    return folder


def trained(encoder: Path) -> ReaderNetwork:
    """A reader on that encoder of which no two tensors are equal: the exporter would merge them."""
    import torch

    from lab.training.reader_network import ReaderNetwork

    torch.manual_seed(1)
    network = ReaderNetwork(encoder)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return network.eval()
