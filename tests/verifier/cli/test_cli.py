"""The command line as users run it: a process, its output, its exit code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kb.store.evidence_store import EvidenceStore
from models.files import WEIGHTS_FOLDER

ROOT = Path(__file__).parents[3]


@pytest.fixture
def kb(seeded: EvidenceStore, tmp_path: Path) -> str:
    """A copy of the seeded store, so that no command has to fill one."""
    shutil.copytree(seeded.uri, tmp_path / "store")
    return str(tmp_path / "store")


def run(*arguments: str, given: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        input=given,
        cwd=ROOT,
        env={**os.environ, **env},
        timeout=300,
        check=False,
    )


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a command prints when it fails."""
    assert done.returncode == 2 and done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert lines[-1].startswith("error: ")
    return lines[-1]


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_verify_prints_a_report_and_logs_it(kb: str) -> None:
    done = run("verifier", "verify", "The Earth is flat", "--no-web", "--kb", kb)
    assert done.returncode == 0 and done.stdout.startswith("False   confidence")
    shown = run("verifier", "log", "show", "--json")
    assert json.loads(shown.stdout)["original_claim"] == "The Earth is flat"
    assert run("verifier", "log", "delete").stdout == "1 entries deleted\n"
    assert run("verifier", "log", "show").stdout == ""


def test_verify_prints_json_and_keeps_no_log_when_told_so(kb: str, tmp_path: Path) -> None:
    done = run("verifier", "verify", "Water boils at 50C", "--json", "--no-web", "--kb", kb, VERIFIER_LOG="off")
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["verdict"] == "False"
    assert result["citations"][0]["quote"] in result["evidence"][result["citations"][0]["number"] - 1]["text"]
    assert not (tmp_path / "log.jsonl").exists()


