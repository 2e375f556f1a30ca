"""A real instruct model, where VERIFIER_LLM names its file: `make test-llm VERIFIER_LLM=FILE.gguf`. Nothing is fetched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from models.llm.generator import Generator
from verifier.llm.assistant import Assistant


@pytest.fixture(scope="session")
def path() -> Path:
    named = Path(os.environ.get("VERIFIER_LLM", "")).expanduser()
    if not named.is_file():
        pytest.skip("no instruct model; run: make test-llm VERIFIER_LLM=FILE.gguf")
    return named


@pytest.fixture(scope="session")
def real(path: Path) -> Generator:
    return Generator(path, min(2, os.cpu_count() or 1))


@pytest.fixture(scope="session")
def assistant(real: Generator) -> Assistant:
    return Assistant(lambda: real)
