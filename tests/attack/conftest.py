"""One public app for all hostile requests, each of which comes from its own visitor behind a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.attack.shared import Shared, sharing
from tests.served import Served, serving, visitors

GROWTH = 50_000_000
"""Bytes by which the memory of the server may grow while it is attacked."""


@dataclass(frozen=True, slots=True)
class Target:
    """The app under attack, and the status of each of its answers."""

    app: Served
    visitor: Callable[[], str]
    statuses: list[int] = field(default_factory=list)

    def send(self, method: str, path: str, visitor: str = "", **given: object) -> httpx.Response:
        """Send one hostile request, from a new visitor unless one is named."""
        answer = self.app.ask(method, path, visitor or self.visitor(), **given)
        self.statuses.append(answer.status_code)
        return answer


@pytest.fixture(scope="package")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Start the app; after all attacks, no answer was an error of the server, and its memory has not grown."""
    with serving(
        tmp_path_factory.mktemp("attacked"), VERIFIER_TRUST_PROXY="1", VERIFIER_ORIGINS="https://friend.example"
    ) as app:
        for _ in range(3):
            app.start_check()  # loads what the first requests need, which is no growth
            app.ask("GET", "gradio_api/info")
        made, before = Target(app, visitors("9.9")), app.memory
        yield made
        grown = app.memory - before
        print(f"\n{len(made.statuses)} hostile requests; memory grew by {grown / 1e6:.1f} MB")  # noqa: T201
        assert grown < GROWTH, f"memory grew by {grown / 1e6:.0f} MB"
        assert not [status for status in made.statuses if status >= 500]
        assert "Traceback" not in app.said, app.said[-5_000:]


@pytest.fixture
def app(target: Target) -> Served:
    return target.app


@pytest.fixture
def visitor(target: Target) -> str:
    return target.visitor()


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    with sharing(tmp_path) as server:
        yield server
