"""Several workers: Ray for real, with the real models, over a store that is a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from errors import InputError, VerifierError
from kb.store.evidence_store import EvidenceStore
from tests.commandline import run, run_process
from verifier.cli import workers
from verifier.cli.workers import Engine, Plan, Worker, checking, portions, start_checking
from verifier.serve.batch import Row, write_results
from verifier.settings import Settings

CLAIMS = ("The Earth is flat", "Water boils at 100 degrees Celsius at sea level", "", "I like cheese")


def told(out: Path) -> list[tuple[Any, ...]]:
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [
        (line["row"], line["status"], line.get("verdict"), len(line.get("evidence", ())), line.get("error"))
        for line in lines
    ]


def test_two_workers_of_ray_go_on_where_a_local_run_stopped_and_say_the_same(
    seeded: EvidenceStore, tmp_path: Path
) -> None:
    source, local, out = tmp_path / "claims.jsonl", tmp_path / "local.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"claim": claim}) + "\n" for claim in CLAIMS))
    kb = str(shutil.copytree(seeded.uri, tmp_path / "store"))
    batch = ("verifier", "batch", str(source), "--no-web", "--kb", kb)
    assert run(*batch, "--out", str(local)).status == 0
    out.write_text(local.read_text().splitlines(keepends=True)[0] + '{"row": 2, "inp')
    done = run_process(*batch, "--out", str(out), "--engine", "ray", "--workers", "2")
    assert done.status == 0, done.err
    said = done.err.splitlines()[-1]
    assert said.startswith("3 rows written") and said.endswith("1 were there already, 1 could not be checked")
    assert told(out) == told(local)
    assert [status for _, status, *_ in told(out)] == ["ok", "ok", "failed", "ok"]


def test_a_worker_whose_models_are_missing_ends_the_run_and_says_why(tmp_path: Path) -> None:
    settings = Settings(weights=tmp_path / "none", kb_uri=str(tmp_path / "kb"), log=False, web=False)
    out = tmp_path / "out.jsonl"
    rows = [Row(1, {"claim": "one"}), Row(2, {"claim": "two"})]
    with pytest.raises(VerifierError, match="none"):
        write_results(rows, out, checking(Plan(Engine.PROCESS, 1), settings), lambda: None)
    assert out.read_text() == ""
    answer = Worker(start_checking, settings)({"part": [json.dumps([(1, {"claim": "one"}, "")])]})
    assert answer["answer"] == [""] and "none" in answer["error"][0]


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install -r requirements-ray.txt"):
        Plan(Engine.RAY)


@pytest.mark.parametrize(
    ("plan", "words"),
    [((Engine.RAY, -1), "--workers must be"), ((Engine.PROCESS, 2, "host:1"), "--ray-address is for --engine ray")],
)
def test_a_plan_that_cannot_be_is_refused(plan: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Plan(*plan)


@pytest.mark.parametrize("count", [1, 3, 4, 9, 100])
def test_portions_hold_every_row_once_and_in_order(count: int) -> None:
    rows = [Row(n, {"claim": str(n)}) for n in range(count)]
    parts = portions(rows, 3, 4)
    assert [row for part in parts for row in part] == rows
    assert len(parts) >= min(count, 3) and max(map(len, parts)) <= 4
