"""The real app, served on loopback and asked through Gradio's own client."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from lab.space_check.start import free_port
from models.files import WEIGHTS_FOLDER
from ui.blocks import build_demo, loading, page_arguments
from ui.checking import Checking, Frame, linked
from ui.tab_check import EXAMPLES
from verifier.serve.service import Service
from verifier.settings import Settings


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    demo = build_demo(service)
    port = free_port()
    _, address, _ = demo.launch(
        server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True, **page_arguments()
    )
    yield address
    demo.close()


@pytest.fixture(scope="module")
def client(url: str) -> Client:
    return Client(url, verbose=False, analytics_enabled=False)


def test_health_tells_when_the_models_are_there(client: Client, service: Service) -> None:
    service.checker()
    health = client.predict(api_name="/health")
    assert health["status"] == "ok" and health["kb_size"] > 900 and health["error"] == ""


def test_verify_returns_the_whole_result(client: Client) -> None:
    result = client.predict(claim="The Earth is flat", web=False, api_name="/verify")
    assert (
        result["verdict"] == "False" and result["evidence"] and result["citations"] and result["timings"]["total"] > 0
    )


@pytest.mark.parametrize("claim", ["", "🎉", "a" * 2_001, "<script>alert(1)</script>", "https://a.example/x"])
def test_what_is_no_claim_is_a_message_not_a_traceback(client: Client, claim: str) -> None:
    with pytest.raises(AppError) as caught:
        client.predict(claim=claim, web=False, api_name="/verify")
    assert "the claim" in str(caught.value) and "Traceback" not in str(caught.value)


def test_only_the_promised_endpoints_are_public(url: str) -> None:
    info = httpx.get(f"{url}gradio_api/info").json()
    assert {"/verify", "/health"} <= info["named_endpoints"].keys()  # all of them: test_api.py
    assert [name for name in info["named_endpoints"] if "check" in name] == ["/tool_check_text"]
    assert info["named_endpoints"]["/verify"]["parameters"][0]["parameter_name"] == "claim"


def test_the_queue_cannot_be_skipped(url: str) -> None:
    assert httpx.post(f"{url}gradio_api/run/verify", json={"data": ["The Earth is flat", False]}).status_code == 404


def shown(service: Service, claim: str) -> list[Frame]:
    async def collect() -> list[Frame]:
        checking: Checking[Frame] = Checking(service, lambda frame: frame)
        return [frame async for frame in checking.check(claim, web=False)]

    return asyncio.run(collect())


def test_the_page_shows_steps_while_they_are_done_then_verdict_and_evidence(service: Service) -> None:
    found = shown(service, EXAMPLES[0])
    assert len(found) > 5 and all(not frame.verdict for frame in found[:-1])
    assert len({frame.steps for frame in found}) == len(found)
    last = found[-1]
    assert ">False</span>" in last.verdict and "<mark>" in last.evidence and "cv-busy" not in last.steps
    assert last.spoken.startswith("Verdict: False, confidence") and last.result is not None


def test_a_check_can_be_opened_again_by_its_link(service: Service) -> None:
    first = shown(service, EXAMPLES[2])[-1]
    assert first.result is not None
    again = linked(service, first.result.session_id)
    assert again.verdict == first.verdict and again.steps == first.steps
    assert "not the id of a check" in linked(service, "<b>x</b>").verdict


def test_the_page_shows_an_error_as_an_error(service: Service) -> None:
    (_, last) = shown(service, "\U0001f389")
    assert "could not be checked" in last.verdict and "no letters" in last.verdict and last.evidence == ""
    assert last.result is None


def test_an_address_is_not_checked_as_a_claim(service: Service) -> None:
    last = shown(service, " https://a.example/story ")[-1]
    assert "the web is switched off" in last.verdict and last.article is None


def test_a_broken_weight_is_told_by_health_and_page(base: Settings, tmp_path: Path) -> None:
    shutil.copytree(WEIGHTS_FOLDER, tmp_path / "weights", copy_function=os.symlink)
    (tmp_path / "weights" / "claim-type.gguf").unlink()
    (tmp_path / "weights" / "claim-type.gguf").write_bytes(b"GGUF")
    broken = Service(replace(base, weights=tmp_path / "weights", kb_uri=str(tmp_path / "kb")))
    broken.start()
    verdict = shown(broken, "The Earth is flat")[-1].verdict
    assert "is cut short (4 of" in verdict and str(tmp_path) not in verdict

    async def told() -> list[str]:
        return [line async for line in loading(broken)]

    assert "is cut short (4 of" in asyncio.run(told())[-1]
    assert broken.health().status == "failed" and "cut short" in broken.health().error
    broken.close()


def test_nothing_leaves_the_machine_at_start_or_while_idle(base: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    original = socket.socket.connect

    def watch(self: socket.socket, address: Any) -> None:  # noqa: ANN401
        called.append(address)
        original(self, address)

    monkeypatch.setattr(socket.socket, "connect", watch)
    demo = build_demo(Service(base))
    demo.launch(server_name="127.0.0.1", server_port=0 or None, prevent_thread_lock=True, quiet=True, ssr_mode=False)
    time.sleep(2)
    demo.close()
    assert {address[0] for address in called if isinstance(address, tuple)} <= {"127.0.0.1", "localhost", "::1"}


def test_the_page_names_no_other_server(url: str) -> None:
    page = httpx.get(url).text
    assert "cv-verdict" in page and "window.cv" in page
    assert not re.findall(r"""(?:src|href)=["']https?://(?!127\.0\.0\.1)""", page)
