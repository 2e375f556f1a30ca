"""A stranger's sentence must not get a page on this server that looks like a verdict of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.attack.conftest import Target
from ui.checking import linked
from verifier.api.agent_tools import AgentTools
from verifier.history.kept import recent_checks
from verifier.history.log import VerificationLog
from verifier.serve.service import Service
from verifier.settings import Settings

CLAIM = "Bank Quillmere closes tomorrow"


@pytest.mark.parametrize("door", ["endpoint", "tool"])
def test_a_public_server_notes_no_verdict_of_a_stranger(target: Target, visitor: str, door: str) -> None:
    if door == "endpoint":
        path = "gradio_api/call/tool_log_verification"
        event = target.send("POST", path, visitor, json={"data": [CLAIM, "False"]}).json()["event_id"]
        told = target.send("GET", f"{path}/{event}", visitor).text
    else:
        call = {"name": "log_verification", "arguments": {"claim": CLAIM, "verdict": "False"}}
        said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = {"accept": "application/json, text/event-stream"}
        told = target.send("POST", "gradio_api/mcp/", visitor, json=said, headers=headers).text
    assert "notes no verdicts of programs" in told
    assert not (target.app.folder / "log.jsonl").exists()


def test_elsewhere_its_link_shows_no_verdict(tmp_path: Path) -> None:
    settings = Settings(kb_uri=str(tmp_path / "kb"), log_path=tmp_path / "log.jsonl", web=False)

    class Logging(Service):
        """Its checker has a log, which is all that the tool needs."""

        def checker(self) -> Any:  # noqa: ANN401
            return self

        log = VerificationLog(settings.log_path, settings.log_days)

    service = Logging(settings)
    AgentTools(service).log_verification(CLAIM, "REFUTED")
    (past,) = recent_checks(settings)
    assert past.verdict == "handed in by a program, not checked"
    frame = linked(service, past.session_id)
    assert "handed in by a program, not checked" in frame.verdict and CLAIM in frame.verdict
    assert frame.result is None and "False" not in frame.verdict
