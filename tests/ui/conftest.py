"""The app as users run it, a process of its own with the invented web behind it; and a service in this process for the page's parts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from kb.formats.claim_sets import Dataset, Labelled
from kb.labelled import LabelledClaims
from kb.store import EvidenceStore
from models.embedder import Embedder
from tests.conftest import CHECKSUM
from verifier.service import Service
from verifier.settings import Settings
from verifier.space.start import free_port
from world import World

ROOT = Path(__file__).parents[2]
LABELLED = (
    Labelled("The Moon is made of green cheese.", "REFUTES", "FEVER", Dataset.FEVER),
    Labelled("Pope Francis endorses a candidate for president", "fake", "real/fake", Dataset.ISOT),
)


@dataclass(frozen=True, slots=True)
class App:
    """A running app: its address without a slash at the end, the environment that it was started in, and an article of its web."""

    url: str
    env: dict[str, str]
    article: str

    @property
    def mcp(self) -> str:
        """Where its MCP tools are."""
        return f"{self.url}/gradio_api/mcp/"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment in which everything is kept in one folder, and nothing of the user's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIFIER_")}
    own = {
        "VERIFIER_KB_URI": str(folder / "kb"),
        "VERIFIER_LOG_PATH": str(folder / "log.jsonl"),
        "VERIFIER_DOMAINS": str(folder / "domains.csv"),
        "VERIFIER_SEARCH_CACHE": str(folder / "search-cache"),
    }
    return kept | own | more


@pytest.fixture(scope="session")
def app(seeded: EvidenceStore, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("app")
    shutil.copytree(seeded.uri, folder / "kb")
    LabelledClaims(str(folder / "kb"), embedder.embed, CHECKSUM).add(LABELLED, "test")
    with World() as world:
        port = free_port()
        searxng = {"VERIFIER_SEARXNG_URL": f"{world.url}/searxng", "VERIFIER_ALLOW_PRIVATE": "1"}
        quiet = {"VERIFIER_DUCKDUCKGO": "off", "VERIFIER_GDELT": "off", "VERIFIER_LLM": "off"}
        env = environment(folder, PORT=str(port), **searxng, **quiet)
        url = f"http://127.0.0.1:{port}"
        process = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        page = next(page for page in world.town.web.pages if page.event_id == "w01")
        try:
            _wait(url, process)
            yield App(url, env, page.url(world.port))
        finally:
            process.terminate()
            process.wait(20)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{url}/gradio_api/info", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise AssertionError("the app did not start")


@pytest.fixture(scope="session")
def service(base: Settings, seeded: EvidenceStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("app")
    shutil.copytree(seeded.uri, folder / "kb")
    made = Service(
        replace(
            base,
            kb_uri=str(folder / "kb"),
            log_path=folder / "log.jsonl",
            cases_path=folder / "cases.jsonl",
            allow_add=True,
            batch_rows=5,
        )
    )
    assert made.health().status == "loading"
    made.start()
    yield made
    made.close()
