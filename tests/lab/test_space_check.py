"""The Space check on small copies that are broken in one way each, and once on the whole repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.space_check import Check, Outcome, as_table, failed
from lab.space_check.card import check_card
from lab.space_check.files import LARGE, check_files, check_installed, repository_files
from lab.space_check.start import check_start
from tests.commandline import run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What the points about front matter and files read, and no more."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in ("README.md", "app.py", "requirements.txt", "pyproject.toml", ".gitignore", ".gitattributes"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def outcome(checks: list[Check], name: str) -> Check:
    (found,) = [check for check in checks if check.name == name]
    return found


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_repository_as_it_is_passes(copy: Path) -> None:
    assert failed(check_card(ROOT)) == failed(check_card(copy)) == failed(check_files(copy)) == 0
    assert failed(check_files(ROOT)) == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "fix"),
    [
        ("title", "title: Claim verifier", "title:", "title"),
        ("emoji", "emoji: \U0001f50e", "emoji: search", "one emoji"),
        ("colorFrom", "colorFrom: blue", "colorFrom: navy", "red, yellow"),
        ("colorTo", "colorTo: gray", "colorTo: grey", "gray"),
        ("sdk", "sdk: gradio\n", "sdk: streamlit\n", "sdk: gradio"),
        ("sdk_version", "sdk_version: 6.31.0", "sdk_version: 6.30.0", "6.31.0"),
        ("sdk_version", "sdk_version: 6.31.0\n", "", "6.31.0"),
        ("python_version", 'python_version: "3.11"', "python_version: 3.10", "in quotation marks"),
        ("python_version", 'python_version: "3.11"', 'python_version: "3.10"', '"3.11"'),
        ("app_file", "app_file: app.py", "app_file: main.py", "name a file"),
        ("app_file", "app_file: app.py", "app_file: ../copy/../../x.py", "name a file"),
        ("license", "license: apache-2.0", "license: Apache License", "apache-2.0"),
        ("short_description", "Checks a claim locally", "Checks a claim locally and for everybody who asks", "60"),
        ("suggested_hardware", "cpu-basic", "cpu-tiny", "cpu-basic"),
        ("startup_duration_timeout", "startup_duration_timeout: 1h", "startup_duration_timeout: 60", "30m or 1h"),
        ("preload_from_hub", "unsloth/Qwen3.5-2B-GGUF Qwen", "Qwen3.5-2B-GGUF: Qwen", "OWNER/NAME FILE"),
        ("front matter", "sdk: gradio\n", "sdk: gradio\nsuggested_storage: small\n", "hub does not know"),
        ("front matter", "title: Claim verifier", "title: [unclosed", "sdk: gradio"),
        ("front matter", "---\ntitle", "title", "begin README.md with ---"),
    ],
)
def test_a_field_that_a_space_would_not_take_is_named_with_its_fix(
    copy: Path, name: str, old: str, new: str, fix: str
) -> None:
    change(copy, "README.md", old, new)
    found = outcome(check_card(copy), name)
    assert found.outcome is Outcome.FAILED and fix in found.fix
    assert failed(check_card(copy)) == 1


def test_the_pins_are_compared_with_what_is_installed(copy: Path) -> None:
    change(copy, "requirements.txt", "gradio[mcp]==6.31.0", "gradio[mcp]==6.30.0")
    found = check_installed(copy)
    assert found.outcome is Outcome.NOTE and "gradio 6.31.0, not 6.30.0" in found.found


def test_a_missing_readme_is_a_failed_point(copy: Path) -> None:
    (copy / "README.md").unlink()
    (found,) = check_card(copy)
    assert found.outcome is Outcome.FAILED and "missing" in found.found


def loosen(folder: Path) -> None:
    change(folder, "requirements.txt", "lancedb==", "lancedb>=")


def leak(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "verifications.jsonl").write_text("{}\n")
    subprocess.run(["git", "-C", str(folder), "add", "-f", "data"], check=True)


def unguard(folder: Path) -> None:
    change(folder, ".gitignore", ".env\n", "")


def bloat(folder: Path) -> None:
    with (folder / "model.gguf").open("wb") as file:
        file.truncate(600_000_000)  # sparse: it takes no room


@pytest.mark.parametrize(
    ("breaks", "name", "said"),
    [
        (loosen, "requirements", "lancedb>=0.40.0"),
        (leak, "private files", "data/verifications.jsonl"),
        (unguard, "private files", ".env is not in .gitignore"),
        (bloat, "largest file", "model.gguf (600 MB)"),
    ],
)
def test_what_must_not_be_uploaded_fails(copy: Path, breaks: Callable[[Path], None], name: str, said: str) -> None:
    subprocess.run(["git", "init", "-q", str(copy)], check=True)
    breaks(copy)
    found = outcome(check_files(copy), name)
    assert found.outcome is Outcome.FAILED and said in found.found and found.fix
    assert failed(check_files(copy)) == 1


def test_a_large_file_is_a_note_until_large_file_storage_takes_it(copy: Path) -> None:
    subprocess.run(["git", "init", "-q", str(copy)], check=True)
    with (copy / "model.gguf").open("wb") as file:
        file.truncate(LARGE + 1)
    before = outcome(check_files(copy), "files over 10 MB")
    assert before.outcome is Outcome.NOTE and "hf upload" in before.fix
    (copy / ".gitattributes").write_text("*.gguf filter=lfs diff=lfs merge=lfs -text\n")
    assert outcome(check_files(copy), "files over 10 MB").outcome is Outcome.OK


def test_what_git_ignores_is_not_of_the_repository(copy: Path) -> None:
    (copy / "data").mkdir()
    for name in (".env", "data/log.jsonl"):
        (copy / name).write_text("secret")
    without_git = repository_files(copy)
    subprocess.run(["git", "init", "-q", str(copy)], check=True)
    assert repository_files(copy) == without_git and Path("app.py") in without_git
    assert not {Path(".env"), Path("data/log.jsonl")} & set(without_git)


def test_an_app_that_ends_at_once_is_told_with_its_last_words(copy: Path) -> None:
    (copy / "app.py").write_text("raise SystemExit('error: no weights here')")
    (found,) = [check for check in check_start(copy) if check.outcome is Outcome.FAILED]
    assert found.name == "first page" and "it ended with 1" in found.found and "no weights here" in found.found


LEAKY = """
import os, pathlib
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = f'{__file__} "ok" verifier_checks_total'.encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        asked = self.rfile.read(int(self.headers["content-length"]))
        with open("kept.txt", "ab") as file:
            file.write(asked)
        self.do_GET()

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


