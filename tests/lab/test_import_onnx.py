"""A second stretch of training: weights read back from what ships, and the rows and the rate that it uses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from errors import ModelError
from lab.training.__main__ import main
from lab.training.export_reader import largest_activations, quantise, smoothed, with_frozen, write_onnx
from lab.training.import_onnx import load_start, read_state
from lab.training.network import Job
from lab.training.reader import recipe_of
from lab.training.reader_network import ReaderNetwork, read_pairs
from tests.models.tiny_reader import trained, write_tiny_mpnet

IDS = [[0, *range(100, 100 + length), 2] for length in (5, 9, 14)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_mpnet(tmp_path_factory.mktemp("encoder"))


def test_weights_are_read_back_from_eight_bits(encoder: Path, tmp_path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    network = trained(encoder)
    expected, full = read_pairs(network, IDS), tmp_path / "full.onnx"
    exported(network, tmp_path)
    quantize_dynamic(str(full), str(tmp_path / "signed.onnx"), per_channel=True, weight_type=QuantType.QInt8)
    for name in ("signed.onnx", "reader.onnx"):
        state = read_state(tmp_path / name)
        assert state.keys() == network.state_dict().keys(), name
        fresh = ReaderNetwork(encoder)
        fresh.load_state_dict(state)
        assert np.allclose(read_pairs(fresh, IDS), expected, atol=0.05), name
        for key, tensor in network.state_dict().items():
            assert (state[key] - tensor).norm() <= 0.02 * tensor.norm(), (name, key)


def exported(network: ReaderNetwork, folder: Path) -> onnx.ModelProto:
    full = folder / "full.onnx"
    write_onnx(network, full)
    onnx.save(smoothed(onnx.load(full), largest_activations(full, IDS)), folder / "smoothed.onnx")
    quantise(folder / "smoothed.onnx", folder / "reader.onnx")
    return onnx.load(folder / "reader.onnx")


def test_what_did_not_train_keeps_its_bytes(encoder: Path, tmp_path: Path) -> None:
    start = exported(trained(encoder), tmp_path)
    network = ReaderNetwork(encoder)
    load_start(network, tmp_path)
    with torch.no_grad():
        network.encoder.encoder.layer[1].intermediate.dense.weight.mul_(1.5)
    made = with_frozen(exported(network, tmp_path), start, 1)
    values, before = (
        {tensor.name: tensor.SerializeToString() for tensor in one.graph.initializer} for one in (made, start)
    )
    weight = {
        node.name.removesuffix("/MatMul_quant"): node.input[1]
        for node in made.graph.node
        if node.op_type == "MatMulInteger"
    }
    for layer, same in ((0, True), (1, False)):
        name = weight[f"/encoder/encoder/layer.{layer}/intermediate/dense"].replace("_quantized", "_scale")
        assert (values[name] == before[name]) is same, name
    kept = [name for name in values if "embeddings" in name or "attention_bias" in name or name == "smooth_0"]
    assert len(kept) > 6 and all(values[name] == before[name] for name in kept)
    onnx.save(made, tmp_path / "reader.onnx")
    fresh = ReaderNetwork(encoder)
    load_start(fresh, tmp_path)
    assert np.allclose(read_pairs(fresh, IDS), read_pairs(network, IDS), atol=0.1)


def test_a_run_starts_from_its_own_state_before_what_was_exported(encoder: Path, tmp_path: Path) -> None:
    network, other = trained(encoder), ReaderNetwork(encoder)
    (tmp_path / "reader.onnx").write_bytes(b"not looked at")
    torch.save(network.state_dict(), tmp_path / "model.pt")
    load_start(other, tmp_path)
    assert all(torch.equal(tensor, other.state_dict()[name]) for name, tensor in network.state_dict().items())
    torch.save({"dense.weight": torch.zeros(3, 3)}, tmp_path / "model.pt")
    with pytest.raises(ModelError, match="are of another network: Error"):
        load_start(other, tmp_path)
    with pytest.raises(ModelError, match=r"holds neither model\.pt nor reader\.onnx"):
        load_start(other, encoder)


def test_a_second_stretch_is_gentler_and_options_replace_its_recipe(tmp_path: Path) -> None:
    job = Job(tmp_path, tmp_path, tmp_path)
    first, second = recipe_of(job), recipe_of(replace(job, start=tmp_path))
    assert second.rate < first.rate and second.frozen_layers > first.frozen_layers
    asked = recipe_of(replace(job, start=tmp_path, rate=1e-6, batch=8, frozen=0))
    assert (asked.rate, asked.batch, asked.frozen_layers, asked.head_rate) == (1e-6, 8, 0, second.head_rate)


def test_options_that_cannot_be_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path / "out"))
    for arguments, message in (
        (("reader", "--share", "news", *out), "--share must be SOURCE=ROWS, such as news=4000, got 'news'"),
        (("reader", "--start", str(tmp_path / "none"), *out), "none is not a folder"),
        (
            ("embedder", "--rate", "0.1", *out),
            "--start, --rate, --batch, --frozen and --share are for the reader, not for embedder",
        ),
        (("reader", "--hours", "0", *out), "--hours must be above 0, got 0"),
        (("reader", "--batch", "0", *out), "--batch must be at least 1, got 0"),
        (("reader", "--rank", "-1", *out), "--rank must not be below 0, got -1"),
        (("reader", "--keep", "1.5", *out), "--keep must be above 0 and at most 1, got 1.5"),
        (("reader", "--rank", "8", *out), "--rank changes the reader.onnx of a folder; name it with --start"),
    ):
        assert main(arguments) == 2 and message in capsys.readouterr().err, arguments
    assert not (tmp_path / "out").exists()
