"""The reader, trained, exported and run for real: on an MPNet small enough for a test, and with the weights that ship."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from errors import ModelError
from lab.training import reader_network
from lab.training.export_reader import export_folder, export_onnx, write_onnx
from lab.training.network import encode, label_loss, load_tokenizer
from lab.training.reader_network import ReaderNetwork, ReaderRecipe, fit_by_the_clock, rate_at, read_pairs
from models.catalogue import WEIGHTS, Role
from models.files import checked_path
from models.reader import LABELS, PairReading, Reader
from tests.models.tiny_reader import write_tiny_mpnet
from verifier.check.gather import Models

CLAIM = "Water boils at 50C"
TEXTS = [
    "The parliament of Norway has 169 members.",
    "Water boils at 100 degrees Celsius at sea level, and at a lower temperature on mountains.",
    "Glaciers are rivers of ice.",
]
PAIRS = [("It is red.", "It is blue."), ("A short claim.", "A text with quite a few more words than the claim has.")]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_mpnet(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def state(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights of a network over that encoder whose head tells pairs apart."""
    path = tmp_path_factory.mktemp("state") / "model.pt"
    torch.manual_seed(1)
    network = ReaderNetwork(encoder)
    torch.nn.init.normal_(network.output.weight, std=1.0)
    torch.save(network.state_dict(), path)
    return path


