"""Gradio's real queue behind the guard, full of checks that wait for models that are never loaded."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lab.space_check.start import free_port
from ui.blocks import build_demo
from ui.guard.connections import harden
from ui.guard.front import guard_arguments
from verifier.serve.service import Service
from verifier.settings import ServerSettings, Settings


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A public server on loopback; at most three checks wait."""
    (tmp_path / "none").mkdir()
    limits = ServerSettings(trust_proxy=1, at_once=2, queue=3)
    service = Service(
        Settings(kb_uri=str(tmp_path / "kb"), weights=tmp_path / "none", web=False, log=False, server=limits)
    )
    demo = build_demo(service)
    port = free_port()
    _, address, _ = demo.launch(
        server_name="127.0.0.1",
        server_port=port,
        prevent_thread_lock=True,
        quiet=True,
        ssr_mode=False,
        app_kwargs=guard_arguments(service, demo),
    )
    harden(demo, service.settings)
    yield address
    service.start()  # it fails at once, and so end the checks that wait
    demo.close()
    service.close()


def check(url: str, visitor: str) -> httpx.Response:
    said = {"data": ["The Earth is flat", False]}
    return httpx.post(f"{url}gradio_api/call/verify", json=said, headers={"x-forwarded-for": visitor}, timeout=30)


def test_nobody_fills_the_queue_alone_and_a_full_queue_is_told_politely(url: str) -> None:
    assert [check(url, "8.8.8.8").status_code for _ in range(2)] == [200, 200]
    time.sleep(0.5)  # the first leaves the queue for the model
    third = check(url, "8.8.8.8")
    assert third.status_code == 429 and third.headers["retry-after"] == "5"
    assert third.json()["detail"] == "2 checks from your address are in the queue; wait until one is done"
    assert [check(url, "8.8.4.4").status_code for _ in range(2)] == [200, 200]
    full = check(url, "1.1.1.1")
    assert full.status_code == 429 and full.headers["retry-after"] == "60"
    assert full.json()["detail"] == "3 checks are waiting already, and no more can wait. Try again in a minute."
    waiting = httpx.get(f"{url}gradio_api/queue/status").json()
    assert waiting["queue_size"] == 3


def test_a_program_that_waits_hears_its_position(url: str) -> None:
    functions = {each["api_name"]: each["id"] for each in httpx.get(f"{url}config").json()["dependencies"]}
    said = {"data": ["The Earth is flat", False], "fn_index": functions["verify"]}
    for session in ("one", "two", "three"):
        joined = httpx.post(f"{url}gradio_api/queue/join", json=said | {"session_hash": session}, timeout=30)
        assert joined.status_code == 200
    with httpx.stream("GET", f"{url}gradio_api/queue/data?session_hash=three", timeout=30) as news:
        messages = (json.loads(line.removeprefix("data: ")) for line in news.iter_lines() if line)
        heard = next(message for message in messages if message["msg"] == "estimation")
    assert heard["rank"] in {1, 2} and heard["queue_size"] in {2, 3}
