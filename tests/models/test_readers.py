"""Readers of the hub: fetched from a loopback hub, measured for real against the reader at hand, adopted or refused."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from pytest_httpserver import HTTPServer
from tokenizers import Tokenizer

from errors import DownloadError, InputError, ModelError
from models.hub.probe import Remote
from models.pairs import DEV
from models.reader import LABELS, Reader
from models.readers.adopt import adopt
from models.readers.classifier import AddedReader, Classifier, Fit, load_classifier
from models.readers.config import Wiring, read_config
from models.readers.known import READERS, repository_of
from models.readers.measure import development_pairs, fit, halves
from models.readers.record import RECORD, Adopted, Figures, drop_record, load_in_use, read_record, write_record
from tests.commandline import run
from tests.models.fake_hub import COMMIT, FakeHub
from tests.models.tiny_classifier import (
    FAMILIES,
    VOCABULARY,
    change_config,
    invented_pairs,
    write_classifier,
    write_tokenizer,
)
from verifier.build import load_reader
from verifier.settings import Settings

ROOT = Path(__file__).parents[2]
GOOD, OTHER, BAD = "owner/good", "owner/other", "owner/bad"
FIGURES = Figures(300, 0.8, 0.79, 0.5, 0.02, 0.95, 12.0)
RECORDED = Adopted(
    "owner/name",
    COMMIT,
    "mit",
    "model.safetensors",
    (),
    Wiring((0, 2, 1), 62, False),
    Fit(),
    FIGURES,
    "x",
    FIGURES,
    "d",
)


@pytest.fixture(scope="module")
def server() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as server:
        yield server


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two classifiers that know the invented language, of two families, and one that knows nothing."""
    folder = tmp_path_factory.mktemp("made")
    return {
        GOOD: write_classifier(folder / "good", "deberta-v2", trained=True),
        OTHER: write_classifier(folder / "other", "modernbert", trained=True),
        BAD: write_classifier(folder / "bad", "bert"),
    }


@pytest.fixture
def hub(server: HTTPServer) -> FakeHub:
    hub = FakeHub(server)
    server.clear()
    server.expect_request(re.compile(".*")).respond_with_handler(hub.answer)
    return hub


