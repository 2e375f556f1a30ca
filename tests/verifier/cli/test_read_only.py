"""Checking by a store on a disk that is full or may not be written: the verdict comes, with a warning."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kb.store.evidence_store import EvidenceStore
from kb.store.usage import Usage, UsageBuffer

ROOT = Path(__file__).parents[3]

_CHECK = """
import logging, subprocess, sys
from pathlib import Path
from kb.store.usage import Usage
from verifier.serve.checker import Checker
from verifier.settings import Settings

logging.basicConfig(stream=sys.stderr)
folder = Path(sys.argv[1])
for change in sys.argv[2:]:
    subprocess.run(change, shell=True, check=True)
    settings = Settings(kb_uri=str(folder / "kb"), log_path=folder / "log.jsonl", domains_path=folder / "domains.csv", web=False)
    checker = Checker(settings)
    checker.store._usage.note([Usage("another check's", 0.0, False)])
    checker.store._usage._since = -1e9  # a while ago, so that the next use is written at once
    result = checker.verify("The Earth is flat")
    print(result.verdict, *result.warnings, sep="|")
    checker.close()
"""


def small_disk(folder: Path) -> list[str]:
    """What runs a command with `folder` on a small disk of its own."""
    shell = (
        f"cp -r {folder} {folder}.copy && mount -t tmpfs -o size=40m none {folder} && cp -r {folder}.copy/. {folder}"
        ' && exec "$@"'
    )
    if subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True, check=False
    ).returncode:
        pytest.skip("this machine lets nobody mount a small disk of their own")
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", shell, "sh"]


FULL = "dd if=/dev/zero of={0}/filler bs=4096 2>/dev/null || true"
READ_ONLY = "rm {0}/filler && mount -o remount,ro {0}"


def test_a_disk_that_cannot_be_written_costs_no_verdict(store: EvidenceStore, tmp_path: Path) -> None:
    store.close()
    place = tmp_path / "place"
    place.mkdir()
    shutil.copytree(store.uri, place / "kb")
    changes = (FULL.format(place), READ_ONLY.format(place))
    run = subprocess.run(
        [*small_disk(place), sys.executable, "-c", _CHECK, str(place), *changes],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    lines = run.stdout.splitlines()
    assert len(lines) == 2, run.stderr[-2000:]
    for line, said in zip(lines, ("the disk is full", "cannot be written"), strict=True):
        verdict, *warnings = line.split("|")
        assert verdict == "False", run.stderr[-2000:]
        assert any("the verdict stands" in warning and said in warning for warning in warnings), line
    assert "move" not in run.stdout and "damaged" not in run.stdout
    assert run.stderr.count("which records a check used was not noted") == 2


def test_uses_are_counted_at_most_once_however_often_a_write_fails() -> None:
    written: list[Mapping[str, str]] = []

    def update(where: str, values: Mapping[str, str]) -> None:
        if len(written) % 2:
            written.append({})
            raise OSError(28, "No space left on device")
        written.append(values)

    buffer = UsageBuffer(update)
    buffer.note([Usage("a", 1.0, True)])
    with pytest.raises(OSError, match="No space"):
        buffer.flush()
    assert [sorted(values) for values in written] == [["avg_relevance"], []]
    assert buffer.flush() is False and len(written) == 2
