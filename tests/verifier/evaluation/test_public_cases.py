from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from errors import InputError
from kb.record import NewEvidence, Origin
from verifier.evaluation import SETS
from verifier.evaluation.cases import Case, Rationale
from verifier.evaluation.public import PUBLIC, load_public, scifact_corpus
from verifier.schema import Verdict

PAPER = "https://api.semanticscholar.org/CorpusID:"


def write(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())
    return path


def pair(name: str, split: str, group: str, claim: str, evidence: str, label: str, src: str = "") -> dict[str, str]:
    names = {"src": src, "split": split, "id": name, "group": group}
    return names | {"claim": claim, "evidence": evidence, "label": label}


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "ranking/scifact"
    docs = [
        {"doc_id": 11, "title": "Aspirin.\n", "abstract": ["We gave\n aspirin. ", "It helped."], "structured": False},
        {"doc_id": 12, "title": "Whales", "abstract": ["They swim."], "structured": True},
    ]
    write(folder / "corpus.jsonl.gz", *docs)
    sets = {"11": [{"sentences": [0, 1], "label": "SUPPORT"}, {"sentences": [1], "label": "SUPPORT"}]}
    against = {"12": [{"sentences": [0], "label": "CONTRADICT"}]}
    claims = [
        {"id": 1, "claim": "Aspirin helps.", "evidence": sets, "cited_doc_ids": [11]},
        {"id": 3, "claim": "Whales walk.", "evidence": against, "cited_doc_ids": [12]},
        {"id": 5, "claim": "Whales sing.", "evidence": {}, "cited_doc_ids": [12]},
    ]
    write(folder / "claims_dev.jsonl", *claims)
    return tmp_path


def test_scifact_has_verdicts_and_the_sentences_behind_them(papers: Path) -> None:
    both = Rationale(f"{PAPER}11", ("We gave aspirin.", "It helped."))
    assert load_public("scifact", papers) == [
        Case(
            "1",
            "Aspirin helps.",
            Verdict.TRUE,
            given=None,
            evidence_spans=(both, Rationale(f"{PAPER}11", ("It helped.",))),
        ),
        Case("3", "Whales walk.", Verdict.FALSE, evidence_spans=(Rationale(f"{PAPER}12", ("They swim.",)),)),
        Case("5", "Whales sing.", Verdict.NOT_ENOUGH_EVIDENCE),
    ]


def test_scifact_abstracts_keep_their_sentences(papers: Path) -> None:
    assert scifact_corpus(papers) == [
        NewEvidence("Aspirin.\nWe gave aspirin.\nIt helped.", f"{PAPER}11", "Aspirin.", Origin.KB),
        NewEvidence("Whales\nThey swim.", f"{PAPER}12", "Whales", Origin.KB),
    ]


def test_a_claim_that_papers_support_and_contradict_is_true_in_part(papers: Path) -> None:
    split = {
        "11": [{"sentences": [0], "label": "SUPPORT"}],
        "12": [{"sentences": [0], "label": "CONTRADICT"}],
    }
    write(papers / "ranking/scifact/claims_dev.jsonl", {"id": 1, "claim": "c", "evidence": split, "cited_doc_ids": []})
    assert [case.expected for case in load_public("scifact", papers)] == [Verdict.PARTIALLY_TRUE]


def test_healthver_judges_each_pair_and_keeps_a_claim_together(tmp_path: Path) -> None:
    write(
        tmp_path / "pairs/healthver.jsonl.gz",
        pair("1", "train", "t0", "Not measured", "e", "S"),
        pair("9", "test", "t1", "Masks help", "They do .", "S"),
        pair("4", "test", "t1", "Masks harm", "They do.", "R"),
        pair("2", "test", "t1", "Masks help", "Who knows?", "N"),
    )
    assert load_public("healthver", tmp_path) == [
        Case("9", "Masks help", Verdict.TRUE, given=(NewEvidence("They do."),)),
        Case("2", "Masks help", Verdict.NOT_ENOUGH_EVIDENCE, given=(NewEvidence("Who knows?"),)),
        Case("4", "Masks harm", Verdict.FALSE, given=(NewEvidence("They do."),)),
    ]


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [
        ("SSNNN", Verdict.TRUE),
        ("NNNNR", Verdict.FALSE),
        ("NNNNN", Verdict.NOT_ENOUGH_EVIDENCE),
        ("SSSSR", Verdict.PARTIALLY_TRUE),
    ],
)
def test_climate_fever_claims_follow_from_their_sentences(tmp_path: Path, labels: str, verdict: Verdict) -> None:
    rows = [pair(f"Polar bear: a life:{i}", "all", "42", "Bears thrive", f"Text {i}.", x) for i, x in enumerate(labels)]
    other = pair("Ice:1", "all", "43", "Ice melts", "It does.", "S")
    write(tmp_path / "pairs/climate_fever.jsonl", *rows[:2], other, *rows[2:])
    first, second = load_public("climate_fever", tmp_path)
    assert (first.id, first.claim, first.expected) == ("42", "Bears thrive", verdict)
    assert (second.id, second.expected) == ("43", Verdict.TRUE)
    assert first.given is not None and [piece.text for piece in first.given] == [f"Text {i}." for i in range(5)]
    assert first.given[0].source == "https://en.wikipedia.org/wiki/Polar_bear%3A_a_life"
    assert first.given[0].title == "Polar bear: a life - Wikipedia"


