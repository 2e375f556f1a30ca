from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics import average_precision_score, f1_score, ndcg_score

from errors import InputError
from lab.evaluation import claim_type, relevance, retellings, retrieval, stance, worth
from lab.evaluation.figures import Figure, as_table, write_csv
from lab.training.worth import fit
from models.metrics import (
    expected_calibration_error,
    macro_f1,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    reliability,
    softmax,
)
from models.readers.fitting import fit_scale, temperature_of
from verifier.build import load_embedder
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.settings import Settings

RNG = np.random.default_rng(0)


def test_macro_f1_is_the_published_one() -> None:
    truth, guess = RNG.integers(0, 3, 500), RNG.integers(0, 3, 500)
    assert macro_f1(guess, truth) == pytest.approx(f1_score(truth, guess, average="macro"))


def test_ranking_measures() -> None:
    ranked, relevant = ["a", "b", "c", "d"], {"b", "d", "z"}
    assert recall_at(2, ranked, relevant) == pytest.approx(1 / 3)
    assert reciprocal_rank(ranked, relevant) == 0.5 and reciprocal_rank(ranked, {"z"}) == 0
    truth = np.array([[0, 1, 0, 1]])
    assert ndcg_at(3, ranked, {"b", "d"}) == pytest.approx(ndcg_score(truth, np.array([[4, 3, 2, 1]]), k=3))


def test_calibration_error_is_zero_only_where_confidence_is_frequency() -> None:
    sure = np.tile([[0.75, 0.25]], (400, 1))
    right = np.array([0, 0, 0, 1] * 100)
    assert expected_calibration_error(sure, right) == pytest.approx(0)
    assert expected_calibration_error(sure, np.ones(400, dtype=np.int64)) == pytest.approx(0.75)
    assert reliability(sure, right) == [(0.75, 0.75, 400)]


def test_temperature_undoes_overconfidence() -> None:
    logits = RNG.normal(size=(4_000, 3)) * 1.5
    truth = np.array([RNG.choice(3, p=row) for row in softmax(logits)])
    assert temperature_of(logits * 2.5, truth) == pytest.approx(2.5, rel=0.1)


def test_scale_makes_scores_log_odds() -> None:
    odds = RNG.normal(size=4_000) * 2
    relevant = RNG.random(4_000) < 1 / (1 + np.exp(-odds))
    found = fit_scale(odds * 3 + 1, relevant)
    assert found["scale"] == pytest.approx(1 / 3, rel=0.15) and found["offset"] == pytest.approx(-1 / 3, abs=0.15)


def test_figures_become_a_table_and_a_file(tmp_path: Path) -> None:
    figures = [Figure("stance", "a", 1_200, "accuracy", 0.5), Figure("stance", "b", 3, "macro-F1", 0.25)]
    assert as_table(figures).splitlines()[2:] == ["| a | 1,200 | 0.500 |  |", "| b | 3 |  | 0.250 |"]
    write_csv(figures, "x.gguf", tmp_path / "r.csv")
    with (tmp_path / "r.csv").open() as file:
        assert list(csv.DictReader(file))[1] == {
            "model": "x.gguf",
            "suite": "stance",
            "split": "b",
            "rows": "3",
            "measure": "macro-F1",
            "value": "0.25",
        }