def serve(hub: FakeHub, repo: str, folder: Path) -> None:
    """Put the files of a folder on the hub."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            hub.add(repo, str(path.relative_to(folder)), path.read_bytes())
    hub.licences[repo] = "apache-2.0"


def take(hub: FakeHub, repo: str, folder: Path, said: list[str] | None = None) -> Adopted:
    """Adopt `repo` as measured on pairs of the invented language."""
    say = (lambda line: None) if said is None else said.append
    return adopt(repo, folder=folder, endpoint=hub.endpoint, say=say, pairs=invented_pairs(), threads=1)


def fetched(hub: FakeHub) -> list[str]:
    return [request.path.removeprefix("/storage/") for request in hub.asked("GET") if "storage" in request.path]


def right(reader: object) -> float:
    rows = invented_pairs()
    logits = reader.logits([(pair.claim, pair.evidence) for pair in rows])  # type: ignore[attr-defined]
    return float(np.mean([LABELS[i][0] == pair.label for i, pair in zip(logits.argmax(1), rows, strict=True)]))


@pytest.mark.parametrize("repo", [GOOD, OTHER], ids=["DeBERTa", "ModernBERT"])
def test_a_better_reader_is_fetched_measured_and_adopted(
    hub: FakeHub, made: dict[str, Path], tmp_path: Path, repo: str
) -> None:
    serve(hub, repo, made[repo])
    hub.add(repo, "pytorch_model.bin", b"pickled" * 2_000)
    said: list[str] = []
    adopted = take(hub, repo, tmp_path, said)
    assert adopted == read_record(tmp_path)
    assert adopted.figures.accuracy == 1 > adopted.former_figures.accuracy and adopted.former == "the bundled reader"
    assert adopted.figures.relevance == 1 and adopted.fit.text_first and adopted.fit.temperature > 0
    assert (adopted.repo, adopted.commit, adopted.licence) == (repo, COMMIT, "apache-2.0")
    assert said[0] == f"{repo} at commit {COMMIT[:12]}; licence: apache-2.0" and "MB in all, to" in said[4]
    resolved = [request.path for request in hub.asked("GET") if "resolve" in request.path]
    assert all(path.startswith(f"/{repo}/resolve/{COMMIT}/") for path in resolved)
    assert fetched(hub) == [f"{repo}/{name}" for name in ("config.json", "tokenizer.json", "model.safetensors")]
    reader = load_reader(Settings(readers=tmp_path, threads=1))
    assert isinstance(reader, AddedReader) and right(reader) == 1
    assert reader.scores("blim holds", ["blim kalt today"])[0] > 1 and reader.scores("blim holds", ["wug zorp"])[0] < 0
    assert max(reader.probabilities("blim holds", "blim kalt again").items(), key=lambda item: item[1])[0] == LABELS[1]


def test_a_worse_reader_is_refused_and_the_one_at_hand_stays(
    hub: FakeHub, made: dict[str, Path], tmp_path: Path
) -> None:
    for repo in (GOOD, BAD):
        serve(hub, repo, made[repo])
    take(hub, GOOD, tmp_path)
    before = (tmp_path / RECORD).read_bytes()
    with pytest.raises(
        ModelError, match=rf"^{BAD} is not adopted: of \d+ pairs it has 0\.\d+ right .*, {GOOD} 1\.000 .*in use stays"
    ):
        take(hub, BAD, tmp_path)
    assert (tmp_path / RECORD).read_bytes() == before
    assert right(load_in_use(1, folder=tmp_path)) == 1
    assert drop_record(tmp_path) and not drop_record(tmp_path)
    assert isinstance(load_in_use(1, folder=tmp_path), Reader)


def test_a_reader_that_is_in_use_is_not_measured_against_itself(
    hub: FakeHub, made: dict[str, Path], tmp_path: Path
) -> None:
    serve(hub, GOOD, made[GOOD])
    adopted, said = take(hub, GOOD, tmp_path), list[str]()
    weights = tmp_path / GOOD / COMMIT / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-100])
    with pytest.raises(
        ModelError, match=r"is cut short .*download reader owner/good, or go back .*models drop reader$"
    ):
        load_in_use(1, folder=tmp_path)
    assert take(hub, GOOD, tmp_path, said) == adopted
    assert said[-1].endswith("is in use already") and weights.read_bytes() == whole
    assert right(load_in_use(1, folder=tmp_path)) == 1


def test_a_damaged_reader_at_hand_does_not_stand_in_the_way(
    hub: FakeHub, made: dict[str, Path], tmp_path: Path
) -> None:
    serve(hub, GOOD, made[GOOD])
    (tmp_path / RECORD).write_text('{"repo": "half')
    with pytest.raises(ModelError, match=r"reader\.json, which says which .* cannot be read .*models drop reader$"):
        load_in_use(1, folder=tmp_path)
    said: list[str] = []
    assert take(hub, GOOD, tmp_path, said).former == "the bundled reader"
    assert any("so this one is compared with the bundled reader" in line for line in said)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_reads_a_pair_the_same_alone_and_among_others(family: str, tmp_path: Path) -> None:
    folder = write_classifier(tmp_path, family)
    classifier = load_classifier(folder, "model.safetensors", read_config(folder, "a/b"), 1)
    pairs = [("blim holds", "blim zorp"), ("dax holds", "word " * 3_000), ("", ""), ("wug [SEP] holds", "again " * 20)]
    together = AddedReader(classifier, Fit()).logits(pairs)
    alone = np.concatenate([AddedReader(classifier, Fit()).logits([pair]) for pair in pairs])
    assert together.shape == (4, 3) and np.allclose(together, alone, atol=1e-4)
    assert AddedReader(classifier, Fit()).logits([]).shape == (0, 3)


def test_what_runs_is_the_classifier_that_was_saved(tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    folder = write_classifier(tmp_path, "bert", ("neutral", "contradiction", "entailment"))
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    encoding = Tokenizer.from_file(str(folder / "tokenizer.json")).encode("blim zorp", "dax holds")
    with torch.inference_mode():
        neutral, contradiction, entailment = (
            model(input_ids=torch.tensor([encoding.ids]), token_type_ids=torch.tensor([encoding.type_ids]))
            .logits[0]
            .tolist()
        )
    classifier = load_classifier(folder, "model.safetensors", read_config(folder, "a/b"), 1)
    reading = AddedReader(classifier, Fit()).read([("dax holds", "blim zorp")])[0]
    assert reading.stance == pytest.approx((entailment, contradiction, neutral), abs=1e-5)
    assert reading.relevance == pytest.approx(np.logaddexp(entailment, contradiction) - neutral, abs=1e-5)


def test_onnx_weights_run_without_torch_and_alike(hub: FakeHub, tmp_path: Path) -> None:
    folder = write_classifier(tmp_path / "saved", "bert", trained=True)
    write_onnx(folder, folder / "onnx" / "model.onnx")
    serve(hub, GOOD, folder)
    adopted = take(hub, GOOD, tmp_path / "models")
    assert adopted.network == "onnx/model.onnx" and f"{GOOD}/model.safetensors" not in fetched(hub)
    one = load_in_use(1, folder=tmp_path / "models").logits([("blim holds", "blim zorp"), ("dax holds", "wug kalt")])
    torch_reader = AddedReader(load_classifier(folder, "model.safetensors", adopted.wiring, 1), adopted.fit)
    assert np.allclose(one, torch_reader.logits([("blim holds", "blim zorp"), ("dax holds", "wug kalt")]), atol=1e-3)
    script = (
        "import sys; from pathlib import Path; from models.readers.record import load_in_use; "
        f"load_in_use(1, folder=Path({str(tmp_path / 'models')!r})).probabilities('blim', 'dax'); "
        "print({'torch', 'transformers', 'scipy'} & sys.modules.keys())"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout == "set()\n"


def write_onnx(folder: Path, path: Path) -> None:
    """The classifier in `folder` as the hub's exporters write it: with masks and segments as inputs."""
    import warnings

    from transformers import AutoModelForSequenceClassification

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()

        def forward(self, ids: torch.Tensor, mask: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(input_ids=ids, attention_mask=mask, token_type_ids=segments).logits
            return logits

    path.parent.mkdir()
    names = ["input_ids", "attention_mask", "token_type_ids"]
    ids = torch.ones((2, 7), dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Graph(),
            (ids, ids, ids),
            str(path),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={name: {0: "rows", 1: "tokens"} for name in names},
            dynamo=False,
        )


def _remote_code(folder: Path) -> None:
    change_config(folder, auto_map={"AutoModelForSequenceClassification": "modeling_own.Own"})
    (folder / "modeling_own.py").write_text("raise SystemExit('this must never run')")


def _pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def _labels(*names: str) -> Callable[[Path], None]:
    return lambda folder: change_config(folder, id2label={str(i): name for i, name in enumerate(names)})


def _in_parts(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")


def _onnx_in_parts(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model.onnx_data")
    (folder / "model.onnx").write_bytes(b"a graph alone" * 10_000)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_remote_code, r"wants to run code of its own \(auto_map\), which is never done"),
        (_pickled, r"only as pytorch_model\.bin, a format that can run code; a reader needs model\.onnx or model\.safe"),
        (_in_parts, r"has no weights in one file \(onnx/model\.onnx, model\.onnx, model\.safetensors\)"),
        (_onnx_in_parts, r"has no weights in one file"),
        (_labels("entailment", "not_entailment"), r"has 2 labels \(entailment, not_entailment\); a reader needs three"),
        (_labels("a", "b", "c", "d"), r"has 4 labels \(a, b, c, d\); a reader needs three"),
        (_labels("LABEL_0", "LABEL_1", "LABEL_2"), r"the labels of .* \(LABEL_0, LABEL_1, LABEL_2\) cannot be matched"),
        (_labels("entailment", "supports", "neutral"), r"\(entailment, supports, neutral\) cannot be matched"),
        (lambda folder: change_config(folder, id2label=None), r"has no labels \(none named\)"),
        (lambda folder: change_config(folder, model_type="llama"), r"is a 'llama'; a reader must be one of albert, bert"),
        (lambda folder: change_config(folder, architectures=["BertForMaskedLM"]), r"is no sequence classifier"),
        (lambda folder: change_config(folder, max_position_embeddings="many"), r"config\.json of .* cannot be used"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"has no tokenizer\.json, which a reader needs"),
        (lambda folder: (folder / "config.json").unlink(), r"has no config\.json, which a reader needs"),
        (lambda folder: (folder / "config.json").write_text("[1]"), r"config\.json of .* holds no object"),
        (lambda folder: (folder / "config.json").write_text('{"half'), r"config\.json of .* cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_serve_is_refused_before_its_weights_are_fetched(
    hub: FakeHub, tmp_path: Path, spoil: Callable[[Path], object], message: str
) -> None:
    folder = write_classifier(tmp_path / "saved")
    spoil(folder)
    serve(hub, BAD, folder)
    with pytest.raises(ModelError, match=message) as caught:
        take(hub, BAD, tmp_path / "models")
    assert BAD in str(caught.value) and "\n" not in str(caught.value)
    assert set(fetched(hub)) <= {f"{BAD}/config.json"} and not (tmp_path / "models" / RECORD).exists()


@pytest.mark.parametrize(
    ("labels", "stances"),
    [
        (("contradiction", "entailment", "neutral"), (1, 0, 2)),
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), (0, 2, 1)),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), (0, 1, 2)),
        (("Supported", "Not_Enough_Information", "Refuted"), (0, 2, 1)),
        (("NEI", "refute", "support"), (2, 1, 0)),
    ],
)
def test_labels_are_matched_by_name(tmp_path: Path, labels: tuple[str, ...], stances: tuple[int, ...]) -> None:
    assert read_config(write_classifier(tmp_path, "bert", labels), "a/b").stances == stances


