"""`python -m lab.world` as a user follows it: its settings are taken as they are printed, and its own claims are checked."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.world.facts import Expected
from verifier.serve.checker import Checker
from verifier.settings import Settings

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What the command prints, up to its last line; it serves until the tests are done."""
    folder = tmp_path_factory.mktemp("world")
    command = [sys.executable, "-m", "lab.world", "--port", "0", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        yield "".join(lines)
        process.terminate()


def test_its_own_claims_come_out_as_it_says(printed: str) -> None:
    values = dict(line.split("=", 1) for line in printed.splitlines() if re.match(r"[A-Z0-9_]+=", line))
    claims = re.findall(r'verify "(.+)"  # (.+)', printed)
    assert [expected for _, expected in claims] == [str(expected) for expected in Expected]
    checker = Checker(Settings.from_env(values | {"VERIFIER_LLM": "off", "VERIFIER_STARTER": "off"}))
    found = [(claim, str(checker.verify(claim).verdict)) for claim, _ in claims]
    checker.close()
    assert found == claims


def test_its_evidence_stays_out_of_the_users_own_store(printed: str) -> None:
    own = Settings()
    values = dict(line.split("=", 1) for line in printed.splitlines() if re.match(r"[A-Z0-9_]+=", line))
    told = Settings.from_env(values)
    assert told.kb_uri != own.kb_uri and told.log_path != own.log_path and told.domains_path != own.domains_path
    assert told.search.cache_path != own.search.cache_path
