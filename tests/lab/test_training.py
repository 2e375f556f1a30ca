"""Training for real, on an encoder small enough for a test: two layers of 32 with random weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from gguf import GGUFReader
from huggingface_hub import constants
from transformers import BertConfig, BertForSequenceClassification, BertModel

from lab.training import claim_type, export_small, network
from lab.training.embedder import average, hard_negatives
from lab.training.export_gguf import export, export_trained
from lab.training.mining import bm25
from lab.training.network import (
    Job,
    MeanPooledClassifier,
    MeanPooledEncoder,
    Recipe,
    classify,
    encode,
    label_loss,
    load_tokenizer,
    predict,
    save,
)
from models.catalogue import WEIGHTS, Role
from models.encoders.classifier import HEAD_KEY, EncoderClassifier
from models.encoders.embedder import Embedder
from models.reader import Reader
from tests.commandline import run

ROOT = Path(__file__).parents[2]
TOKENIZER = ROOT / "tests/data/word_pieces.json"
"""The tokenizer of all-MiniLM-L6-v2, from which our word-piece models descend."""
LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
RECIPE = Recipe(epochs=6, rate=3e-3, batch=8, max_tokens=32)


def configuration() -> BertConfig:
    return BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=512
    )


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    torch.manual_seed(0)
    BertModel(configuration()).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(TOKENIZER.read_bytes())
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    words = json.loads(TOKENIZER.read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(words, key=words.__getitem__)) + "\n")
    return folder


def rows(encoder: Path) -> tuple[list[list[int]], torch.Tensor]:
    """Rows that can be learnt: the colour decides."""
    texts = [(f"The {thing} is {colour}.",) for thing in "abcdefghijklmnop" for colour in ("red", "green", "blue")]
    ids = encode(load_tokenizer(encoder), texts, 32)
    return ids, torch.tensor([[colour == i for i in range(3)] for _ in "abcdefghijklmnop" for colour in range(3)])


def trained(encoder: Path, out: Path) -> MeanPooledClassifier:
    out.mkdir(exist_ok=True)
    torch.manual_seed(0)
    model = MeanPooledClassifier(encoder, LABELS)
    ids, allowed = rows(encoder)
    classify(model, ids, allowed, RECIPE, Job(out, encoder, out), "test")
    save(model, out)
    return model


@pytest.fixture(scope="module")
def whole(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[MeanPooledClassifier, Path]:
    """A run that was not interrupted, and its folder."""
    out = tmp_path_factory.mktemp("whole")
    return trained(encoder, out), out


def test_a_run_learns_what_its_rows_say(encoder: Path, whole: tuple[MeanPooledClassifier, Path]) -> None:
    ids, allowed = rows(encoder)
    assert (predict(whole[0], ids).argmax(1) == allowed.int().argmax(1).numpy()).mean() > 0.9


def test_an_interrupted_run_ends_with_the_same_weights(
    encoder: Path, whole: tuple[MeanPooledClassifier, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "CHECKPOINT_STEPS", 10)
    real, seen = network.label_loss, []

    def stopped(logits: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        seen.append(1)
        if len(seen) == 25:
            raise KeyboardInterrupt
        return real(logits, allowed)

    monkeypatch.setattr(network, "label_loss", stopped)
    with pytest.raises(KeyboardInterrupt):
        trained(encoder, tmp_path / "halves")
    assert (tmp_path / "halves/checkpoint.pt").exists()
    resumed = trained(encoder, tmp_path / "halves").state_dict()
    assert len(seen) == 24 + 1 + 16  # 36 steps, of which 20 were saved
    assert not (tmp_path / "halves/checkpoint.pt").exists()
    expected = whole[0].state_dict()
    assert all(torch.equal(expected[name], resumed[name]) for name in expected)


def test_a_row_may_have_any_of_its_allowed_labels() -> None:
    logits = torch.tensor([[-9.0, 9.0, 0.0], [-9.0, 0.0, 9.0]])
    either = torch.tensor([[False, True, True]] * 2)
    assert label_loss(logits, either, 0.0) < 1e-3 < label_loss(logits, ~either, 0.0)
    one = torch.tensor([[True, False, False]] * 2)
    exact = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 0]), label_smoothing=0.05)
    assert label_loss(logits, one) == pytest.approx(exact.item())


def test_what_llama_cpp_runs_is_what_was_trained(
    encoder: Path, whole: tuple[MeanPooledClassifier, Path], tmp_path: Path
) -> None:
    model, out = whole
    export_trained(Job(out, encoder, out), tmp_path / "m.gguf", "test", LABELS)
    ran = EncoderClassifier(tmp_path / "m.gguf", 1, LABELS).logits([("The a is red.",)])[0]
    torch.testing.assert_close(
        torch.tensor(ran), torch.tensor(predict(model, rows(encoder)[0][:1])[0]), atol=0.1, rtol=0.1
    )


def test_what_onnx_runtime_runs_is_what_llama_cpp_runs(
    encoder: Path, whole: tuple[MeanPooledClassifier, Path], tmp_path: Path
) -> None:
    _, out = whole
    turned = (LABELS[2], LABELS[0], LABELS[1])  # logits go by their labels' names, not by their places
    export_trained(Job(out, encoder, out), tmp_path / "m.gguf", "test", turned)
    export_small.export(tmp_path / "m.gguf", tmp_path / "onnx")
    reader = Reader(tmp_path / "onnx", 1)
    pairs = [("The a is red.", "It is [SEP] blue."), ("Ångström's\u00a0naïve Café", "東京 is 1,000 km away \U0001f30d")]
    slow = EncoderClassifier(tmp_path / "m.gguf", 1, LABELS)
    expected = slow.logits(pairs)[:, [slow.labels.index(label) for label in reader.labels]]
    assert reader.logits(pairs) == pytest.approx(expected, abs=0.15)


def test_a_classifier_of_another_maker_runs_with_llama_cpps_own_head(encoder: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    config = configuration()
    config.id2label = {0: "entailment", 1: "neutral", 2: "contradiction"}
    config.label2id = {label: i for i, label in config.id2label.items()}
    model = BertForSequenceClassification(config).eval()
    torch.nn.init.normal_(model.classifier.weight, std=2.0)
    model.save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_bytes((encoder / "vocab.txt").read_bytes())
    export(model.state_dict(), tmp_path, tmp_path / "other.gguf", "other")
    ran = EncoderClassifier(tmp_path / "other.gguf", 1, LABELS)
    assert ran.labels == ("SUPPORTS", "NOT ENOUGH INFO", "REFUTES")
    ids = torch.tensor(encode(load_tokenizer(encoder), [("It is red.", "It is blue.")], 32))
    with torch.inference_mode():
        expected = model(
            input_ids=ids, attention_mask=torch.ones_like(ids), token_type_ids=torch.zeros_like(ids)
        ).logits[0]
    torch.testing.assert_close(
        torch.tensor(ran.logits([("It is red.", "It is blue.")])[0]), expected, atol=0.15, rtol=0.1
    )


def test_hard_negatives_are_near_and_not_ones_own(encoder: Path) -> None:
    torch.manual_seed(0)
    model = MeanPooledEncoder(encoder).eval()
    passages = encode(load_tokenizer(encoder), [(f"Passage {n}.",) for n in range(60)], 32)
    own = [{n} for n in range(60)]
    chosen = hard_negatives(model, passages, passages, own, seed=0)
    assert all(i not in mine for i, mine in zip(chosen, own, strict=True))
    assert chosen == hard_negatives(model, passages, passages, own, seed=0)


def test_bm25_ranks_rare_words_over_common_ones() -> None:
    texts = ["whale whale town", "town town town town", "town", "bread town", "town hall town"]
    queries, words = bm25(texts, ["whale town", "bread"])
    scores = (queries @ words.T).toarray()
    assert scores[0].argmax() == 0 and scores[1].tolist()[3] > 0 == scores[1].tolist()[0]


def test_weights_of_one_model_are_averaged() -> None:
    first, second = {"a": torch.zeros(2), "b": torch.ones(2)}, {"a": torch.ones(2), "b": torch.ones(2)}
    assert [float(tensor.sum()) for tensor in average(first, second, 0.25).values()] == [0.5, 2.0]
    with pytest.raises(ValueError, match="only one of them has b"):
        average(first, {"a": torch.ones(2)}, 0.5)


def test_one_command_trains_exports_and_calibrates(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_type, "RECIPE", replace(claim_type.RECIPE, epochs=1, rate=1e-3))
    (tmp_path / "data").mkdir()
    out = tmp_path / "out"
    arguments = ("claim-type", "--data", str(tmp_path / "data"), "--encoder", str(encoder), "--out", str(out))
    done = run("lab.training", *arguments)
    assert done.status == 0, done.err
    report = json.loads((out / "report.json").read_text())
    assert report["hand-written test"]["accuracy"] > 0.3 and 0.3 < report["temperature"] < 5
    labels = WEIGHTS[Role.CLAIM_TYPE].labels
    assert EncoderClassifier(out / "claim-type.gguf", 1, labels).probabilities("It opened in 1931.")
    with pytest.raises(Exception, match="no readable|has the labels"):
        EncoderClassifier(out / "claim-type.gguf", 1, LABELS)


def test_without_folders_the_hub_is_asked(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    done = run("lab.training", "reader", "--out", str(tmp_path))
    assert done.error.startswith("error: cannot fetch config.json of sentence-transformers/")
    done = run("lab.training", "reader", "--encoder", str(encoder), "--out", str(tmp_path))
    assert done.error.startswith("error: cannot fetch test.jsonl of tals/vitaminc")


def test_an_embedder_is_exported_without_a_head(encoder: Path, tmp_path: Path) -> None:
    model = MeanPooledEncoder(encoder).eval()
    save(model, tmp_path)
    export_trained(Job(tmp_path, encoder, tmp_path), tmp_path / "embedder.gguf", "embedder")
    vector = Embedder(tmp_path / "embedder.gguf", 1).embed(["It is red."])[0]
    with torch.inference_mode():
        mean = model.mean(encode(load_tokenizer(encoder), [("It is red.",)], 32))[0]
    assert float(vector @ (mean / mean.norm()).numpy()) > 0.99
    assert GGUFReader(tmp_path / "embedder.gguf").get_field(HEAD_KEY) is None
