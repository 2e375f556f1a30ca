"""What is installed is what was locked, and what was used is named."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab.data.pairs import MIXTURE
from lab.space_check import Outcome
from lab.space_check.files import check_files, pins, requirement_lines
from lab.space_check.lock import LOCK, arguments, unfit

ROOT = Path(__file__).parents[3]
LOCKED = (ROOT / LOCK).read_text(encoding="utf-8")


def test_every_pin_is_locked_in_its_version_and_every_package_has_a_hash() -> None:
    entries = re.split(r"\n(?=[a-z0-9])", LOCKED.strip())
    versions: dict[str, set[str]] = {}
    for entry in entries:
        found = re.match(r"([a-z0-9.-]+)(?:\[[\w,]+\])?==(\S+)", entry)
        assert found and re.findall(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]
        versions.setdefault(found[1], set()).add(found[2])
    for name, version in pins(requirement_lines(ROOT)).items():
        assert versions.get(name) == {version}, name
    assert {"uvicorn", "starlette", "safehttpx"} <= versions.keys()


def test_the_lock_names_no_place() -> None:
    assert "://" not in LOCKED and "index-url" not in LOCKED and "find-links" not in LOCKED


@pytest.mark.parametrize(
    ("environment", "config", "version", "reason"),
    [
        ({}, "global.timeout='60'", (3, 11), ""),
        ({}, "", (3, 14), ""),
        ({}, "", (3, 10), "made for Python 3.11 to 3.14, this is 3.10"),
        ({"PIP_FIND_LINKS": "/wheels"}, "", (3, 11), "a place of your own"),
        ({}, "global.extra-index-url='https://wheels.example'", (3, 11), "a place of your own"),
    ],
)
def test_the_lock_is_used_where_it_fits(
    environment: dict[str, str], config: str, version: tuple[int, int], reason: str
) -> None:
    found = unfit(ROOT, environment, config, version)
    assert reason in found and bool(found) == bool(reason)
    assert ("--require-hashes" in arguments(found)) is not bool(reason)


def test_it_runs_before_anything_is_installed(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-S", "-m", "lab.space_check.lock"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert run.returncode == 0 and run.stdout.startswith(("--require-hashes", "-r ")), run.stderr


def test_every_licence_of_the_training_data_is_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    licences = {part for source in MIXTURE for part in source.licence.removesuffix(", abstracts ODC-By").split(", ")}
    assert {licence for licence in licences if licence not in notice} == set()
    for named in ("VitaminC", "FEVER", "SciFact", "SelQA", "World Factbook", "NOAA", "MiniLM", "Public Suffix List"):
        assert named in notice


def test_a_space_may_be_given_the_lock_as_its_requirements(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(LOCKED, encoding="utf-8")
    lines = requirement_lines(tmp_path)
    assert len(lines) > 100 and len(pins(lines)) >= len(lines) - 10 and not any("hash" in line for line in lines)
    assert [check.outcome for check in check_files(tmp_path) if check.name == "requirements"] == [Outcome.OK]
