"""A change of low rank: it trains alone, is merged into the weights that it changes, and reads the same from its adapter."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from errors import ModelError
from lab.training.export_reader import export_adapter, export_onnx
from lab.training.import_onnx import load_start, read_state
from lab.training.low_rank import LowRank, add_low_rank, heads_of, keep_share, merged_state
from lab.training.mixes import planned, shared_out
from lab.training.network import Job, encode, load_tokenizer
from lab.training.reader import recipe_of, train
from lab.training.reader_network import ReaderNetwork, read_pairs
from models.adapter import ADAPTER, adapters_of
from models.reader import NETWORK, Reader
from tests.models.tiny_reader import trained, write_tiny_mpnet

RANK = 6
PAIRS = [("It is red.", "It is blue."), ("A short claim.", "A text with quite a few more words than the claim has.")]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_mpnet(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def start(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader as it ships."""
    out = tmp_path_factory.mktemp("start")
    torch.save(trained(encoder).state_dict(), out / "state.pt")
    export_onnx(encoder, out / "state.pt", out)
    return out


def changed(encoder: Path, start: Path, first: int = 0, heads: float = 1.5) -> ReaderNetwork:
    """That reader with a change of every product from the layer `first` on that moves what it says."""
    network = ReaderNetwork(encoder)
    load_start(network, start)
    torch.manual_seed(2 + first)
    add_low_rank(network.encoder, RANK, first)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, LowRank):
                module.up.normal_(std=0.6)
        network.output.weight.mul_(heads)
    return network.eval()


def test_nothing_trains_but_the_change_and_the_heads(encoder: Path, start: Path) -> None:
    network, plain = ReaderNetwork(encoder), ReaderNetwork(encoder)
    for each in (network, plain):
        load_start(each, start)
    add_low_rank(network.encoder, RANK)
    training = {name.rpartition(".")[2] for name, each in network.encoder.named_parameters() if each.requires_grad}
    assert training == {"up", "down"}
    attention = network.encoder.encoder.layer[0].attention.attn
    assert attention.q.down is attention.k.down is attention.v.down and attention.q.down.shape[0] == RANK * 4 // 3
    ids = encode(load_tokenizer(encoder), PAIRS, 64)
    assert np.array_equal(read_pairs(network, ids), read_pairs(plain, ids))  # it starts at no change


def test_merged_weights_say_what_weights_and_change_say(encoder: Path, start: Path) -> None:
    network, plain = changed(encoder, start), ReaderNetwork(encoder)
    plain.load_state_dict(merged_state(network))
    ids = encode(load_tokenizer(encoder), PAIRS, 64)
    assert np.allclose(read_pairs(plain, ids), read_pairs(network, ids), atol=1e-4)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_share_of_what_was_learned_is_kept(share: float, encoder: Path, start: Path) -> None:
    before, after = ReaderNetwork(encoder), changed(encoder, start)
    load_start(before, start)
    learned, was = ({name: tensor.clone() for name, tensor in merged_state(each).items()} for each in (after, before))
    keep_share(after, share, heads_of(before))
    for name, tensor in merged_state(after).items():
        assert torch.allclose(tensor, torch.lerp(was[name].float(), learned[name].float(), share), atol=1e-5), name


def test_a_reader_with_its_adapter_says_what_was_trained(encoder: Path, start: Path, tmp_path: Path) -> None:
    network = changed(encoder, start)
    torch.save(merged_state(network), tmp_path / "model.pt")
    export_onnx(encoder, tmp_path / "model.pt", tmp_path / "merged")
    out = tmp_path / "out"
    export_adapter(network, tmp_path / "merged", start / NETWORK, out)
    assert (out / NETWORK).read_bytes() == (start / NETWORK).read_bytes()
    expected = read_pairs(network, encode(load_tokenizer(encoder), PAIRS, 64))
    before = Reader(start, 1).logits(PAIRS)
    found = [[*reading.stance, reading.relevance] for reading in Reader(out, 1).read(PAIRS)]
    assert np.abs(before - expected[:, :3]).max() > 0.5
    assert np.allclose(found, expected, atol=0.15)
    merged = merged_state(network)
    for name, tensor in read_state(out / NETWORK).items():  # what a later run starts from
        assert (tensor - merged[name]).norm() <= 0.02 * merged[name].norm() + 1e-6, name
    one = "encoder.encoder.layer.0.output.dense.weight"
    (out / ADAPTER).unlink()
    assert torch.equal(read_state(out / NETWORK)[one], read_state(start / NETWORK)[one])


