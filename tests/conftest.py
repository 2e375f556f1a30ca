"""Share real bundled models and a real store; each writing test gets its own copy."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from kb.starter.seed import seed
from kb.store.evidence_store import EvidenceStore
from models.catalogue import WEIGHTS, Role
from models.encoders.classifier import EncoderClassifier
from models.encoders.embedder import Embedder
from models.reader import Reader
from models.readers import adopt, record
from verifier import build
from verifier.build import load_embedder, load_models, open_store
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.settings import Settings

CHECKSUM = WEIGHTS[Role.EMBEDDER].checksum
SLOW = (
    "tests/browser/",
    "tests/test_kills.py",
    "tests/kb/store/test_durability.py",
    "tests/verifier/serve/test_batch_ray.py",
    "tests/verifier/check/test_world.py",
    "tests/kb/store/test_s3.py",
    "tests/verifier/check/test_adversarial.py",
    "tests/verifier/evidence/test_repetition.py",
    "tests/verifier/evaluation/",
    "tests/lab/test_training.py",
    "tests/lab/test_space_check.py",
    "tests/ui/",
    "tests/attack/",
    "tests/verifier/check/",
)
"""The slowest files and folders, started first so that no process ends long after another."""

TOGETHER = ("tests/browser/", "tests/ui/", "tests/attack/")
"""Folders whose files share an app: one process runs all of them.

The app takes half a minute to start, so it should start once.
"""


class _AppsOnce(LoadFileScheduling):  # type: ignore[misc]
    """Gives each process a file at a time, or a whole folder of TOGETHER."""

    def _split_scope(self, nodeid: str) -> str:
        """The file or the folder that a test belongs to."""
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid.split("::", 1)[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """With `--dist loadfile`, keep files together that share an app."""
    return _AppsOnce(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow files first; keep the order within a file and of other files."""
    items.sort(key=lambda item: next((n for n, path in enumerate(SLOW) if item.nodeid.startswith(path)), len(SLOW)))


def of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all processes of a test run share.

    Each process of pytest-xdist has its own folder within it.
    """
    own = tmp_path_factory.getbasetemp()
    return own.parent if own.name.startswith("popen-") else own


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own store, log or settings."""
    for name in ("VERIFIER_WEIGHTS", "VERIFIER_THREADS", "SPACE_ID", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VERIFIER_KB_URI", str(tmp_path / "kb"))
    monkeypatch.setenv("VERIFIER_LOG_PATH", str(tmp_path / "log.jsonl"))
    monkeypatch.setenv("VERIFIER_DOMAINS", str(tmp_path / "domains.csv"))
    monkeypatch.setenv("VERIFIER_SEARCH_CACHE", str(tmp_path / "search-cache"))
    monkeypatch.setenv("VERIFIER_READERS", str(tmp_path / "readers"))
    monkeypatch.setenv("VERIFIER_MERGED", str(of_the_run(tmp_path_factory) / "merged"))
    monkeypatch.setenv("VERIFIER_STARTER", "off")
    monkeypatch.setenv("VERIFIER_WEB", "off")


@pytest.fixture(scope="session", autouse=True)
def _loaded_once() -> Iterator[None]:
    """Load each model once in a process, however many checkers and commands tests make.

    Its files are still checked.
    """
    embedder = lru_cache(maxsize=8)(Embedder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adopt, "Embedder", embedder)
        patch.setattr(build, "Embedder", embedder)
        patch.setattr(build, "EncoderClassifier", lru_cache(maxsize=8)(EncoderClassifier))
        patch.setattr(record, "Reader", lru_cache(maxsize=8)(Reader))
        yield


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings over a folder of this test run, with the web off.

    No store gets the starter pack's 7,000 statements.
    """
    folder = tmp_path_factory.mktemp("data")
    return Settings(
        kb_uri=str(folder / "kb"),
        log_path=folder / "log.jsonl",
        domains_path=folder / "domains.csv",
        readers=folder / "readers",
        merged=of_the_run(tmp_path_factory) / "merged",
        starter=False,
        web=False,
    )


@pytest.fixture(scope="session")
def embedder(base: Settings) -> Embedder:
    return load_embedder(base)


@pytest.fixture(scope="session")
def models(base: Settings, embedder: Embedder) -> Models:
    return load_models(base, embedder)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An instruct model of random weights."""
    from tests.models.tiny_generator import write_tiny_generator

    return write_tiny_generator(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="session")
def seeded(base: Settings, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> EvidenceStore:
    """A store with the starter facts, filled once for all processes.

    Tests that write to a store use `store`.
    """
    once = of_the_run(tmp_path_factory)
    with (once / "seeded.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (template := once / "seeded").exists():
            filling = replace(base, kb_uri=str(once / "filling"))
            seed(open_store(filling, embedder.embed))
            Path(filling.kb_uri).rename(template)
    shutil.copytree(template, base.kb_uri)
    return open_store(base, embedder.embed)


@pytest.fixture
def store(seeded: EvidenceStore, embedder: Embedder, tmp_path: Path) -> EvidenceStore:
    """A copy of the seeded store."""
    shutil.copytree(seeded.uri, tmp_path / "kb")
    return EvidenceStore(str(tmp_path / "kb"), embedder.embed, CHECKSUM)


@pytest.fixture
def empty(embedder: Embedder, tmp_path: Path) -> EvidenceStore:
    """A store without any record."""
    return EvidenceStore(str(tmp_path / "empty"), embedder.embed, CHECKSUM)


@pytest.fixture
def settings(base: Settings, store: EvidenceStore, tmp_path: Path) -> Settings:
    """Settings over `store`."""
    return replace(base, kb_uri=store.uri, log_path=tmp_path / "log.jsonl")


@pytest.fixture
def verifier(settings: Settings, store: EvidenceStore, models: Models) -> Iterator[Verifier]:
    """The whole pipeline over `store`, without the web."""
    yield Verifier(models, store, None, settings)
    store.close()
