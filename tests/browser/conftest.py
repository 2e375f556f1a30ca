"""The real app as people start it, and a real Chromium to look at it with."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Playwright, sync_playwright

ROOT = Path(__file__).parents[2]
START_SECONDS = 90


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of `python app.py`, with a store of its own and the web off; ends in a slash."""
    folder = tmp_path_factory.mktemp("served")
    port = free_port()
    own = {"VERIFIER_KB_URI": str(folder / "kb"), "VERIFIER_LOG_PATH": str(folder / "log.jsonl"), "VERIFIER_WEB": "off"}
    said = (folder / "app.log").open("wb")
    command = [sys.executable, "app.py"]
    app = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | own | {"PORT": str(port)}, stdout=said, stderr=subprocess.STDOUT
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/", app, folder / "app.log")
        yield f"http://127.0.0.1:{port}/"
    finally:
        app.terminate()
        app.wait(timeout=20)
        said.close()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser. Chrome itself will not do: it takes no extension from its command line."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on this machine")
    return path


@pytest.fixture
def page(playwright: Playwright, chromium: str) -> Iterator[Page]:
    """An empty page of a fresh browser, in which any error of a script fails the test."""
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    browser.close()
    assert errors == []


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, app: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if app.poll() is not None:
            break
        try:
            if httpx.get(url, timeout=2).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise RuntimeError(f"the app did not start at {url}: {log.read_text(errors='replace')[-2000:]}")
