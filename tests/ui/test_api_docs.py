"""Every example of docs/api.md, run against the app as a reader would run it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served import ROOT
from tests.ui.conftest import App

_BLOCK = re.compile(r"<!-- (setup|says|config) ?(.*?) ?-->\n```(\w+)\n(.*?)```", re.DOTALL)
_TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
_MARK = "----- example"


def blocks(language: str) -> tuple[str, list[tuple[str, str]]]:
    """What is run first, and the examples, each with what it says."""
    found = [match.groups() for match in _BLOCK.finditer(_TEXT) if match[3] == language]
    setup = "".join(code for kind, _, _, code in found if kind == "setup")
    return setup, [(says, code) for kind, says, _, code in found if kind == "says"]


def config(kind: str) -> dict[str, dict[str, object]]:
    """The configuration for a client, as it stands in the text."""
    code = next(m[4] for m in _BLOCK.finditer(_TEXT) if m[1] == "config" and m[2] == kind)
    servers: dict[str, dict[str, object]] = json.loads(code)["mcpServers"]
    return servers


def test_every_block_of_code_is_run_by_a_test() -> None:
    assert len(re.findall(r"^```\w+$", _TEXT, re.MULTILINE)) == len(_BLOCK.findall(_TEXT)) > 25


@pytest.mark.parametrize(
    ("language", "command", "mark"),
    [
        ("sh", ["bash", "-eu"], "echo '{}'"),
        ("python", [sys.executable, "-W", "ignore"], "print('{}', flush=True)"),
        ("js", ["node", "--input-type=module"], "console.log('{}');"),
    ],
)
def test_the_examples_say_what_they_promise(app: App, language: str, command: list[str], mark: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    setup, examples = blocks(language)
    assert len(examples) >= 8
    marked = [f"{mark.format(_MARK)}\n{code}" for _, code in examples]
    script = "\n".join([setup, *marked])
    script = script.replace("http://127.0.0.1:7860", app.url)
    script = script.replace("https://news.example/2026/03/14/bridge-opens", app.article)
    done = subprocess.run(
        command, input=script, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **_QUIET}
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.split(_MARK)[1:]
    assert len(said) == len(examples)
    for (says, code), output in zip(examples, said, strict=True):
        assert says in output.replace('": ', '":'), f"{code}\n{output}"


_QUIET = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_DISABLE_TELEMETRY": "1"}


def test_the_configurations_lead_to_the_server_and_to_this_repository() -> None:
    (http,) = config("http").values()
    assert http == {"url": "http://127.0.0.1:7860/gradio_api/mcp/"}
    (stdio,) = config("stdio").values()
    assert stdio["args"] == ["-m", "verifier", "mcp"] and Path(str(stdio["command"])).name == "python"