def test_verify_writes_a_page_and_refuses_what_it_cannot_write_before_it_loads_anything(
    kb: str, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    done = run("verifier", "verify", "The Earth is flat", "--no-web", "--kb", kb, "--out", str(page))
    assert done.returncode == 0 and done.stdout == "" and f"False: written to {page} as html" in done.stderr
    assert "<mark>" in page.read_text(encoding="utf-8")
    for name, rule in (("none/report.html", "a folder that exists"), ("report.docx", "name it with --format")):
        assert rule in error_of(run("verifier", "verify", "x y", "--out", str(tmp_path / name)))
    assert run("verifier", "verify", "x y", "--json", "--format", "html").returncode == 2


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
    result = json.loads(done.stdout)
    assert (result["verdict"], len(result["evidence"])) == ("True", 1)
    page = tmp_path / "page.html"
    page.write_text(f"<html><body><article><p>{VASCO * 4}</p></article></body></html>")
    done = run(
        "verifier", "verify", "-", "--evidence", str(page), "--json", given="The Vasco bridge was opened in 1931"
    )
    assert json.loads(done.stdout)["verdict"] == "True"
    evidence.write_text('{"text": "fine"}\n{"text": ""}\n')
    assert "evidence.jsonl, line 2: text is empty" in error_of(
        run("verifier", "verify", "x is y", "--evidence", str(evidence))
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
    assert words in error_of(run("verifier", "verify", claim))


def test_batch_checks_every_row_and_goes_on_where_it_stopped(kb: str, tmp_path: Path) -> None:
    rows, out = tmp_path / "claims.csv", tmp_path / "out.jsonl"
    rows.write_text(
        'claim\nThe Earth is flat\n""\nPizza tastes better than burgers\nIndia became independent in 1947\n'
    )
    done = run("verifier", "batch", str(rows), "--out", str(out), "--no-web", "--kb", kb)
    assert done.returncode == 0 and "4 rows written" in done.stderr and "1 could not be checked" in done.stderr
    results = json_lines(out)
    assert [result["status"] for result in results] == ["ok", "failed", "ok", "ok"]
    assert [result.get("verdict") for result in results] == ["False", None, "Not Verifiable", "True"]
    out.write_text("".join(out.read_text().splitlines(keepends=True)[:2]))
    assert "2 rows written" in run("verifier", "batch", str(rows), "--out", str(out), "--no-web", "--kb", kb).stderr
    assert [result["input"] for result in json_lines(out)] == [result["input"] for result in results]


def test_classify_one_and_many(tmp_path: Path) -> None:
    found = json.loads(run("verifier", "classify", "Minecraft is the best 2D game", "--json").stdout)
    assert (found["claim_type"], found["extracted_claim"]) == ("MIXED", "Minecraft is a 2D game") and found["reason"]
    rows, out = tmp_path / "claims.txt", tmp_path / "out.jsonl"
    rows.write_text("The Earth is flat\n🎉\nIt's true\n", encoding="utf-8")
    assert run("verifier", "classify", "--in", str(rows), "--out", str(out)).returncode == 0
    results = json_lines(out)
    assert [result.get("claim_type") for result in results] == ["FACTUAL", None, "AMBIGUOUS"]
    assert results[1]["status"] == "failed" and "no letters" in results[1]["error"]
    assert "give either a claim, or --in" in error_of(run("verifier", "classify"))


def test_stance_of_pairs(tmp_path: Path) -> None:
    rows, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    rows.write_text(
        '{"claim": "The Earth is flat", "evidence": "The Earth is not flat."}\n{"claim": "no evidence"}\n{"claim": "a", "evidence": " "}\n'
    )
    assert run("verifier", "stance", "--in", str(rows), "--out", str(out)).returncode == 0
    results = json_lines(out)
    assert results[0]["label"] == "refutes" and sum(results[0]["probabilities"].values()) == pytest.approx(1, abs=1e-3)
    assert [result["status"] for result in results] == ["ok", "failed", "failed"]


def test_the_store_is_filled_searched_and_counted(tmp_path: Path) -> None:
    kb, rows = str(tmp_path / "new"), tmp_path / "rows.jsonl"
    rows.write_text(
        '{"text": "The Vasco bridge was opened on 3 May 1931.", "source": "https://archive.example/1"}\nbroken\n'
    )
    added = run("kb", "add", str(rows), "--kb", kb, "--json")
    assert json.loads(added.stdout)["added"] == 1 and "line 2: not JSON" in added.stderr
    again = json.loads(run("kb", "add", str(rows), "--kb", kb, "--json").stdout)
    assert (again["added"], again["merged"], again["skipped"]) == (0, 1, 1)
    found = json.loads(run("kb", "search", "When was the Vasco bridge opened?", "--json", "--kb", kb).stdout)
    assert found[0]["text"].startswith("The Vasco bridge") and found[0]["source"] == "https://archive.example/1"
    stats = json.loads(run("kb", "stats", "--json", "--kb", kb).stdout)
    assert stats["records"] == again["records"] > 900 and stats["origin"]["user"] == 1


@pytest.mark.parametrize(
    "command", [["verifier", "verify", "The Earth is flat"], ["kb", "stats"], ["kb", "search", "moon"]]
)
def test_a_store_that_cannot_be_opened_is_one_line(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "cannot open the evidence store" in error_of(run(*command, "--kb", str(tmp_path / "file")))


def test_a_damaged_store_is_one_line_and_left_as_it_is(kb: str) -> None:
    for manifest in (Path(kb) / "evidence.lance" / "_versions").iterdir():
        os.truncate(manifest, 10)
    assert "python -m kb check" in error_of(run("verifier", "verify", "The Earth is flat", "--kb", kb))


def test_a_weight_cut_short_is_one_line(kb: str, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    shutil.copytree(WEIGHTS_FOLDER, weights)
    os.truncate(weights / "claim-type.gguf", 1_000_000)
    done = run("verifier", "verify", "The Earth is flat", "--kb", kb, VERIFIER_WEIGHTS=str(weights))
    assert "claim-type.gguf is cut short (1,000,000 of" in error_of(done)


def test_a_wrong_setting_is_one_line() -> None:
    assert "VERIFIER_WEB must be on or off" in error_of(
        run("verifier", "verify", "The Earth is flat", VERIFIER_WEB="perhaps")
    )


def test_a_model_is_measured_from_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "results.csv"
    done = run("lab.evaluation", "type", "--out", str(out))
    assert done.returncode == 0 and "| hand-written claims | 440 | 0.9" in done.stdout
    assert out.read_text().startswith("model,suite,split,rows,measure,value\nbundled,type,hand-written claims,440,")


def test_evaluate_says_what_it_needs(tmp_path: Path) -> None:
    assert "give its folder with --data DIR" in error_of(run("lab.evaluation", "stance"))
    missing = ("lab.evaluation", "retrieval", "--data", str(tmp_path / "none"))
    assert "none is not a folder" in error_of(run(*missing))
    empty = ("lab.evaluation", "stance", "--data", str(tmp_path))
    assert f"the data folder {tmp_path} is not complete" in error_of(run(*empty))
    foreign = (*empty, "--model", str(WEIGHTS_FOLDER / "embedder.gguf"))
    assert "it is another model" in error_of(run(*foreign))