def _cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-500])


def _without_head(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    save_file({k: v for k, v in load_file(path).items() if "classifier" not in k}, path, {"format": "pt"})


def _not_finite(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    save_file({k: v * float("nan") for k, v in load_file(path).items()}, path, {"format": "pt"})


def _bad_onnx(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no graph" * 5_000)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_cut, r"torch cannot load the weights in"),
        (_without_head, r"the weights in .* lack classifier\.bias \(2 in all\)"),
        (_not_finite, r"the reader gave numbers .* finite ones are due"),
        (_bad_onnx, r"ONNX Runtime cannot load"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), r"holds no readable tokenizer"),
    ],
)
def test_weights_that_do_not_work_are_refused(
    hub: FakeHub, tmp_path: Path, spoil: Callable[[Path], object], message: str
) -> None:
    folder = write_classifier(tmp_path / "saved")
    spoil(folder)
    serve(hub, BAD, folder)
    with pytest.raises(ModelError, match=message) as caught:
        take(hub, BAD, tmp_path / "models")
    assert "\n" not in str(caught.value) and not (tmp_path / "models" / RECORD).exists()


def test_a_transfer_that_broke_off_goes_on_where_it_stood(hub: FakeHub, made: dict[str, Path], tmp_path: Path) -> None:
    serve(hub, GOOD, made[GOOD])
    hub.after = 40_000
    with pytest.raises(DownloadError, match=r"cannot fetch owner/good:model\.safetensors: .* broke off .* are kept"):
        take(hub, GOOD, tmp_path)
    assert read_record(tmp_path) is None
    hub.after = None
    assert take(hub, GOOD, tmp_path).repo == GOOD
    assert hub.seen[-1].headers["Range"] == "bytes=40000-"


