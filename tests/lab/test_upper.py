"""One thing more is taught to the upper layers of a reader, and little else moves."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from lab.training.beside import beside_pairs, contrasted_pairs, starter_passages, stated_pairs
from lab.training.export_reader import export_onnx
from lab.training.moved import moved_pairs
from lab.training.network import Job, encode, load_tokenizer
from lab.training.reader import CODES
from lab.training.reader_network import ReaderNetwork, read_pairs
from lab.training.upper import Lesson, Upper, main, teach
from lab.training.written import written_pairs
from models.encoders.embedder import Embedder
from models.pairs import NOT_ENOUGH_INFO, NOT_SUPPORTED, SUPPORTS, normalised, read_rows
from tests.models.tiny_reader import trained, write_tiny_mpnet

DATA = Path(__file__).parents[1] / "data"
PASSAGES = [
    "The Mona Lisa hangs in the Louvre. Leonardo da Vinci painted the Mona Lisa. It is on a panel of poplar.",
    "Copper is a metal. Copper turns green in air.",
    "One sentence alone.",
]


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A tiny reader to start from, and the rows that taught it."""
    folder = tmp_path_factory.mktemp("upper")
    encoder = write_tiny_mpnet(folder / "encoder")
    torch.save(trained(encoder).state_dict(), folder / "state.pt")
    export_onnx(encoder, folder / "state.pt", folder / "start")
    rows = [[f"The tower is {n} metres high.", f"It is {n} metres high.", ["S"], True, "facts"] for n in range(40)]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return Job(folder, encoder, folder, start=folder / "start")


def test_sentences_of_one_passage_settle_nothing_for_each_other() -> None:
    pairs = beside_pairs(PASSAGES, random.Random(1))
    assert len(pairs) == 4 and {pair.label for pair in pairs} == {NOT_ENOUGH_INFO}
    for pair in pairs:
        (passage,) = (text for text in PASSAGES if pair.claim in text)
        assert pair.evidence.split(".")[0] in passage and pair.claim not in pair.evidence
        assert not pair.claim.startswith("It ")
    stated = stated_pairs(PASSAGES, 3, random.Random(1))
    assert all(pair.label == SUPPORTS and pair.claim in pair.evidence for pair in stated) and len(stated) == 3


def test_the_starter_facts_give_thousands_of_rows() -> None:
    passages = starter_passages()
    assert len(beside_pairs(passages, random.Random(0))) > 5_000
    assert {pair.label for pair in contrasted_pairs(passages, 200, 0)} >= {SUPPORTS, "R"}


def test_what_is_moved_to_another_subject_is_not_said_by_its_texts(embedder: Embedder) -> None:
    passages = [
        "Sharks are fish with skeletons of cartilage. Sharks breathe with gills under water.",
        "Dolphins are mammals that live in the sea. Dolphins breathe with lungs through a blowhole.",
        "The whale shark eats plankton and small fish. It is not a whale.",
        "The sperm whale dives for squid in deep water.",
    ]
    vectors = embedder.embed(passages)
    pairs = moved_pairs(passages, vectors, embedder.embed, 10, random.Random(2))
    assert pairs and {pair.label for pair in pairs} == {NOT_SUPPORTED}
    written = " ".join(passages)
    for pair in pairs:
        assert f"{pair.claim}." not in written and pair.evidence in written
    claims = {pair.claim for pair in pairs}
    assert any(claim.startswith(("Sharks ", "Dolphins ")) for claim in claims)
    assert not any(claim.startswith(("Sharks dives", "Dolphins eats")) for claim in claims)
    assert moved_pairs(passages, vectors, embedder.embed, 10, random.Random(2)) == pairs


def test_written_claims_stand_for_facts_and_in_no_test_set() -> None:
    passages = starter_passages()
    pairs = written_pairs(passages)
    labels = Counter(pair.label for pair in pairs)
    assert len(pairs) > 15_000 and min(labels.values()) > 0.3 * len(pairs) and set(labels) == set(CODES)
    assert {pair.evidence for pair in pairs} <= set(passages)
    rows = (row for path in DATA.glob("*.jsonl") for row in read_rows(path.with_suffix("")))
    tested = {normalised(row["claim"]) for row in rows if "claim" in row}
    assert not tested & {normalised(pair.claim) for pair in pairs}
    assert written_pairs([passages[0] + " It is old."]) == []


def test_upper_layers_on_kept_lower_ones_read_as_the_whole_network(job: Job) -> None:
    network = ReaderNetwork(job.encoder).eval()
    ids = encode(
        load_tokenizer(job.encoder), [("A claim.", "A text."), ("A longer claim than that.", "Another text.")], 64
    )
    upper = Upper(network, 1)
    with torch.inference_mode():
        found = upper(upper.lowered(ids)).numpy()
    assert np.allclose(found, read_pairs(network, ids), atol=5e-3)  # kept in half precision


def test_what_is_taught_is_learned_and_lower_layers_stay(job: Job) -> None:
    lesson = Lesson(
        written=20, beside=300, stated=20, contrasted=20, moved=20, replayed=40, first=1, rank=4, rate=1e-2, passes=3
    )
    before, after = ReaderNetwork(job.encoder), teach(job, lesson)
    before.load_state_dict(torch.load(job.out / "state.pt", weights_only=True))
    pairs = [(pair.claim, pair.evidence) for pair in beside_pairs(starter_passages()[:150], random.Random(3))]
    ids = encode(load_tokenizer(job.encoder), pairs, lesson.tokens)
    open_before, open_after = (read_pairs(each.eval(), ids)[:, :3].argmax(1) == 2 for each in (before, after))
    assert open_after.mean() > max(0.8, open_before.mean())
    kept = after.state_dict()["encoder.encoder.layer.0.output.dense.weight"]
    assert torch.allclose(kept, before.state_dict()["encoder.encoder.layer.0.output.dense.weight"], atol=0.02)


def test_a_folder_without_a_reader_is_one_clear_line(
    job: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = {"--start": tmp_path, "--data": job.data, "--encoder": job.encoder, "--out": tmp_path / "out"}
    assert main([str(word) for option in folders.items() for word in option]) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: ") and "holds neither" in last
