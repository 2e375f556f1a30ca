"""Instruct models of random weights, made once per test run."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.llm.generator import Generator
from tests.models.tiny_generator import write_tiny_generator


@pytest.fixture(scope="session")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_generator(tmp_path_factory.mktemp("tiny") / "hybrid.gguf", architecture="qwen35")


@pytest.fixture(scope="session", params=["tiny", "hybrid"], ids=["attention", "recurrent"])
def generator(request: pytest.FixtureRequest) -> Generator:
    return Generator(request.getfixturevalue(request.param), 1)