def test_an_app_that_tells_and_keeps_everything_fails_each_point(copy: Path) -> None:
    (copy / "app.py").write_text(LEAKY)
    checks = check_start(copy)
    names = {check.name for check in checks if check.outcome is Outcome.FAILED}
    assert names >= {"queue", "metrics", "error answers", "nothing kept"}
    assert "app/kept.txt" in outcome(checks, "nothing kept").found
    assert "first page" not in names


def test_the_table_shows_the_fix_under_each_point() -> None:
    table = as_table([Check("a", Outcome.OK, "fine"), Check("bcd", Outcome.FAILED, "broken", "mend it")])
    assert table.splitlines() == ["ok      a    fine", "failed  bcd  broken", "             -> mend it"]


def test_the_command_ends_with_2_when_a_point_fails(copy: Path) -> None:
    change(copy, "README.md", "colorTo: gray", "colorTo: grey")
    done = run("lab.space_check", "--folder", str(copy), "--quick")
    assert done.status == 2 and "failed  colorTo" in done.out
    assert "error: 1 of" in done.err and "Traceback" not in done.err
    assert "it has no app.py" in run("lab.space_check", "--folder", str(copy.parent)).error


def test_the_app_starts_as_on_a_space() -> None:
    checks = [check_installed(ROOT), *check_start(ROOT)]
    assert not [check for check in checks if check.outcome is Outcome.FAILED]
    names = [
        "installed versions",
        "address",
        "first page",
        "models and store",
        "one check",
        "queue",
        "metrics",
        "error answers",
        "memory",
    ]
    assert [check.name for check in checks] == [*names, "nothing kept"]


def test_the_unit_for_systemd_is_one_that_systemd_takes(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("no systemd on this machine")
    text = (ROOT / "docs" / "claim-verifier.service").read_text(encoding="utf-8")
    here = text.replace("/opt/claim-verifier/.venv/bin/python", sys.executable).replace("=/opt/claim-verifier", "=/tmp")
    assert here.count(sys.executable) == 1
    (tmp_path / "claim-verifier.service").write_text(here, encoding="utf-8")
    done = subprocess.run(
        [tool, "verify", tmp_path / "claim-verifier.service"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
