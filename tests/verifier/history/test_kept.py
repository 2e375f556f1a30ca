"""Checks that were kept are shown again as they were, and what is not kept is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from errors import InputError, StoreError
from tests.verifier.report.report_cases import attacked, result
from verifier.evaluation.cases import read_cases
from verifier.history.feedback import save_case, wrong_verdict
from verifier.history.kept import find_check, find_named, recent_checks
from verifier.history.log import VerificationLog
from verifier.report.as_json import result_to_dict
from verifier.report.from_json import result_from_dict
from verifier.schema import Verdict, VerificationResult
from verifier.settings import Settings

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(log_path=tmp_path / "log.jsonl")


def kept(settings: Settings, **changes: object) -> VerificationResult:
    found = replace(result(), session_id=ID, **changes)  # type: ignore[arg-type]
    VerificationLog(settings.log_path, 90).append(found)
    return found


def test_a_result_survives_its_json_form() -> None:
    for made in (result(), attacked()):
        entry = json.loads(json.dumps(result_to_dict(made)))
        assert result_to_dict(result_from_dict(entry)) == entry


def test_an_entry_of_an_older_version_has_steps_without_times() -> None:
    entry: dict[str, Any] = dict(result_to_dict(result()))
    del entry["step_milliseconds"]
    assert [step.seconds for step in result_from_dict(entry).steps] == [0.0] * len(entry["steps"])


def test_a_damaged_entry_is_an_error() -> None:
    for field in ("verdict", "evidence", "checked_at", "steps"):
        with pytest.raises(InputError, match="not a whole result"):
            result_from_dict(result_to_dict(result()) | {field: "nonsense"})


def test_a_check_is_found_by_its_id(settings: Settings) -> None:
    found = kept(settings)
    assert find_check(settings, ID).verdict is found.verdict
    assert recent_checks(settings)[0].claim == found.original_claim


def test_what_is_no_id_is_told(settings: Settings) -> None:
    for name in ("", "zzz", ID[:8], "../../etc/passwd", "0F8FAD5B-D9CB-469F-A165-70867728950E", ID + "\n"):
        with pytest.raises(InputError, match="not the id of a check"):
            find_check(settings, name)


def test_an_unknown_check_and_a_server_without_log_are_told(settings: Settings) -> None:
    with pytest.raises(InputError, match="does not hold the check"):
        find_check(settings, ID)
    kept(settings)
    silent = replace(settings, log=False)
    assert recent_checks(silent) == []
    with pytest.raises(InputError, match="keeps no checks"):
        find_check(silent, ID)


def test_a_command_names_a_check_by_the_beginning_of_its_id(settings: Settings) -> None:
    log = VerificationLog(settings.log_path, 90)
    for name in ("abcd", "abef", "xyz"):
        log.append(replace(result(), session_id=name))
    assert find_named(settings, "abc").session_id == "abcd" and find_named(settings, "xyz").session_id == "xyz"
    for session, reason in (("ab", "2 checks begin with 'ab'"), ("q", "there is no check 'q'"), ("", "no check ''")):
        with pytest.raises(InputError, match=f"{reason} in the log .*log show"):
            find_named(settings, session)


def test_a_verdict_that_is_wrong_becomes_a_case_that_evaluation_reads(tmp_path: Path) -> None:
    path, found = tmp_path / "made" / "cases.jsonl", result()
    right = next(verdict for verdict in Verdict if verdict is not found.verdict)
    save_case(path, wrong_verdict(found, right.value, " Because \u2028 so. "))
    save_case(path, wrong_verdict(found, right.value, "Said again."))
    save_case(path, wrong_verdict(replace(found, session_id="another"), right.value, ""))
    assert [(case.claim, case.expected) for case in read_cases(path)] == [(found.original_claim, right)] * 2
    assert json.loads(path.read_text().splitlines()[0])["note"] == "Said again."


def test_what_a_reader_says_is_checked(tmp_path: Path) -> None:
    found = result()
    for expected, note in (("", ""), ("Maybe", ""), (found.verdict.value, ""), ("Misleading", "x" * 1_001)):
        with pytest.raises(InputError):
            wrong_verdict(found, expected, note)


def test_cases_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    right = next(verdict for verdict in Verdict if verdict is not result().verdict)
    with pytest.raises(StoreError, match="VERIFIER_CASES"):
        save_case(tmp_path / "file" / "cases.jsonl", wrong_verdict(result(), right.value, ""))