def test_other_bytes_than_the_hub_names_are_deleted(hub: FakeHub, made: dict[str, Path], tmp_path: Path) -> None:
    serve(hub, GOOD, made[GOOD])
    hub.checksums[f"{GOOD}/model.safetensors"] = "0" * 64
    with pytest.raises(DownloadError, match="another checksum than the hub names"):
        take(hub, GOOD, tmp_path)
    assert not list(tmp_path.rglob("*.part")) and not list(tmp_path.rglob("*.safetensors"))


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (None, r"there is no repository at http://localhost:\d+/owner/none; check the name"),
        ((401, "GatedRepo"), r"agree at http://localhost:\d+/owner/none, then log in with: hf auth login"),
        ((503, ""), r"answered with status 503; try again later, or come back later: the reader at hand stays in use"),
    ],
)
def test_what_the_hub_refuses_is_explained(
    hub: FakeHub, tmp_path: Path, refusal: tuple[int, str] | None, message: str
) -> None:
    hub.refusal = refusal
    with pytest.raises(DownloadError, match=message):
        take(hub, "owner/none", tmp_path)


@pytest.mark.parametrize(
    "body", ["Welcome to the hotel's network", "[]", '{"id": "a/b"}', '{"id": "a/b", "sha": "../x"}']
)
def test_something_that_is_no_hub_is_told(httpserver: HTTPServer, tmp_path: Path, body: str) -> None:
    httpserver.expect_request(re.compile(".*")).respond_with_data(body)
    with pytest.raises(DownloadError, match=r"^cannot fetch a/b: http") as caught:
        adopt("a/b", folder=tmp_path, endpoint=httpserver.url_for("").rstrip("/"))
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_no_network_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"cannot be reached .*; check the network, .*reader at hand stays in use$"):
        adopt(GOOD, folder=tmp_path, endpoint="http://127.0.0.1:9")
    assert not list(tmp_path.iterdir())