@pytest.fixture(scope="module")
def exported(encoder: Path, state: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported")
    export_onnx(encoder, state, out)
    return out


def trained_logits(encoder: Path, state: Path) -> NDArray[np.float32]:
    network = ReaderNetwork(encoder)
    network.load_state_dict(torch.load(state, weights_only=True))
    return read_pairs(network, encode(load_tokenizer(encoder), PAIRS, 64))


def test_what_onnx_runtime_runs_is_what_was_trained(encoder: Path, state: Path, exported: Path) -> None:
    found = Reader(exported, 1).read(PAIRS)
    ran = np.array([[*reading.stance, reading.relevance] for reading in found])
    assert np.allclose(ran, trained_logits(encoder, state), atol=0.15)


def test_the_folder_loads_as_a_cross_encoder_and_scores_alike(encoder: Path, state: Path, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    export_folder(encoder, state, tmp_path / "out")
    model = CrossEncoder(str(tmp_path / "out"), device="cpu", local_files_only=True, model_kwargs={"dtype": "float32"})
    found = model.predict(PAIRS, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    assert np.allclose(found, trained_logits(encoder, state), atol=0.02)


def test_a_pair_reads_the_same_alone_and_among_others() -> None:
    folder = checked_path(WEIGHTS[Role.READER])
    pairs = [*PAIRS, *((CLAIM, text) for text in TEXTS)]
    alone = Reader(folder, 1)
    assert Reader(folder, 2).read(pairs) == [alone.read([pair])[0] for pair in pairs]


def test_relevance_and_stance_come_from_one_pass(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(exported, 1)
    read: list[str] = []
    real = reader._read_one

    def counted(pair: tuple[str, str]) -> PairReading:
        read.append(pair[1])
        return real(pair)

    monkeypatch.setattr(reader, "_read_one", counted)
    reader.scores(CLAIM, TEXTS)
    for text in TEXTS:
        reader.probabilities(CLAIM, text)
    assert sorted(read) == sorted(TEXTS)


def test_scores_are_mapped_and_logits_tempered(exported: Path) -> None:
    plain, mapped = Reader(exported, 1), Reader(exported, 1, temperature=3.0, scale=2.0, offset=0.5)
    assert np.allclose(plain.scores(CLAIM, TEXTS) * 2 + 0.5, mapped.scores(CLAIM, TEXTS), atol=1e-4)
    sure, unsure = (max(reader.probabilities(*PAIRS[0]).values()) for reader in (plain, mapped))
    assert sure > unsure


def test_nothing_to_read_is_nothing_read(exported: Path) -> None:
    reader = Reader(exported, 1)
    assert reader.scores(CLAIM, []).shape == (0,) and reader.logits([]).shape == (0, 3)


def test_memory_of_pairs_is_bounded(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.reader.REMEMBERED", 5)
    reader = Reader(exported, 1)
    reader.scores(CLAIM, [f"Text {number}." for number in range(12)])
    assert len(reader._known) == 5


@pytest.mark.parametrize(
    "texts", [("", ""), ("word " * 10_000, "other " * 10_000), ("🎉", "\u200b"), ("</s>", "<s> <mask>")]
)
def test_any_text_can_be_read(exported: Path, texts: tuple[str, str]) -> None:
    reader = Reader(exported, 1)
    assert sum(reader.probabilities(*texts).values()) == pytest.approx(1)
    assert np.isfinite(reader.scores(texts[0], [texts[1]])).all()


def test_a_separator_written_in_a_text_is_only_text(exported: Path) -> None:
    encoding = Reader(exported, 1)._tokenizer.encode("a </s> b", "c <mask>")
    separator = encoding.ids[-1]
    assert encoding.ids.count(separator) == 3  # </s></s> between claim and text, </s> at the end


def test_a_folder_that_is_no_reader_is_a_clear_error(exported: Path, tmp_path: Path) -> None:
    def broken(name: str, content: bytes | None) -> Path:
        folder = tmp_path / f"{name}-{content is None}"
        shutil.copytree(exported, folder)
        (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
        return folder

    whole = (exported / "reader.onnx").read_bytes()
    for folder, message in (
        (broken("reader.onnx", None), "ONNX Runtime cannot load"),
        (broken("reader.onnx", whole[: len(whole) // 2]), "ONNX Runtime cannot load"),
        (broken("tokenizer.json", b"{}"), "no readable tokenizer or reader.json"),
        (broken("reader.json", None), "no readable tokenizer or reader.json"),
    ):
        with pytest.raises(ModelError, match=message) as caught:
            Reader(folder, 1)
        assert "\n" not in str(caught.value)


def test_a_run_learns_what_its_rows_say_and_goes_on_after_a_stop(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [(f"The {thing}.", f"It is {colour}.") for thing in "abcdefgh" for colour in ("red", "green", "blue")]
    ids = encode(load_tokenizer(encoder), texts, 32)
    allowed = torch.tensor([[colour == i for i in range(3)] for _ in "abcdefgh" for colour in range(3)])
    torch.manual_seed(0)
    model = ReaderNetwork(encoder)
    monkeypatch.setattr(reader_network, "CHECKPOINT_SECONDS", 0.0)
    recipe = ReaderRecipe(hours=4 / 3600, rate=3e-3, head_rate=1e-2, batch=8)
    calls = []

    def loss_of(rows: list[int]) -> torch.Tensor:
        calls.append(rows)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return label_loss(model([ids[i] for i in rows])[:, :3], allowed[rows])

    with pytest.raises(KeyboardInterrupt):
        fit_by_the_clock(model, [len(row) for row in ids], loss_of, recipe, tmp_path, 0)
    torch.manual_seed(0)
    model = ReaderNetwork(encoder)
    steps = fit_by_the_clock(model, [len(row) for row in ids], loss_of, recipe, tmp_path, 0)
    assert steps == len(calls) - 1  # no step of the stopped run is done again
    assert (read_pairs(model, ids)[:, :3].argmax(1) == allowed.int().argmax(1).numpy()).mean() > 0.9
    assert (tmp_path / "steady.pt").exists()


def test_the_rate_rises_stays_and_falls() -> None:
    recipe = ReaderRecipe(hours=1, warmup=0.1, decay=0.5)
    assert [rate_at(progress, recipe) for progress in (0, 0.05, 0.1, 0.5, 0.75, 1)] == [0, 0.5, 1, 1, 0.5, 0]


def test_lower_layers_stay_as_pretrained(encoder: Path) -> None:
    network = ReaderNetwork(encoder, frozen_layers=1)
    first, second = network.encoder.encoder.layer
    assert not any(parameter.requires_grad for parameter in first.parameters())
    assert all(parameter.requires_grad for parameter in second.parameters())


def test_eight_bits_agree_with_full_precision(encoder: Path, state: Path, exported: Path, tmp_path: Path) -> None:
    network = ReaderNetwork(encoder)
    network.load_state_dict(torch.load(state, weights_only=True))
    full = tmp_path / "full"
    shutil.copytree(exported, full)
    write_onnx(network, full / "reader.onnx")
    pairs = [
        (f"The {a} is {b}.", f"It is {b} and {a}.") for a in ("tower", "river", "ship") for b in ("old", "new", "red")
    ]
    one, other = Reader(full, 1).logits(pairs), Reader(exported, 1).logits(pairs)
    assert (one.argmax(1) == other.argmax(1)).mean() >= 0.85


def test_the_text_that_bears_on_the_claim_scores_highest(models: Models) -> None:
    scores = models.reranker.scores(CLAIM, TEXTS)
    assert scores.argmax() == 1
    assert scores[1] > 1 and scores[0] < 0.3 and scores[2] < 0.3


def test_what_ships_tells_the_stances_apart(models: Models) -> None:
    text = "The Vasco bridge was opened by the queen in 1931."
    for claim, label in (
        ("The Vasco bridge was opened in 1931.", LABELS[0]),
        ("The Vasco bridge opened in 1950.", LABELS[1]),
        ("Penguins live in Antarctica.", LABELS[2]),
    ):
        found = models.stance.probabilities(claim, text)
        assert max(found, key=found.__getitem__) == label