def test_a_run_writes_what_its_change_says(encoder: Path, start: Path, tmp_path: Path) -> None:
    rows = [
        [f"The {thing} is {colour}.", f"It is {other}.", "S" if colour == other else "R", True, "facts"]
        for thing in ("tower", "river", "ship")
        for colour in ("red", "blue")
        for other in ("red", "blue")
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    job = Job(tmp_path, encoder, tmp_path, hours=3 / 3600, start=start, batch=6, rank=RANK)
    recipe = recipe_of(job)
    assert (recipe.rank, recipe.batch, recipe.frozen_layers) == (RANK, 6, 0) and recipe.rate > recipe_of(
        replace(job, rank=0)
    ).rate
    network, report = train(job, recipe)
    assert report["steps"] > 3 and report["by source"] == {"facts": 72}  # six times each
    plain = ReaderNetwork(encoder)
    load_start(plain, tmp_path)
    ids = encode(load_tokenizer(encoder), PAIRS, 64)
    assert np.allclose(read_pairs(plain, ids), read_pairs(network, ids), atol=1e-4)
    kept, before = network.state_dict(), read_state(start / NETWORK)
    fixed = "encoder.encoder.layer.0.output.dense"
    assert torch.equal(kept[f"{fixed}.fixed.weight"].cpu(), before[f"{fixed}.weight"])
    assert kept[f"{fixed}.up"].abs().max() > 0


def test_a_later_run_keeps_the_inner_head_and_a_share_of_its_change(
    encoder: Path, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows to be left open that START reads as support do not train; the next adapter leaves out the head that did not."""
    first = changed(encoder, start)
    torch.save(merged_state(first), tmp_path / "first.pt")
    export_onnx(encoder, tmp_path / "first.pt", tmp_path / "merged")
    export_adapter(first, tmp_path / "merged", start / NETWORK, tmp_path / "start")
    claims = [f"The {thing} is {colour}." for thing in ("tower", "river", "ship") for colour in ("red", "blue")]
    rows = [[claim, other, ["N"], False, "beside"] for claim in claims for other in claims if claim != other]
    rows += [[claim, claim, ["S"], True, "written"] for claim in claims]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr("lab.training.reader._SAID_ALREADY", 0.0)
    job = Job(tmp_path, encoder, tmp_path, hours=2 / 3600, start=tmp_path / "start", batch=6, rank=RANK, keep=0.5)
    network, report = train(job, recipe_of(job))
    assert report["by source"] == {"written": 5 * len(claims)}
    before = read_state(tmp_path / "start" / NETWORK)
    assert torch.allclose(network.dense.weight.cpu(), before["dense.weight"])
    assert not torch.equal(network.output.weight.cpu(), before["output.weight"])
    export_onnx(encoder, tmp_path / "model.pt", tmp_path / "later")
    out = tmp_path / "out"
    export_adapter(network, tmp_path / "later", start / NETWORK, out, adapters_of(tmp_path / "start" / NETWORK))
    *_, last = adapters_of(out / NETWORK)
    names = {name for name in load_file(last) if name.startswith("network.")}
    assert names and not any(name.startswith("network.dense") for name in names)


def test_an_adapter_that_is_damaged_or_of_another_network_is_one_clear_line(
    encoder: Path, start: Path, tmp_path: Path
) -> None:
    network = changed(encoder, start)
    torch.save(merged_state(network), tmp_path / "model.pt")
    export_onnx(encoder, tmp_path / "model.pt", tmp_path / "merged")
    export_adapter(network, tmp_path / "merged", start / NETWORK, tmp_path / "good")
    whole = (tmp_path / "good" / ADAPTER).read_bytes()
    other = Path(__file__).parents[2] / "models" / "weights" / "reader" / ADAPTER
    for number, content in enumerate((whole[: len(whole) // 2], b"", b"\x00" * 400, other.read_bytes())):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "good", folder)
        (folder / ADAPTER).write_bytes(content)
        with pytest.raises(ModelError, match="cannot load") as caught:
            Reader(folder, 1)
        assert "\n" not in str(caught.value)


def test_a_later_adapter_changes_what_the_first_one_made(encoder: Path, start: Path, tmp_path: Path) -> None:
    first = changed(encoder, start)
    torch.save(merged_state(first), tmp_path / "model.pt")
    export_onnx(encoder, tmp_path / "model.pt", tmp_path / "merged")
    export_adapter(first, tmp_path / "merged", start / NETWORK, tmp_path / "first")
    network = changed(encoder, tmp_path / "first", first=1, heads=-1.0)
    torch.save(merged_state(network), tmp_path / "later.pt")
    export_onnx(encoder, tmp_path / "later.pt", tmp_path / "later")
    out = tmp_path / "second"
    export_adapter(network, tmp_path / "later", start / NETWORK, out, adapters_of(tmp_path / "first" / NETWORK))
    assert [path.name for path in adapters_of(out / NETWORK)] == ["adapter.safetensors", "adapter_2.safetensors"]
    expected = read_pairs(network, encode(load_tokenizer(encoder), PAIRS, 64))
    found = [[*reading.stance, reading.relevance] for reading in Reader(out, 1).read(PAIRS)]
    assert np.abs(Reader(tmp_path / "first", 1).logits(PAIRS) - expected[:, :3]).max() > 0.5
    assert np.allclose(found, expected, atol=0.15)
    lower = "encoder.encoder.layer.0.output.dense.weight"
    ours, theirs = (read_state(folder / NETWORK)[lower] for folder in (out, tmp_path / "first"))
    assert torch.allclose(ours, theirs, atol=0.01)  # but for rounding, which goes by the smoothing of the last adapter


def test_a_plan_holds_each_source_as_often_as_it_is_told() -> None:
    sources = ["news"] * 10 + ["own"] * 4 + ["other"] * 3
    plan = planned(sources, {"news": 2.5, "own": 0.5}, seed=1)
    assert [sum(sources[place] == name for place in plan) for name in ("news", "own", "other")] == [25, 2, 3]
    assert all(plan.count(place) >= 2 for place in range(10))
    shared = shared_out(sources, {"news": 4, "own": 0}, seed=1)
    assert [sum(sources[place] == name for place in shared) for name in ("news", "own", "other")] == [4, 0, 3]
    assert len(set(shared)) == 7
