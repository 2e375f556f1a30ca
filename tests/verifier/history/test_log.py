from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errors import StoreError
from tests.verifier.report.report_cases import result as made
from verifier.history.log import VerificationLog
from verifier.schema import VerificationResult

ROOT = Path(__file__).parents[3]


def test_entries_come_back_in_order_and_can_be_deleted(tmp_path: Path) -> None:
    log = VerificationLog(tmp_path / "own" / "log.jsonl", 90)
    assert log.entries() == [] and log.delete() == 0
    results = [numbered(number) for number in range(3)]
    for result in results:
        log.append(result)
    assert [entry["session_id"] for entry in log.entries()] == [result.session_id for result in results]
    assert log.delete(results[1].session_id) == 1 and log.delete("unknown") == 0
    assert len(log.entries()) == 2
    assert log.delete() == 2 and log.entries() == []


def test_old_entries_are_pruned_and_a_line_cut_short_is_passed_over(tmp_path: Path) -> None:
    log = VerificationLog(tmp_path / "log.jsonl", 30)
    result = numbered(1)
    log.append(replace(result, checked_at=datetime.now(UTC) - timedelta(days=31)))
    log.append(result)
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"session_id": "cut')
    assert len(log.entries()) == 2
    assert log.prune() == 1
    assert [entry["session_id"] for entry in log.entries()] == [result.session_id]


def whole(log: VerificationLog) -> list[str]:
    return [entry["session_id"] for entry in log.entries()]


def kept_in(folder: Path) -> bytes:
    """All that stands in any file of a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def numbered(number: int, claim: str = "") -> VerificationResult:
    found = replace(made(), session_id=f"{number:08d}-0000-4000-8000-000000000000", checked_at=datetime.now(UTC))
    return replace(found, original_claim=claim or f"claim {number}")


def test_a_cut_line_swallows_nothing_and_is_gone_after_the_next_write(tmp_path: Path) -> None:
    cuts = (b'{"session_id": "cut', b"{", b"garbage " * 20_000, b'{"session_id": "x", "claim": "\xc3')
    for number, cut in enumerate(cuts):
        path = tmp_path / f"{number}.jsonl"
        log = VerificationLog(path, 30)
        log.append(numbered(1))
        with path.open("ab") as file:
            file.write(cut)
        assert whole(log) == [numbered(1).session_id]
        log.append(numbered(2))
        assert whole(log) == [numbered(1).session_id, numbered(2).session_id]
        lines = path.read_bytes().splitlines()
        assert len(lines) == 2 and all(json.loads(line) for line in lines)


def test_an_entry_that_an_earlier_version_wrote_behind_a_cut_line_is_found(tmp_path: Path) -> None:
    log = VerificationLog(tmp_path / "log.jsonl", 30)
    log.append(numbered(1))
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"session_id": "cut in the mid' + path.read_bytes())
    assert whole(log) == [numbered(1).session_id] and log.find(numbered(1).session_id)
    assert log.delete("unknown") == 0 and b"cut in the mid" not in path.read_bytes() and len(log.entries()) == 1


def test_a_line_without_its_end_that_is_whole_stays(tmp_path: Path) -> None:
    log, path = VerificationLog(tmp_path / "log.jsonl", 30), tmp_path / "log.jsonl"
    log.append(numbered(1))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    log.append(numbered(2))
    assert len(log.entries()) == 2


@pytest.mark.parametrize("one", [True, False])
def test_a_deletion_leaves_nothing_of_the_text(tmp_path: Path, one: bool) -> None:
    log = VerificationLog(tmp_path / "log.jsonl", 30)
    log.append(numbered(1, "A private matter"))
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b'{"session_id": "x", "original_claim": "Another private matter')
    (tmp_path / "log.new").write_text("Another private matter, left by a killed deletion")
    assert log.delete(numbered(1).session_id if one else None) == 1
    assert b"private" not in kept_in(tmp_path)


def test_a_full_disk_leaves_no_part_of_a_line(tmp_path: Path) -> None:
    script = """
import resource, signal, sys
from pathlib import Path
from errors import StoreError
from tests.verifier.history.test_log import numbered
from tests.verifier.report.report_cases import result as made
from verifier.history.log import VerificationLog
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
log, done = VerificationLog(Path(sys.argv[1]), 30), 0
try:
    while True:
        log.append(numbered(done))
        done += 1
except StoreError as exc:
    print(done, exc, sep="|")
"""
    path = tmp_path / "log.jsonl"
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    done = int(run.stdout.split("|")[0])
    assert done > 3 and "VERIFIER_LOG=off" in run.stdout and path.read_bytes().endswith(b"}\n")
    assert len(VerificationLog(path, 30).entries()) == done


def test_a_link_reads_one_line_and_writes_wait_for_no_reader(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = VerificationLog(path, 30)
    log.append(numbered(0))
    line = path.read_bytes()
    with path.open("ab") as file:
        for number in range(1, 20_000):
            file.write(line.replace(b"00000000-", f"{number:08d}-".encode(), 1))
    assert path.stat().st_size > 30_000_000
    assert log.find(numbered(7).session_id)
    start = time.perf_counter()
    for number in range(0, 20_000, 200):
        assert log.find(numbered(number).session_id)
    assert (time.perf_counter() - start) / 100 < 0.02
    assert [entry["session_id"] for entry in log.latest(2)] == [numbered(n).session_id for n in (19_999, 19_998)]
    with path.open("rb") as reader:
        reader.readline()
        start = time.perf_counter()
        log.append(numbered(20_000))
        assert time.perf_counter() - start < 0.5
        assert log.delete(numbered(5).session_id) == 1 and log.find(numbered(5).session_id) == []
        assert len(reader.readlines()) == 20_000  # what was being read is read to its end
    assert log.find(numbered(20_000).session_id) and log.find(numbered(6).session_id)


def test_half_a_character_is_logged(tmp_path: Path) -> None:
    log = VerificationLog(tmp_path / "log.jsonl", 30)
    log.append(numbered(1, "half \ud83d a character"))
    assert log.entries()[0]["original_claim"] == "half \ud83d a character"


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot use the log .*VERIFIER_LOG=off"):
        VerificationLog(tmp_path / "file" / "log.jsonl", 30).append(numbered(1))
