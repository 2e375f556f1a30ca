"""The command that checks a whole text, as users run it: what it writes, how it goes on, what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import lxml.html
import pytest

from tests.commandline import ROOT, run
from tests.verifier.cli.test_cli import json_lines, kb
from verifier.cli.texts import _MAX_CLAIMS

__all__ = ["kb"]
TEXT = "The Earth is flat. I think that pizza tastes better than burgers.\n\nWater boils at 50C. Is it true?\n"
LONG = "\n".join(
    f"{country} became independent in {year}." for year in (1947, 1957) for country in ("India", "Ghana", "Norway")
)


def heed() -> None:
    """Let a process heed Ctrl-C: what a shell starts in the background is deaf to it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_a_page_is_written_that_marks_the_text_as_it_was(kb: str, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = run("verifier", "text", str(text), "--no-web", "--kb", kb, "--out", str(out))
    assert done.status == 0 and done.out == "", done.err
    assert "2 contradicted" in done.err and f"written to {out} as html" in done.err
    page = lxml.html.document_fromstring(out.read_bytes())
    assert page.find_class("text")[0].text_content() == TEXT
    assert [a.text_content() for a in page.find_class("text")[0].iter("a")] == [
        "The Earth is flat.",
        "Water boils at 50C.",
    ]


def test_standard_input_comes_out_as_json(kb: str) -> None:
    done = run("verifier", "text", "-", "--json", "--no-web", "--kb", kb, "--max-claims", "1", given=TEXT)
    found = json.loads(done.out)
    assert found["text"] == TEXT and found["name"] == "standard input"
    assert sorted(claim["outcome"] for claim in found["claims"]) == ["checked", "left out"]
    assert "only the 1 most checkworthy" in found["warnings"][0]
    shown = run("verifier", "text", "-", "--no-web", "--kb", kb, given="The Earth is flat.\n").out
    assert shown.startswith("1 statement: 1 contradicted\n\n\u2717 False")


def test_a_stopped_run_says_how_to_go_on_and_checks_nothing_twice(kb: str, tmp_path: Path) -> None:
    source, out = tmp_path / "long.txt", tmp_path / "out.jsonl"
    source.write_text(LONG)
    command = ["verifier", "text", str(source), "--no-web", "--kb", kb, "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-m", *command], cwd=ROOT, stderr=subprocess.PIPE, text=True, preexec_fn=heed
    ) as started:
        end = time.monotonic() + 120
        while time.monotonic() < end and not (out.exists() and '"type": "claim"' in out.read_text("utf-8")):
            time.sleep(0.05)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
    assert started.returncode == 130 and "run the same command again to go on" in said and "Traceback" not in said
    before = {row["claim"]: row["result"]["session_id"] for row in json_lines(out) if row["type"] == "claim"}
    assert 0 < len(before) < 6 and json_lines(out)[-1]["type"] != "end"
    assert run(*command).status == 0
    rows = json_lines(out)
    after = {row["claim"]: row["result"]["session_id"] for row in rows if row["type"] == "claim"}
    assert rows[-1]["type"] == "end" and len(after) == 6 and before.items() <= after.items()
    page = tmp_path / "page.html"
    assert run("verifier", "text", str(out), "--out", str(page), VERIFIER_WEIGHTS="/dev/null/none").status == 0
    assert lxml.html.document_fromstring(page.read_bytes()).find_class("text")[0].text_content() == LONG


def test_what_a_run_had_done_is_written_in_any_form(kb: str, tmp_path: Path) -> None:
    source, out = tmp_path / "long.txt", tmp_path / "out.md"
    source.write_text(LONG * 4)
    command = ["verifier", "text", str(source), "--no-web", "--kb", kb, "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-m", *command], cwd=ROOT, stderr=subprocess.PIPE, preexec_fn=heed
    ) as started:
        assert started.stderr is not None
        said = b""
        while b"| 2/" not in said and b" 2/5" not in said:  # two statements are done
            piece = started.stderr.read1(1_000)  # type: ignore[attr-defined]
            assert piece, said
            said += piece
        started.send_signal(signal.SIGINT)
        _, rest = started.communicate(timeout=60)
    assert started.returncode == 130 and b"name a file: --out result.jsonl" in rest
    assert "the check was stopped after" in out.read_text("utf-8") and "[^2]: " in out.read_text("utf-8")


def test_what_cannot_be_checked_is_one_line_before_a_model_is_loaded(text: Path, tmp_path: Path) -> None:
    (tmp_path / "junk.txt").write_bytes(b"\x00\x01" * 40)
    (tmp_path / "other.jsonl").write_text('{"row": 1}\n')
    for words, arguments in {
        "a text must end in .txt": ("none.doc",),
        "cannot read": (str(tmp_path / "none.txt"),),
        "junk.txt: it is no text": (str(tmp_path / "junk.txt"),),
        "the web is switched off: save the page": ("https://orlo.example/a", "--no-web"),
        "tells no format": (str(text), "--out", str(tmp_path / "a.docx")),
        "a folder that exists": (str(text), "--out", str(tmp_path / "none" / "a.md")),
        "something else than a checked text": (str(text), "--out", str(tmp_path / "other.jsonl")),
    }.items():
        start = time.monotonic()
        assert words in run("verifier", "text", *arguments, VERIFIER_WEIGHTS="/dev/null/none").error
        assert time.monotonic() - start < 10
    assert "standard input: it is empty" in run("verifier", "text", "-", given=" \n").error
    assert run("verifier", "text", str(text), "--max-claims", "0").status == 2
    assert run("verifier", "text", str(text), "--json", "--format", "html").status == 2


def test_the_command_and_the_check_agree_on_how_many_claims() -> None:
    from verifier.document.check import MAX_CLAIMS

    assert _MAX_CLAIMS == MAX_CLAIMS
