from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from errors import InputError
from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from verifier.__main__ import main
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.evaluation import guarantee
from verifier.evaluation.cases import Case, Rationale, read_cases, with_texts_of_topic
from verifier.evaluation.endtoend import EndToEnd
from verifier.evaluation.endtoend import read as read_request
from verifier.evaluation.run import ReadOnly, run_cases, selection, violations_of
from verifier.judgement.grades import Kind, in_use
from verifier.schema import Citation, Tier, Verdict
from verifier.settings import Settings

DATA = Path(__file__).parents[2] / "data"
ROWS = [
    {"id": "a", "claim": "The Vasco bridge opened in 1931", "expected": "True", "kind": "year"},
    {"id": "b", "claim": "The Vasco bridge opened in 1950", "expected": "False", "kind": "year"},
    {"id": "c", "claim": "The Vasco bridge is painted green", "expected": "NEI", "kind": "open"},
]
TEXTS = [
    {"text": "The Vasco bridge in Porto Belo opened to traffic in 1931.", "source": "https://one.example/a"},
    {"text": "Porto Belo's Vasco bridge was opened on 3 May 1931.", "source": "https://two.example/b"},
]


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_of_cases_is_run_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases, texts = write(tmp_path / "cases.jsonl", ROWS), write(tmp_path / "texts.jsonl", TEXTS)
    out = tmp_path / "results.csv"
    arguments = ["evaluate", "--cases", str(cases), "--evidence", str(texts)]
    assert main([*arguments, "--out", str(out), "--pictures", str(tmp_path / "pictures")]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert [row["predicted"] for row in rows] == ["True", "False", "Not Enough Evidence"]
    printed = capsys.readouterr().out
    assert "accuracy | 1.000" in printed and "violations | 0" in printed
    for name in ("confusion", "reliability", "coverage"):
        assert (tmp_path / "pictures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"


def test_grades_are_tested_on_files_by_given_texts_and_by_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(guarantee, "FEWEST", 1)
    by_text = write(tmp_path / "bridge.jsonl", [row | {"topic": "bridge"} for row in ROWS])
    by_store = write(tmp_path / "store.jsonl", [{"claim": "The Earth is flat", "expected": "False"}])
    texts, out = write(tmp_path / "texts.jsonl", [row | {"topic": "bridge"} for row in TEXTS]), tmp_path / "grades.json"
    asked = ["--evidence", str(texts), "--given", "--guarantee", "0.9", "--out", str(out)]
    assert main(["evaluate", "--cases", str(by_text), "--cases", str(by_store), *asked]) == 0
    assert "cases | 4" in (printed := capsys.readouterr().out) and "| store | 0.9 | did not pass |" in printed
    grades = in_use(out, tmp_path)
    assert grades and set(grades.claims) == {"bridge.jsonl", "store.jsonl"}
    assert [(each.kind, each.grade.n, each.grade.errors) for each in grades.tested] == [
        (Kind.GIVEN, 2, 0),
        (Kind.ALL, 3, 0),
    ]


def test_nothing_is_written_that_was_not_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, texts = write(tmp_path / "cases.jsonl", ROWS[:1]), write(tmp_path / "texts.jsonl", TEXTS)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert main(["evaluate", "--cases", str(cases), "--evidence", str(texts)]) == 0
    assert "accuracy | 1.000" in capsys.readouterr().out and list(here.iterdir()) == []


def test_a_users_store_is_asked_and_stays_as_it_is(
    models: Models, store: EvidenceStore, settings: Settings, tmp_path: Path
) -> None:
    before = store.version
    cases = read_cases(write(tmp_path / "cases.jsonl", [{"claim": "The Earth is flat", "expected": "False"}]))
    ((row, result),) = run_cases(cases, Verifier(models, ReadOnly(store), None, settings))
    assert row.correct and row.latency > 0 and row.tool_calls > 1 and row.violations == ()
    assert result is not None and result.citations
    store.close()
    assert store.version == before


def test_what_cannot_be_checked_is_a_row_without_a_verdict(verifier: Verifier) -> None:
    ((row, result),) = run_cases([Case("1", "https://a.example/x", Verdict.TRUE)], verifier)
    assert result is None and row.predicted is None and "web address" in row.reason and not row.correct


def test_misleading_counts_as_partly_true_only_where_a_set_knows_no_other_name(verifier: Verifier) -> None:
    text = "The jobless rate fell in Orso in March, as claimed. We rate this misleading: the way of counting changed."
    case = Case("1", "The jobless rate fell in Orso in March", Verdict.PARTIALLY_TRUE, given=(NewEvidence(text),))
    both = [case, replace(case, id="2", expected=Verdict.MISLEADING)]
    assert [row.predicted for row, _ in run_cases([case], verifier)] == [Verdict.PARTIALLY_TRUE]
    assert {row.predicted for row, _ in run_cases(both, verifier)} == {Verdict.MISLEADING}


def test_a_broken_rule_is_counted(verifier: Verifier) -> None:
    result = verifier.verify("The Earth is flat")
    assert violations_of(result) == []
    wrong = replace(result, confidence=1.0, citations=(), evidence=result.evidence * 9)
    found = violations_of(wrong)
    assert any("confidence 1.0" in rule for rule in found) and "False without a citation" in found
    assert any("25 are allowed" in rule for rule in found)
    assert "high confidence on social media alone" in violations_of(replace(result, tier=Tier.HIGH, evidence=()))


def test_sentence_selection_counts_cited_gold_sentences(verifier: Verifier) -> None:
    result = verifier.verify("The Earth is flat")
    first = result.citations[0].quote
    case = Case("1", "x", Verdict.FALSE, evidence_spans=(Rationale("", (f"{first}.", "Another sentence.")),))
    cited = replace(result, citations=(result.citations[0], Citation(2, "Not gold", 0, 8, "", "")))
    assert selection(case, cited) == (1, 2, 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "needs --cases"),
        (["--cases", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (["--cases", "averitec"], "--data DIR"),
        (["--cases", str(DATA / "news_claims.jsonl"), "--kb", "/proc/nowhere"], "/proc/nowhere"),
        (["--cases", "a.csv", "--cases", "b.csv"], "only with --guarantee"),
        (["--cases", str(DATA / "claims.jsonl"), "--guarantee", "5"], "between 0 and 1"),
        (["--cases", str(DATA / "claims.jsonl"), "--guarantee", "0.05"], "needs --out"),
        (["--cases", "scifact", "--guarantee", "0.05", "--out", "grades.json"], "scifact is none"),
    ],
)
def test_what_cannot_be_run_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *arguments]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("error: ") and words in error


def test_the_split_of_a_file_is_respected() -> None:
    news = str(DATA / "news_claims.jsonl")
    dev, test = (read_request(EndToEnd(news, split=split)) for split in ("dev", "test"))
    assert (len(dev), len(test)) == (170, 170) and not {case.id for case in dev} & {case.id for case in test}
    assert len(read_request(EndToEnd(news, split="dev", limit=7))) == 7


def test_a_case_may_be_judged_by_the_texts_of_its_topic_alone(tmp_path: Path) -> None:
    news, passages = str(DATA / "news_claims.jsonl"), DATA / "news_passages.jsonl"
    cases = read_request(EndToEnd(news, split="test", evidence=passages, given=True))
    first = [json.loads(line) for line in passages.read_text(encoding="utf-8").splitlines()]
    for case in cases[:20]:
        assert case.given and [piece.text for piece in case.given] == [
            row["text"] for row in first if row["topic"] == case.topic
        ]
    with pytest.raises(InputError, match="--given needs --evidence"):
        read_request(EndToEnd(news, given=True))
    with pytest.raises(InputError, match="no text of the topic"):
        read_request(EndToEnd(news, evidence=write(tmp_path / "texts.jsonl", TEXTS), given=True))


def test_the_own_sets_are_as_large_as_they_are_said_to_be() -> None:
    passages = [json.loads(line) for line in (DATA / "news_passages.jsonl").read_text(encoding="utf-8").splitlines()]
    claims = [json.loads(line) for line in (DATA / "news_claims.jsonl").read_text(encoding="utf-8").splitlines()]
    retold = [json.loads(line) for line in (DATA / "retellings.jsonl").read_text(encoding="utf-8").splitlines()]
    topics = {row["topic"] for row in claims}
    assert len(topics) == 68 and len(claims) == 340 and len(passages) == 224
    assert len(retold) == 200 and sum(row["kind"] == "mirror" for row in retold) == 100
    graded = read_cases(DATA / "guarantee_claims.jsonl")
    halves = [{case.topic for case in graded if case.split == split} for split in ("dev", "test")]
    assert len(graded) == 1495 and [len(half) for half in halves] == [150, 150] and not halves[0] & halves[1]
    assert all(case.given for case in with_texts_of_topic(graded, DATA / "guarantee_passages.jsonl"))
