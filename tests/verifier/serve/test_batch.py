from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from errors import InputError, StoreError
from verifier.serve.batch import Row, read_rows, run_batch


def work(row: dict[str, str]) -> dict[str, Any]:
    if row["claim"] == "bad":
        raise InputError("the claim is bad")
    return {"verdict": row["claim"].upper()}


def ran(rows: list[Row], out: Path) -> list[dict[str, Any]]:
    run_batch(rows, out, work, lambda: None)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_text_csv_and_json_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n\n  two \n")
    (tmp_path / "b.csv").write_text('id,claim\n1,"one, with a comma"\n2,two\n', encoding="utf-8-sig")
    (tmp_path / "c.jsonl").write_text('{"claim": "one\u2028still one"}\n{"claim": "two", "id": 3}\n', encoding="utf-8")
    assert [row.fields["claim"] for row in read_rows(tmp_path / "a.txt")] == ["one", "  two "]
    assert [row.fields["claim"] for row in read_rows(tmp_path / "b.csv")] == ["one, with a comma", "two"]
    assert [row.fields["claim"] for row in read_rows(tmp_path / "c.jsonl")] == ["one\u2028still one", "two"]


def test_a_broken_row_is_reported_in_its_place_and_the_run_goes_on(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"claim": "one"}\nnot json\n{"text": "no claim"}\n{"claim": 5}\n[1]\n'
        + "[" * 100_000
        + '\n{"claim": "bad"}\n{"claim": "two"}'
    )
    results = ran(read_rows(rows), tmp_path / "out.jsonl")
    assert [result["status"] for result in results] == ["ok", *["failed"] * 6, "ok"]
    assert [result["row"] for result in results] == list(range(1, 9))
    assert all(result["error"] for result in results if result["status"] == "failed")


def test_ten_thousand_rows_with_broken_ones(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"claim": "claim {n}"}}\n' if n % 7 else "{broken\n" for n in range(10_000)))
    results = ran(read_rows(rows), tmp_path / "out.jsonl")
    assert len(results) == 10_000
    assert sum(result["status"] == "failed" for result in results) == len(range(0, 10_000, 7))


def test_a_stopped_run_goes_on_and_a_line_cut_short_is_done_again(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    rows = [Row(n, {"claim": f"claim {n}"}) for n in range(1, 6)]
    whole = ran(rows, out)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:2]) + lines[2][:20])
    report = run_batch(rows, out, work, lambda: None)
    assert (report.done, report.skipped) == (3, 2)
    assert [json.loads(line) for line in out.read_text().splitlines()] == whole


def test_a_foreign_output_file_is_never_written_over(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for content in ('{"row": 1, "input": "other"}\n', "something else\n", '{"a": 1}\n', "[1]\n"):
        out.write_text(content)
        with pytest.raises(InputError, match="give another --out"):
            run_batch([Row(1, {"claim": "one"})], out, work, lambda: None)
        assert out.read_text() == content


def test_a_failing_store_ends_the_run_and_keeps_what_was_written(tmp_path: Path) -> None:
    def fails(row: dict[str, str]) -> dict[str, Any]:
        if row["claim"] == "two":
            raise StoreError("disk full")
        return {}

    out = tmp_path / "out.jsonl"
    rows = [Row(1, {"claim": "one"}), Row(2, {"claim": "two"})]
    with pytest.raises(StoreError):
        run_batch(rows, out, fails, lambda: None)
    assert len(out.read_text().splitlines()) == 1


def test_a_file_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    for name, content, words in (
        ("a.csv", "text\nx\n", "must name a column 'claim'"),
        ("a.txt", "\n\n", "no rows"),
        ("a.pdf", "x", "must end in .txt, .csv or .jsonl"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=words):
            read_rows(tmp_path / name)


def test_an_output_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write .*nowhere"):
        run_batch([Row(1, {"claim": "one"})], tmp_path / "nowhere" / "out.jsonl", work, lambda: None)


def test_a_claim_with_another_line_separator_does_not_hinder_going_on(tmp_path: Path) -> None:
    rows, out = [Row(1, {"claim": "one\u2028still one\x85"}), Row(2, {"claim": "two"})], tmp_path / "out.jsonl"
    run_batch(rows[:1], out, work, lambda: None)
    report = run_batch(rows, out, work, lambda: None)
    assert (report.skipped, report.done) == (1, 1)


def test_a_disk_that_is_full_at_the_resumption_loses_no_result(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    lines = [json.dumps({"row": n, "input": f"claim {n}", "text": "x" * 1_000}) for n in range(1, 101)]
    out.write_text("\n".join(lines) + '\n{"row": 101, "inp', encoding="utf-8")
    script = """
import resource, signal, sys
from pathlib import Path
from errors import InputError
from verifier.serve.batch import Row, run_batch
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
rows = [Row(n, {"claim": f"claim {n}"}) for n in range(1, 200)]
try:
    run_batch(rows, Path(sys.argv[1]), lambda row: {}, lambda: None)
except InputError as exc:
    print(exc)
"""
    run = subprocess.run(
        [sys.executable, "-c", script, str(out)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        check=False,
    )
    assert "what was written stays" in run.stdout, run.stderr
    assert out.read_text(encoding="utf-8").split("\n") == [*lines, ""]
