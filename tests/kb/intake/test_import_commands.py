"""`python -m kb` in this process, with the real embedder: what is parsed, printed and refused."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from kb.intake.journal import FOLDER
from kb.starter.seed import seed_facts
from kb.store.evidence_store import EvidenceStore
from verifier.cli.kb import main


@pytest.fixture
def kb(store: EvidenceStore) -> str:
    return store.uri


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def test_evidence_goes_out_and_comes_back(
    kb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFIER_STARTER", "off")
    rows, backup = tmp_path / "rows.csv", tmp_path / "all.parquet"
    rows.write_text("text,source\nThe Vasco bridge was opened on 3 May 1931.,https://a.example/1\n,nothing\n")
    status, out, err = run(capsys, "import", str(rows), "--pin", "--collection", "current", "--json", "--kb", kb)
    report = json.loads(out)
    assert status == 0 and (report["added"], report["skipped"]) == (1, 1)
    assert report["problems"] == [{"source": "rows.csv", "line": 3, "reason": "text is empty or has no letters"}]
    assert "rows.csv, line 3: text is empty or has no letters; skipped" in err
    there = len(seed_facts()) + 1
    status, out, _ = run(capsys, "export", str(backup), "--with-vectors", "--kb", kb)
    assert status == 0 and re.match(rf"{there} records written to \S+all\.parquet \([\d,]+ bytes\)", out)
    assert run(capsys, "reset", "--kb", kb)[0] == 2
    assert run(capsys, "reset", "--yes", "--kb", kb)[1] == f"{there} records deleted from {kb}\n"
    status, out, _ = run(capsys, "import", str(backup), "--as-backup", "--kb", kb)
    assert (status, out) == (
        0,
        f"{there} restored, 0 added, 0 known already, 0 skipped; {there} records in the store\n",
    )
    status, out, _ = run(capsys, "search", "When was the Vasco bridge opened?", "--limit", "1", "--json", "--kb", kb)
    (found,) = json.loads(out)
    assert found["source"] == "https://a.example/1" and found["pinned"] and found["collection"] == "current"
    status, out, _ = run(capsys, "optimize", "--json", "--kb", kb)
    assert status == 0 and json.loads(out)["records"] == there


def test_labelled_claims_are_taken_in_searched_counted_and_removed(
    kb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "train.tsv"
    file.write_text("1.json\tpants-fire\tOur moon consists of green cheese.\tspace\n2.json\tmaybe\tA claim.\tx\n")
    status, out, err = run(capsys, "labelled", "import", str(file), "--dataset", "liar", "--kb", kb)
    assert (status, out) == (0, "1 added, 0 known already, 1 skipped\n") and "train.tsv, line 2" in err
    status, out, _ = run(capsys, "labelled", "search", "The moon is made of green cheese", "--kb", kb)
    assert status == 0 and "LIAR: labelled 'pants-fire' by PolitiFact" in out
    status, out, _ = run(capsys, "labelled", "search", "Interest rates rose by two points", "--json", "--kb", kb)
    assert (status, json.loads(out)) == (0, [])
    assert run(capsys, "labelled", "stats", "--kb", kb)[1] == "liar: pants-fire 1\n"
    assert run(capsys, "labelled", "remove", "--dataset", "liar", "--kb", kb)[1] == "1 labelled claims removed\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["import", "gone.csv"], "cannot read gone.csv"),
        (["import", "https://a.example/x"], "VERIFIER_WEB is off"),
        (["import", "pyproject.toml"], "tells no format"),
        (["export", "all.xlsx"], "must end in .parquet or .jsonl"),
        (["labelled", "search", "?"], "the query is empty"),
        (["labelled", "search", "moon", "--min-similarity", "2"], "from 0 to 1"),
        (["labelled", "remove", "--dataset", "fever"], "no labelled claims of FEVER"),
        (["optimize", "--kb", "/nowhere/kb"], "there is no evidence store"),
        (["reset", "--yes", "--kb", "/nowhere/kb"], "there is no evidence store"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], reason: str
) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "") and len(err.splitlines()) == 1
    assert err.startswith("error: ") and reason in err


def test_a_stopped_import_is_told_of_and_taken_up(
    kb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({"text": f"The mill number {n} stands."}) + "\n" for n in range(250)))
    before = EvidenceStore.add
    calls: list[int] = []

    def stopped(self: EvidenceStore, *args: object) -> object:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return before(self, *args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(EvidenceStore, "add", stopped)
        assert run(capsys, "import", str(file), "--kb", kb)[0] == 130
    assert os.listdir(Path(kb) / FOLDER)
    status, out, _ = run(capsys, "import", str(file), "--resume", "--kb", kb)
    assert status == 0 and out.startswith("200 taken in before, 50 added, 0 known already")
    assert not os.listdir(Path(kb) / FOLDER)
