"""The command line as users run it: its output and its exit status, four times from a cold start."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from kb.store.evidence_store import EvidenceStore
from models.files import WEIGHTS_FOLDER
from tests.commandline import run, run_process


@pytest.fixture
def kb(seeded: EvidenceStore, tmp_path: Path) -> str:
    """A copy of the seeded store, so that no command has to fill one."""
    shutil.copytree(seeded.uri, tmp_path / "store")
    return str(tmp_path / "store")


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_verify_prints_a_report_and_logs_it(kb: str) -> None:
    done = run_process("verifier", "verify", "The Earth is flat", "--no-web", "--kb", kb)
    assert done.status == 0 and done.out.startswith("False   confidence")
    shown = run("verifier", "log", "show", "--json")
    assert json.loads(shown.out)["original_claim"] == "The Earth is flat"
    assert run("verifier", "log", "delete").out == "1 entries deleted\n"
    assert run("verifier", "log", "show").out == ""


def test_verify_prints_json_and_keeps_no_log_when_told_so(kb: str, tmp_path: Path) -> None:
    done = run("verifier", "verify", "Water boils at 50C", "--json", "--no-web", "--kb", kb, VERIFIER_LOG="off")
    result = json.loads(done.out)
    assert done.status == 0 and result["verdict"] == "False"
    assert result["citations"][0]["quote"] in result["evidence"][result["citations"][0]["number"] - 1]["text"]
    assert not (tmp_path / "log.jsonl").exists()


def test_verify_writes_a_page_and_refuses_what_it_cannot_write_before_it_loads_anything(
    kb: str, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    done = run("verifier", "verify", "The Earth is flat", "--no-web", "--kb", kb, "--out", str(page))
    assert done.status == 0 and done.out == "" and f"False: written to {page} as html" in done.err
    assert "<mark>" in page.read_text(encoding="utf-8")
    for name, rule in (("none/report.html", "a folder that exists"), ("report.docx", "name it with --format")):
        assert rule in run("verifier", "verify", "x y", "--out", str(tmp_path / name)).error
    assert run("verifier", "verify", "x y", "--json", "--format", "html").status == 2


VASCO = "The Vasco bridge was opened on 3 May 1931. It is painted grey, as most bridges of its time are. "


def test_verify_judges_by_a_file_of_evidence_alone(tmp_path: Path) -> None:
    evidence = tmp_path / "evidence.jsonl"
    evidence.write_text(
        '{"text": "The Vasco bridge was opened on 3 May 1931.", "source": "https://archive.example/1"}\n'
    )
    done = run(
        "verifier",
        "verify",
        "The Vasco bridge was opened in 1931",
        "--evidence",
        str(evidence),
        "--json",
        "--kb",
        "/dev/null/unused",
    )
    result = json.loads(done.out)
    assert (result["verdict"], len(result["evidence"])) == ("True", 1)
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><article><p>{VASCO * 4}</p></article></body></html>")
    done = run_process(
        "verifier", "verify", "-", "--evidence", str(page), "--json", given="The Vasco bridge was opened in 1931"
    )
    assert json.loads(done.out)["verdict"] == "True"
    evidence.write_text('{"text": "fine"}\n{"text": ""}\n')
    assert (
        "evidence.jsonl, line 2: text is empty"
        in run("verifier", "verify", "x is y", "--evidence", str(evidence)).error
    )


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("", "the claim is empty"),
        ("   ", "the claim is empty"),
        ("a" * 2_001, "2,001 characters"),
        ("🎉🎉", "no letters"),
        ("\x01\x02", "the claim is empty"),
        ("\u202e\u200f", "the claim is empty"),
        ("<script>alert(1)</script>", "contains HTML"),
        ("https://a.example/x", "the web is switched off"),
    ],
)
def test_what_is_no_claim_ends_with_one_line_and_exit_code_2(claim: str, words: str) -> None:
    assert words in run("verifier", "verify", claim).error


def test_batch_checks_every_row_and_goes_on_where_it_stopped(kb: str, tmp_path: Path) -> None:
    rows, out = tmp_path / "claims.csv", tmp_path / "out.jsonl"
    rows.write_text(
        'claim\nThe Earth is flat\n""\nPizza tastes better than burgers\nIndia became independent in 1947\n'
    )
    done = run("verifier", "batch", str(rows), "--out", str(out), "--no-web", "--kb", kb)
    assert done.status == 0 and "4 rows written" in done.err and "1 could not be checked" in done.err
    results = json_lines(out)
    assert [result["status"] for result in results] == ["ok", "failed", "ok", "ok"]
    assert [result.get("verdict") for result in results] == ["False", None, "Not Verifiable", "True"]
    out.write_text("".join(out.read_text().splitlines(keepends=True)[:2]))
    assert "2 rows written" in run("verifier", "batch", str(rows), "--out", str(out), "--no-web", "--kb", kb).err
    assert [result["input"] for result in json_lines(out)] == [result["input"] for result in results]


def test_classify_one_and_many(tmp_path: Path) -> None:
    found = json.loads(run("verifier", "classify", "Minecraft is the best 2D game", "--json").out)
    assert (found["claim_type"], found["extracted_claim"]) == ("MIXED", "Minecraft is a 2D game") and found["reason"]
    rows, out = tmp_path / "claims.txt", tmp_path / "out.jsonl"
    rows.write_text("The Earth is flat\n🎉\nIt's true\n", encoding="utf-8")
    assert run("verifier", "classify", "--in", str(rows), "--out", str(out)).status == 0
    results = json_lines(out)
    assert [result.get("claim_type") for result in results] == ["FACTUAL", None, "AMBIGUOUS"]
    assert results[1]["status"] == "failed" and "no letters" in results[1]["error"]
    assert "give either a claim, or --in" in run("verifier", "classify").error


def test_stance_of_pairs(tmp_path: Path) -> None:
    rows, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    rows.write_text(
        '{"claim": "The Earth is flat", "evidence": "The Earth is not flat."}\n{"claim": "no evidence"}\n{"claim": "a", "evidence": " "}\n'
    )
    assert run("verifier", "stance", "--in", str(rows), "--out", str(out)).status == 0
    results = json_lines(out)
    assert results[0]["label"] == "refutes" and sum(results[0]["probabilities"].values()) == pytest.approx(1, abs=1e-3)
    assert [result["status"] for result in results] == ["ok", "failed", "failed"]


def test_the_store_is_filled_searched_and_counted(tmp_path: Path) -> None:
    kb, rows = str(tmp_path / "new"), tmp_path / "rows.jsonl"
    rows.write_text(
        '{"text": "The Vasco bridge was opened on 3 May 1931.", "source": "https://archive.example/1"}\nbroken\n'
    )
    added = run_process("kb", "add", str(rows), "--kb", kb, "--json", VERIFIER_STARTER="on")
    assert json.loads(added.out)["added"] == 1 and "line 2: not JSON" in added.err
    again = json.loads(run("kb", "add", str(rows), "--kb", kb, "--json").out)
    assert (again["added"], again["merged"], again["skipped"]) == (0, 1, 1)
    found = json.loads(run("kb", "search", "When was the Vasco bridge opened?", "--json", "--kb", kb).out)
    assert found[0]["text"].startswith("The Vasco bridge") and found[0]["source"] == "https://archive.example/1"
    stats = json.loads(run("kb", "stats", "--json", "--kb", kb).out)
    assert stats["records"] == again["records"] > 7_500 and stats["origin"]["user"] == 1


@pytest.mark.parametrize(
    "command", [["verifier", "verify", "The Earth is flat"], ["kb", "stats"], ["kb", "search", "moon"]]
)
def test_a_store_that_cannot_be_opened_is_one_line(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "cannot open the evidence store" in run(*command, "--kb", str(tmp_path / "file")).error


def test_a_damaged_store_is_one_line_and_left_as_it_is(kb: str) -> None:
    manifests = list((Path(kb) / "evidence.lance" / "_versions").iterdir())
    for manifest in manifests:
        os.truncate(manifest, 10)
    assert "python -m kb check" in run_process("verifier", "verify", "The Earth is flat", "--kb", kb).error
    assert manifests and {manifest.stat().st_size for manifest in manifests} == {10}


def test_a_weight_cut_short_is_one_line(kb: str, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    shutil.copytree(WEIGHTS_FOLDER, weights, copy_function=os.symlink)
    (weights / "claim-type.gguf").unlink()
    (weights / "claim-type.gguf").write_bytes((WEIGHTS_FOLDER / "claim-type.gguf").read_bytes()[:1_000_000])
    done = run("verifier", "verify", "The Earth is flat", "--kb", kb, VERIFIER_WEIGHTS=str(weights))
    assert "claim-type.gguf is cut short (1,000,000 of" in done.error


def test_a_wrong_setting_is_one_line() -> None:
    assert (
        "VERIFIER_WEB must be on or off" in run("verifier", "verify", "The Earth is flat", VERIFIER_WEB="perhaps").error
    )


def test_a_model_is_measured_from_the_command_line(tmp_path: Path) -> None:
    out, rows = tmp_path / "results.csv", tmp_path / "pairs" / "fever_symmetric.jsonl"
    row = {"src": "", "split": "test", "id": "", "group": "", "claim": "The Vasco bridge opened in 1931.", "label": "S"}
    rows.parent.mkdir()
    rows.write_text(json.dumps(row | {"evidence": "The Vasco bridge was opened by the queen in 1931."}) + "\n")
    done = run("lab.evaluation", "stance", "--data", str(tmp_path), "--out", str(out))
    assert done.status == 0 and "| fever_symmetric test | 1 | 1.000 |" in done.out
    assert out.read_text().startswith("model,suite,split,rows,measure,value\nbundled,stance,fever_symmetric test,1,")


def test_evaluate_says_what_it_needs(tmp_path: Path) -> None:
    assert "give its folder with --data DIR" in run("lab.evaluation", "stance").error
    missing = ("lab.evaluation", "retrieval", "--data", str(tmp_path / "none"))
    assert "none is not a folder" in run(*missing).error
    empty = ("lab.evaluation", "stance", "--data", str(tmp_path))
    assert f"the data folder {tmp_path} is not complete" in run(*empty).error
    foreign = (*empty, "--model", str(WEIGHTS_FOLDER / "embedder.gguf"))
    assert "it is another model" in run(*foreign).error