@contextmanager
def small_files() -> Iterator[None]:
    """No file of this process may grow beyond 100 bytes: a disk that is full. The log of the tests is a file too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_record_that_still_names_the_token_that_fills_up_is_read(tmp_path: Path) -> None:
    write_record(RECORDED, tmp_path)
    raw = json.loads((tmp_path / RECORD).read_text(encoding="utf-8"))
    raw["wiring"]["padding"] = 0
    (tmp_path / RECORD).write_text(json.dumps(raw), encoding="utf-8")
    assert read_record(tmp_path) == RECORDED


def test_a_disk_that_is_full_at_the_last_step_changes_nothing(tmp_path: Path) -> None:
    write_record(RECORDED, tmp_path)
    message = r"cannot write .*reader\.json: File too large; the reader at hand stays in use"
    with pytest.raises(DownloadError, match=message), small_files():
        write_record(replace(RECORDED, repo="owner/new"), tmp_path)
    assert read_record(tmp_path) == RECORDED and [path.name for path in tmp_path.iterdir()] == [RECORD]


def test_an_adoption_that_is_stopped_leaves_no_record(hub: FakeHub, made: dict[str, Path], tmp_path: Path) -> None:
    serve(hub, GOOD, made[GOOD])

    def stop(line: str) -> None:
        if "right" in line:  # both were measured
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adopt(GOOD, folder=tmp_path, endpoint=hub.endpoint, say=stop, pairs=invented_pairs(), threads=1)
    assert read_record(tmp_path) is None and isinstance(load_in_use(1, folder=tmp_path), Reader)


def _claim_first(inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
    """A network that knows the answer only if the claim stands first, where it expects it."""
    ids = inputs["input_ids"]
    words = {VOCABULARY["zorp"]: 0, VOCABULARY["kalt"]: 1}
    logits = np.zeros((len(ids), 3), dtype=np.float32)
    for row, tokens in enumerate(ids.tolist()):
        about = tokens[1] == tokens[4]
        stance = words.get(tokens[5], 2) if tokens[2] == VOCABULARY["holds"] and about else 2
        logits[row, stance] = 3
    return logits


def test_which_text_a_classifier_wants_first_is_found_out(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    classifier = Classifier(_claim_first, tokenizer, Wiring((0, 1, 2), 62, False), 1)
    rng = np.random.default_rng(0)
    sample, _ = halves(invented_pairs(), lambda texts: rng.normal(size=(len(texts), 4)).astype(np.float32))
    found = fit(classifier, sample)
    assert not found.text_first and found.scale > 0
    assert right(AddedReader(classifier, found)) == 1 > right(AddedReader(classifier, replace(found, text_first=True)))


def test_better_means_stance_in_labels_and_chances_and_relevance_not_clearly_worse() -> None:
    better = replace(FIGURES, accuracy=0.81, log_loss=0.49)
    assert better.beats(FIGURES) and replace(better, relevance=0.91).beats(FIGURES)
    for worse in (replace(better, accuracy=0.8), replace(better, log_loss=0.5), replace(better, relevance=0.89)):
        assert not worse.beats(FIGURES)


def test_small_files_are_checked_as_git_knows_them(tmp_path: Path) -> None:
    path = tmp_path / "hello"
    path.write_bytes(b"hello\n")
    known = "ce013625030ba8dba906f756967f9e9ca394464a"  # of `git hash-object`
    assert Remote("", 6, known).checksum_of(path) == known


def test_development_pairs_are_fixed_stand_aside_and_fall_into_halves_by_text() -> None:
    pairs = development_pairs()
    assert pairs == development_pairs() and 590 <= len(pairs) <= 600
    assert {pair.split for pair in pairs} == {DEV} and {pair.label for pair in pairs} == {"S", "R", "N"}
    rng = np.random.default_rng(0)
    one, other = halves(pairs, lambda texts: rng.normal(size=(len(texts), 4)).astype(np.float32))
    assert not {text for _, text in one.pairs} & {text for _, text in other.pairs}
    for half in (one, other):
        assert len(half.contrasts) == 100 and len(half.pairs) - 100 > 250
        for settles, contrast in half.contrasts.tolist():
            assert half.pairs[settles][0] == half.pairs[contrast][0] and half.pairs[settles] != half.pairs[contrast]
            assert half.truth[settles] != 2 and half.truth[contrast] == 2


def test_names_of_readers() -> None:
    assert all(repository_of(known.name) == known.repo == repository_of(known.repo) for known in READERS)
    for name in ("nonsense", "a/b/c", "a/b:c.gguf", "../x", "a/../b"):
        with pytest.raises(InputError, match=r"one of deberta-v3-base, .*, or OWNER/REPO on the hub, not"):
            repository_of(name)


def command(hub: FakeHub, folder: Path, *arguments: str, most: int | None = None) -> subprocess.CompletedProcess[str]:
    """`python -m models ARGUMENTS` as a user runs it; `most` is the size that a file may reach."""
    env = {**os.environ, "HF_ENDPOINT": hub.endpoint, "HF_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}

    def limit() -> None:
        if most:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    line = [sys.executable, "-m", "models", *arguments, "--folder", str(folder / "models")]
    return subprocess.run(
        line, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, preexec_fn=limit, check=False
    )


def test_the_command_refuses_in_one_line_and_lists_what_is_in_use(hub: FakeHub, tmp_path: Path) -> None:
    serve(hub, BAD, write_classifier(tmp_path / "saved", "bert", ("entailment", "not_entailment")))
    ran = command(hub, tmp_path, "download", "reader", BAD)
    assert ran.returncode == 2 and "licence: apache-2.0" in ran.stdout
    assert ran.stderr.rpartition("\r")[2].splitlines()[-1].startswith(f"error: {BAD} has 2 labels (entailment, not_")
    write_record(replace(RECORDED, figures=replace(FIGURES, accuracy=0.875)), tmp_path / "models")
    folder = ("--folder", str(tmp_path / "models"))
    listed = run("models", "list", *folder).out
    assert listed.startswith(f"reader in use: owner/name at commit {COMMIT[:12]}, adopted on d; licence: mit\n")
    assert "0.875 right" in listed and "x on the same: 0.800 right" in listed
    assert all(known.repo in listed and known.licence in listed for known in READERS)
    assert run("models", "drop", "reader", *folder).out == "the bundled reader is in use\n"
    assert run("models", "list", *folder).out.startswith("reader in use: the bundled reader; no other was adopted\n")


def test_a_disk_that_is_full_while_fetching_is_told_in_one_line(
    hub: FakeHub, made: dict[str, Path], tmp_path: Path
) -> None:
    serve(hub, GOOD, made[GOOD])
    ran = command(hub, tmp_path, "download", "reader", GOOD, most=50_000)
    last = ran.stderr.rstrip("\n").rpartition("\n")[2].rpartition("\r")[2]
    assert ran.returncode == 2 and re.match(r"error: cannot write .*: File too large; mend that and run it again", last)
    assert read_record(tmp_path / "models") is None
