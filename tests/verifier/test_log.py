from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errors import StoreError
from verifier.log import VerificationLog
from verifier.pipeline import Verifier


def test_entries_come_back_in_order_and_can_be_deleted(verifier: Verifier, tmp_path: Path) -> None:
    log = VerificationLog(tmp_path / "own" / "log.jsonl", 90)
    assert log.entries() == [] and log.delete() == 0
    results = [verifier.verify(claim) for claim in ("It's true", "Pizza tastes better than burgers", "It's true")]
    for result in results:
        log.append(result)
    assert [entry["session_id"] for entry in log.entries()] == [result.session_id for result in results]
    assert log.delete(results[1].session_id) == 1 and log.delete("unknown") == 0
    assert len(log.entries()) == 2
    assert log.delete() == 2 and log.entries() == []


def test_old_entries_are_pruned_and_a_line_cut_short_is_passed_over(verifier: Verifier, tmp_path: Path) -> None:
    log = VerificationLog(tmp_path / "log.jsonl", 30)
    result = verifier.verify("It's true")
    log.append(replace(result, checked_at=datetime.now(UTC) - timedelta(days=31)))
    log.append(result)
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"session_id": "cut')
    assert len(log.entries()) == 2
    assert log.prune() == 1
    assert [entry["session_id"] for entry in log.entries()] == [result.session_id]


def test_a_place_that_cannot_be_written_is_a_clear_error(verifier: Verifier, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot use the log .*VERIFIER_LOG=off"):
        VerificationLog(tmp_path / "file" / "log.jsonl", 30).append(verifier.verify("It's true"))