def test_averitec_gives_its_questions_with_their_answers(tmp_path: Path) -> None:
    kept = "https://web.archive.org/web/20201129141238/https://news.example/a"
    plain = {"answer": "In a\nsatire", "answer_type": "Extractive", "source_url": kept, "source_medium": "Web text"}
    boolean = {"answer": "No", "answer_type": "Boolean", "source_url": "Metadata", "boolean_explanation": "He did not."}
    none = {"answer": "No answer could be found.", "answer_type": "Unanswerable", "source_url": "", "source_medium": ""}
    questions = [
        {"question": "Where was it published ", "answers": [plain]},
        {"question": "Did he sign?", "answers": [boolean, none]},
    ]
    labels = ["Refuted", "Supported", "Not Enough Evidence", "Conflicting Evidence/Cherrypicking"]
    types = ["Quote Verification", "Numerical Claim"]
    rows = [{"claim": f"Claim {x}", "label": x, "claim_types": types, "questions": questions} for x in labels]
    (tmp_path / "eval_only").mkdir()
    (tmp_path / "eval_only/averitec_dev.json.gz").write_bytes(gzip.compress(json.dumps(rows).encode()))
    cases = load_public("averitec", tmp_path)
    assert [case.expected for case in cases] == [
        Verdict.FALSE,
        Verdict.TRUE,
        Verdict.NOT_ENOUGH_EVIDENCE,
        Verdict.PARTIALLY_TRUE,
    ]
    assert [case.id for case in cases] == ["0", "1", "2", "3"]
    assert cases[0].kind == "Quote Verification + Numerical Claim" and cases[0].claim == "Claim Refuted"
    assert cases[0].given == (
        NewEvidence("Where was it published? In a satire", "https://news.example/a"),
        NewEvidence("Did he sign? No. He did not.", ""),
        NewEvidence("Did he sign? No answer could be found.", ""),
    )


def test_factcheckbench_claims_are_for_the_store(tmp_path: Path) -> None:
    rows = [{"claim": "Ice is cold.", "label": "true"}, {"claim": "Fire is cold.", "label": "false"}]
    write(tmp_path / "checkers/fire/factcheckbench_data.jsonl", *rows)
    assert load_public("factcheckbench", tmp_path) == [
        Case("1", "Ice is cold.", Verdict.TRUE, given=None),
        Case("2", "Fire is cold.", Verdict.FALSE, given=None),
    ]


@pytest.mark.parametrize("name", ["dev.jsonl", "dev.jsonl.gz"])
def test_fever_is_judged_by_texts_where_it_has_them(tmp_path: Path, name: str) -> None:
    pages = [[[1, 2, "Soul_Food_-LRB-film-RRB-", 0]]]
    path = write(
        tmp_path / name,
        {"id": 91198, "verifiable": "VERIFIABLE", "label": "SUPPORTS", "claim": "Fox made it.", "evidence": pages},
        {"id": 2, "label": "REFUTES", "claim": "He is dead.", "evidence": ["He lives.", {"text": "He is well."}]},
        {"id": 3, "label": "NOT ENOUGH INFO", "claim": "He is a vegan.", "evidence": []},
        {"id": 4, "label": "NOT ENOUGH INFO", "claim": "He is tall."},
    )
    assert load_public("fever", path) == [
        Case("91198", "Fox made it.", Verdict.TRUE),
        Case("2", "He is dead.", Verdict.FALSE, given=(NewEvidence("He lives."), NewEvidence("He is well."))),
        Case("3", "He is a vegan.", Verdict.NOT_ENOUGH_EVIDENCE),
        Case("4", "He is tall.", Verdict.NOT_ENOUGH_EVIDENCE),
    ]


def test_a_bad_row_of_fever_is_named(tmp_path: Path) -> None:
    rows = [{"id": 1, "label": "SUPPORTS", "claim": "a"}, {"id": 2, "label": "DISPUTED", "claim": "b"}]
    with pytest.raises(InputError, match=r"dev\.jsonl, line 2: 'DISPUTED' is not a verdict"):
        load_public("fever", write(tmp_path / "dev.jsonl", *rows))


def test_a_sample_is_the_same_at_every_call_and_in_order(tmp_path: Path) -> None:
    rows = [{"claim": f"Claim {i}.", "label": "true"} for i in range(1, 101)]
    write(tmp_path / "checkers/fire/factcheckbench_data.jsonl", *rows)
    sample = [int(case.id) for case in load_public("factcheckbench", tmp_path, 10)]
    assert sample == [int(case.id) for case in load_public("factcheckbench", tmp_path, 10)]
    assert sample == sorted(set(sample)) and len(sample) == 10 and sample != list(range(1, 11))
    assert len(load_public("factcheckbench", tmp_path, 500)) == 100


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_data_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=rf"^{name}: cannot read the data in .*--data"):
        load_public(name, tmp_path / "none")


def test_what_cannot_be_loaded_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="no public set 'liar'; there are scifact, healthver, climate_fever, averitec,"
    ):
        load_public("liar", tmp_path)
    with pytest.raises(InputError, match="fever: .* is a folder; give a .jsonl file"):
        load_public("fever", tmp_path)
    with pytest.raises(InputError, match="limit must be at least 1, not 0"):
        load_public("scifact", tmp_path, 0)
    with pytest.raises(InputError, match="scifact: cannot read the data"):
        scifact_corpus(tmp_path)
    write(tmp_path / "checkers/fire/factcheckbench_data.jsonl", {"claim": "c", "label": "maybe"})
    with pytest.raises(InputError, match="factcheckbench: .* not as its makers publish it: KeyError.*maybe"):
        load_public("factcheckbench", tmp_path)


def test_the_sets_are_those_that_the_command_line_names() -> None:
    assert tuple(PUBLIC) == SETS