def test_stance_is_measured_on_the_held_out_rows_only(models: Models, tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    rows = [
        {"src": "", "split": split, "id": "", "group": "", "claim": claim, "label": label}
        | {"evidence": "The Vasco bridge was opened by the queen in 1931."}
        for split, claim, label in (
            ("train", "Nothing of this is measured.", "S"),
            ("test", "The Vasco bridge was opened in 1931.", "S"),
            ("test", "The Vasco bridge was never opened.", "R"),
            ("test", "Penguins live in Antarctica.", "N"),
        )
    ]
    (tmp_path / "pairs/fever_symmetric.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    figures = {(f.split, f.measure): f for f in stance.evaluate(models.stance, tmp_path)}  # type: ignore[arg-type]
    found = figures["fever_symmetric test", "accuracy"]
    assert found.rows == 3 and found.value == 1
    assert figures["all test rows", "accuracy"].value == 1
    with pytest.raises(FileNotFoundError, match="no dev rows"):
        stance.evaluate(models.stance, tmp_path, "dev")  # type: ignore[arg-type]


def test_claim_types_reach_their_mark_on_the_claims_written_for_testing(models: Models, tmp_path: Path) -> None:
    figures = claim_type.evaluate(models.claim_type, diagram=tmp_path / "d.png")  # type: ignore[arg-type]
    assert Image.open(tmp_path / "d.png").size == (540, 540)
    found = {(f.split, f.measure): f.value for f in figures}
    assert found["hand-written claims", "accuracy"] >= 0.9
    assert found["hand-written claims", "calibration error"] < 0.06
    assert len(figures) == 7


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Abstracts, claims and questions in SciFact's and SelQA's format."""
    (tmp_path / "ranking/scifact").mkdir(parents=True)
    (tmp_path / "ranking/selqa").mkdir(parents=True)
    topics = {"1": "Aspirin and headaches", "2": "Whales in the Pacific", "3": "Steel bridges", "4": "Bread and yeast"}
    topics |= {str(n): f"Unrelated report number {n}" for n in range(5, 30)}
    docs = [{"doc_id": int(key), "title": title, "abstract": [f"We studied {title}."]} for key, title in topics.items()]
    with gzip.open(tmp_path / "ranking/scifact/corpus.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(doc) + "\n" for doc in docs)
    claims = [{"id": 1, "claim": "Aspirin relieves headaches.", "evidence": {}, "cited_doc_ids": [1]}]
    (tmp_path / "ranking/scifact/claims_dev.jsonl").write_text("".join(json.dumps(claim) + "\n" for claim in claims))
    questions = [
        {
            "question": "Where do whales live?",
            "candidates": "['Bread rises.', 'Whales live in the sea.']",
            "answers": "[1]",
        }
    ]
    with gzip.open(tmp_path / "ranking/selqa/selqa-ass-test.json.gz", "wt") as file:
        json.dump(questions, file)
    return tmp_path


def test_retrieval_and_relevance_find_what_is_there(models: Models, base: Settings, library: Path) -> None:
    embedder = load_embedder(base)
    found = {(f.split, f.measure): f.value for f in retrieval.evaluate(embedder, library)}
    assert found["SciFact dev, 29 abstracts", "recall@5"] == 1 and found["SelQA test", "MRR"] == 1
    reranked = {f.measure: f.value for f in relevance.evaluate(models.reranker, embedder, library)}
    assert reranked == {"nDCG@10 embedder": 1, "nDCG@10 reranked": 1, "MRR": 1}


def test_retellings_are_taken_for_support_less_often_than_their_mirrors(models: Models, base: Settings) -> None:
    found = retellings.evaluate(Verifier(models, None, None, base), "dev", limit=8)
    shares = {(figure.split, figure.measure): figure.value for figure in found}
    assert [figure.rows for figure in found] == [8] * 4
    for measure in ("read as support", "called True"):
        assert shares["retold", measure] < 0.5 < shares["mirrors", measure]


def test_average_precision_is_the_published_one() -> None:
    truth, scores = RNG.integers(0, 2, 300), RNG.normal(size=300)
    assert worth.average_precision(list(scores), truth) == pytest.approx(average_precision_score(truth, scores))


def test_worth_is_measured_on_debates(models: Models, tmp_path: Path) -> None:
    folder = tmp_path / "claim_type" / "claimbuster"
    folder.mkdir(parents=True)
    rows = [("Unemployment has risen to 9 percent since 2010.", 1), ("Good evening to all of you.", 0)]
    kept = [{"sentence_id": number, "label": label, "text": text} for number, (text, label) in enumerate(rows)]
    (folder / "two_class_test.json").write_text(json.dumps(kept))
    lines = [f'{number},TODD,"{text}",{label},a.tsv' for number, (text, label) in enumerate(rows)]
    (folder / "clef19_CT19-T1-Test.csv").write_text("\n".join(["line_number,speaker,text,label,file_name", *lines]))
    figures = worth.evaluate(models.claim_type, tmp_path)
    found = {(each.split, each.measure): each.value for each in figures}
    assert found["ClaimBuster, held out", "average precision"] == 1.0
    assert found["CLEF 2019 task 1, test", "share worth a check"] == 0.5
    (folder / "two_class_test.json").unlink()
    with pytest.raises(InputError, match="lacks two_class_test.json"):
        worth.evaluate(models.claim_type, tmp_path)


def test_a_fit_finds_the_features_that_matter() -> None:
    values = RNG.normal(size=(2_000, 3))
    truth = (RNG.random(2_000) < 1 / (1 + np.exp(-(2 * values[:, 0] - values[:, 2] + 0.5)))).astype(np.float64)
    weights, bias = fit(values, truth, penalty=1.0)
    assert weights == pytest.approx([2, 0, -1], abs=0.2) and bias == pytest.approx(0.5, abs=0.2)
