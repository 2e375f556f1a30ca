"""A service over the real models and a copy of the seeded store, shared by the tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kb.store import EvidenceStore
from verifier.service import Service
from verifier.settings import Settings


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
