"""The app as users run it, its own process with the invented web; and a service in this process for parts of the page."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from kb.intake.formats.claim_sets import Dataset, Labelled
from kb.intake.labelled import LabelledClaims
from kb.store.evidence_store import EvidenceStore
from lab.space_check.start import free_port
from lab.world import World
from models.encoders.embedder import Embedder
from tests.conftest import CHECKSUM
from tests.served import ROOT, environment, wait_until_up
from verifier.serve.service import Service
from verifier.settings import Settings

LABELLED = (
    Labelled("The Moon is made of green cheese.", "REFUTES", "FEVER", Dataset.FEVER),
    Labelled("Pope Francis endorses a candidate for president", "fake", "real/fake", Dataset.ISOT),
)


@dataclass(frozen=True, slots=True)
class App:
    """A running app: its address without a slash at the end, its environment, and an article of its web."""

    url: str
    env: dict[str, str]
    article: str

    @property
    def mcp(self) -> str:
        """Where its MCP tools are."""
        return f"{self.url}/gradio_api/mcp/"


@pytest.fixture(scope="session")
def app(seeded: EvidenceStore, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("app")
    shutil.copytree(seeded.uri, folder / "kb")
    LabelledClaims(str(folder / "kb"), embedder.embed, CHECKSUM).add(LABELLED, "test")
    with World() as world:
        port = free_port()
        searxng = {"VERIFIER_SEARXNG_URL": f"{world.url}/searxng", "VERIFIER_ALLOW_PRIVATE": "1"}
        names = ("DUCKDUCKGO", "GDELT", "WIKIPEDIA", "WIKIDATA", "EUROPE_PMC", "OPENALEX", "CROSSREF", "LLM")
        quiet = {f"VERIFIER_{name}": "off" for name in names}
        env = environment(folder, PORT=str(port), **searxng, **quiet)
        url = f"http://127.0.0.1:{port}"
        with (folder / "app.log").open("wb") as said:
            process = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=env, stdout=said, stderr=said)
        page = next(page for page in world.town.web.pages if page.event_id == "w01")
        try:
            wait_until_up(url, process, folder / "app.log")
            yield App(url, env, page.url(world.port))
        finally:
            process.terminate()
            process.wait(60)


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
