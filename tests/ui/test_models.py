"""The panel for the language model, over a hub on loopback."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import DownloadError, InputError
from models.hub.generators import GENERATORS
from tests.models.fake_hub import PIECE, FakeHub
from ui.models import models_table, progress, show_fetch, stopped
from verifier.llm.language_models import Fetched, fetch, known_models

KNOWN = GENERATORS[0]
CONTENT = b"x" * 20 * PIECE


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with HTTPServer(threaded=True) as server:
        hub = FakeHub(server)
        hub.add(KNOWN.source.repo, KNOWN.source.file, CONTENT)
        server.expect_request(re.compile(".*")).respond_with_handler(hub.answer)
        yield hub
        hub.wake.set()


def test_a_download_shows_how_far_it_is_and_then_that_the_model_is_here(hub: FakeHub, tmp_path: Path) -> None:
    found = []

    def fetched(name: str) -> Iterator[Fetched]:
        return fetch(name, tmp_path, hub.endpoint)

    frames = [told for told, _ in show_fetch(KNOWN.name, lambda: found.append(1), fetched)]
    assert "Asking the hub" in frames[0] and "is here, and the next check uses it" in frames[-1]
    assert any(f'max="{len(CONTENT)}"' in told for told in frames) and found == [1]
    assert [state.here for state in known_models(tmp_path)] == [True, False, False]


def test_a_download_that_fails_is_one_line_that_says_what_to_do(hub: FakeHub, tmp_path: Path) -> None:
    hub.refusal = (503, "")

    def fetched(name: str) -> Iterator[Fetched]:
        return fetch(name, tmp_path, hub.endpoint)

    told, _ = list(show_fetch(KNOWN.name, lambda: None, fetched))[-1]
    assert 'role="alert"' in told and "status 503" in told and "VERIFIER_LLM=PATH" in told


def test_who_leaves_a_download_stops_it_and_the_next_goes_on(hub: FakeHub, tmp_path: Path) -> None:
    hub.after, hub.silent = 10 * PIECE, True
    running = fetch(KNOWN.name, tmp_path, hub.endpoint)
    assert isinstance(running, Iterator)
    while next(running).done == 0:
        pass
    running.close()  # type: ignore[attr-defined]
    hub.wake.set()
    hub.after, hub.silent = None, False
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            last = list(fetch(KNOWN.name, tmp_path, hub.endpoint))[-1]
            break
        except DownloadError:  # the first has not let go yet
            time.sleep(0.1)
    assert last == Fetched(len(CONTENT), len(CONTENT))
    assert any("Range" in request.headers for request in hub.asked("GET"))


def test_a_model_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be one of qwen3.5-2b"):
        next(fetch("<b>gpt</b>", tmp_path))


def test_the_table_is_readable_by_all(tmp_path: Path) -> None:
    table = models_table(known_models(tmp_path))
    assert table.count('scope="col"') == 6 and table.count("not here") == len(GENERATORS)
    assert "progress" not in progress("Asking", 0, 0) and 'aria-label="Now: 1 of 2 MB"' in progress(
        "Now", 10**6, 2 * 10**6
    )
    assert 'role="status"' in stopped()
