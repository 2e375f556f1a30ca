from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from errors import InputError
from kb.record import NewEvidence, Origin
from models.pairs import normalised, read_rows
from verifier.evaluation.cases import Case, read_cases
from verifier.schema import Verdict

DATA = Path(__file__).parents[2] / "data"
OURS = DATA / "claims.jsonl"


def jsonl(folder: Path, *rows: object) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_row_of_json_lines_becomes_a_case_with_its_evidence(tmp_path: Path) -> None:
    full = {
        "id": "tower-1",
        "claim": " The tower is 90 metres tall. ",
        "expected": "Misleading",
        "difficulty": "hard",
        "kind": "number",
        "evidence": [
            "The tower is 80 metres tall.",
            {"text": "It has 300 steps.", "url": "https://a.example/x", "title": "T", "published": "2024-05-31"},
            {"text": "Rated.", "source": "https://b.example", "rating": "Mostly false", "published_at": "2024-06-01"},
        ],
    }
    bare = {"claim": "Nothing is known of it.", "expected": "NEI", "colour": "passed over"}
    nothing = {
        "id": 7,
        "claim": "Judge this by nothing.",
        "expected": "NOT_VERIFIABLE".replace("_", " "),
        "evidence": [],
    }
    assert read_cases(jsonl(tmp_path, full, bare, nothing)) == [
        Case(
            "tower-1",
            "The tower is 90 metres tall.",
            Verdict.MISLEADING,
            "hard",
            "number",
            (
                NewEvidence("The tower is 80 metres tall."),
                NewEvidence(
                    "It has 300 steps.", "https://a.example/x", "T", published_at=datetime(2024, 5, 31, tzinfo=UTC)
                ),
                NewEvidence(
                    "Rated.",
                    "https://b.example",
                    published_at=datetime(2024, 6, 1, tzinfo=UTC),
                    rating="Mostly false",
                    origin=Origin.USER,
                ),
            ),
        ),
        Case("2", "Nothing is known of it.", Verdict.NOT_ENOUGH_EVIDENCE, given=None),
        Case("7", "Judge this by nothing.", Verdict.NOT_VERIFIABLE, given=()),
    ]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("True", Verdict.TRUE),
        ("FALSE", Verdict.FALSE),
        (True, Verdict.TRUE),
        (False, Verdict.FALSE),
        ("partially  true", Verdict.PARTIALLY_TRUE),
        ("misleading", Verdict.MISLEADING),
        ("not enough evidence", Verdict.NOT_ENOUGH_EVIDENCE),
        ("Not Verifiable", Verdict.NOT_VERIFIABLE),
        ("SUPPORTED", Verdict.TRUE),
        ("Refuted", Verdict.FALSE),
        ("Mixed", Verdict.PARTIALLY_TRUE),
        ("NEI", Verdict.NOT_ENOUGH_EVIDENCE),
        ("NOT ENOUGH INFO", Verdict.NOT_ENOUGH_EVIDENCE),
        ("SUPPORTS", Verdict.TRUE),
        ("REFUTES", Verdict.FALSE),
    ],
)
def test_expected_verdicts_may_be_said_on_several_scales(tmp_path: Path, said: object, verdict: Verdict) -> None:
    (case,) = read_cases(jsonl(tmp_path, {"claim": "c", "expected": said}))
    assert case.expected is verdict


def test_a_table_is_read_with_quotes_and_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text(
        '\ufeffclaim,expected,kind\n"Salt, it is said,\nis white",True,colour\nSnow is red,false,\n', "utf-8"
    )
    assert read_cases(path) == [
        Case("1", "Salt, it is said,\nis white", Verdict.TRUE, kind="colour"),
        Case("2", "Snow is red", Verdict.FALSE),
    ]


def test_the_claims_written_for_testing_are_cases() -> None:
    cases = read_cases(OURS)
    assert len(cases) > 1_000 and {case.expected for case in cases} <= set(Verdict)
    assert cases[0].id == "1" and cases[0].claim.startswith("The vaccines against COVID-19")


GOOD = {"claim": "c", "expected": "True"}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([GOOD, {"claim": "d"}], r"cases\.jsonl, line 2: no expected verdict; .* one of True, False, Partially True,"),
        ([{"claim": "d", "expected": "Perhaps"}], r"line 1: 'Perhaps' is not a verdict; .*Mixed, NEI"),
        ([{"claim": "d", "expected": 1}], r"line 1: '1' is not a verdict"),
        ([GOOD, {"claim": "  ", "expected": "True"}], r'line 2: no claim; every row needs a text in "claim"'),
        ([{"claim": ["d"], "expected": "True"}], r'line 1: "claim" must be text, not list'),
        ([GOOD | {"id": "a"}, GOOD | {"id": "a"}], r"line 2: the id 'a' is that of line 1 too"),
        ([GOOD | {"id": 2}, GOOD], r"line 2: the id '2' is that of line 1 too"),
        ([GOOD | {"id": 1.5}], r'line 1: "id" must be text, not float'),
        (["a claim"], r"line 1: a row must be an object"),
        ([GOOD | {"evidence": "a text"}], r'line 1: "evidence" must be a list .* not str'),
        ([GOOD | {"evidence": [3]}], r"line 1, evidence 1: must be a text or an object .* not int"),
        ([GOOD | {"evidence": ["a", {"title": "t"}]}], r"line 1, evidence 2: text is empty"),
        (
            [GOOD | {"evidence": ["a" * 4_001]}],
            r"evidence 1: text must have at most 4,000 .* has 4,001; give it as sev",
        ),
        ([GOOD | {"evidence": [{"text": "a", "published": "May"}]}], r"evidence 1: published_at must be an ISO 8601"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, rows: list[object], problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        read_cases(jsonl(tmp_path, *rows))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.jsonl", "\n", "a.jsonl: no cases in it"),
        ("a.jsonl", '{"claim": "c", "expected": "True"}\n\n{"claim":', "a.jsonl, line 3: not JSON"),
        ("a.txt", "c", "a.txt: a file of cases must end in .jsonl or .csv"),
        ("a.csv", "", "a.csv: the first line must name a column 'claim', it names nothing"),
        ("a.csv", "claim,verdict\nc,True\n", "a column 'expected', it names claim, verdict"),
        ("a.csv", "claim,expected\nc,True\nSalt, is white,True\n", "line 3: more cells than the 2 columns"),
        ("a.csv", 'claim,expected\n"c,True\n', "a.csv, line 2: not CSV"),
        ("a.csv", "claim,expected,evidence\nc,True,a text\n", 'line 2: "evidence" must be a list .* only .jsonl'),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, name: str, content: str, problem: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read_cases(tmp_path / name)


def test_one_split_of_a_file_is_read() -> None:
    dev, test, everything = (read_cases(DATA / "news_claims.jsonl", split) for split in ("dev", "test", ""))
    assert (len(dev), len(test), len(everything)) == (170, 170, 340)
    assert {case.split for case in dev} == {"dev"} and {case.split for case in test} == {"test"}


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.csv"):
        read_cases(tmp_path / "none.csv")


def test_no_blind_claim_stands_in_another_set() -> None:
    blind = {normalised(row["claim"]) for row in read_rows(DATA / "blind_claims")}
    sets = (path.with_suffix("") for path in DATA.glob("*.jsonl") if path.stem != "blind_claims")
    others = [row for path in sets for row in read_rows(path)]
    assert len(blind) == 835
    assert not blind & {normalised(row["claim"]) for row in others if "claim" in row}
