"""What a checker opened is closed with it: files of the search cache, and connections to servers."""

from __future__ import annotations

import os
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import InputError, VerifierError
from kb.store.evidence_store import EvidenceStore
from verifier.__main__ import main
from verifier.serve.checker import Checker
from verifier.serve.service import Service
from verifier.settings import Settings

ARTICLE = f"<html><body><article><h1>Bridge</h1><p>{'The bridge of Porto Belo opened in 1931. ' * 30}</p></article></body></html>"


def held(*names: str) -> list[str]:
    """The open files of this process whose names hold one of these."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{number}"))
        except FileNotFoundError:
            continue
    return [path for path in found if any(name in path for name in names)]


def connections(port: int) -> int:
    """How many of this machine's connections to the port stand open, at the end that asks."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


@pytest.fixture
def searching(settings: Settings, seeded: EvidenceStore, tmp_path: Path) -> Settings:
    shutil.copytree(seeded.uri, tmp_path / "own")
    search = replace(settings.search, allow_private=True, cache_path=tmp_path / "cache")
    return replace(settings, kb_uri=str(tmp_path / "own"), web=True, search=search)


def test_a_closed_checker_holds_no_file_and_no_connection_and_can_be_used_again(
    searching: Settings, httpserver: HTTPServer, tmp_path: Path
) -> None:
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)
    httpserver.expect_request("/bridge").respond_with_data(ARTICLE, content_type="text/html")
    url = httpserver.url_for("/bridge")
    with Checker(searching) as checker:
        assert checker.page(url).text and held(str(tmp_path / "cache"))
    assert held(str(tmp_path / "cache")) == []
    end = time.monotonic() + 60
    while connections(httpserver.port) and time.monotonic() < end:
        time.sleep(0.05)
    assert connections(httpserver.port) == 0
    assert checker.page(url).text
    checker.close()


def test_a_service_that_is_closed_while_it_loads_leaves_nothing_open(searching: Settings, tmp_path: Path) -> None:
    before = set(threading.enumerate())  # other tests of this process may have a service of their own
    service = Service(searching)
    service.start()
    service.close()
    with pytest.raises(VerifierError, match="could not be loaded"):
        service.checker()
    later = set(threading.enumerate()) - before
    assert held(str(tmp_path / "cache")) == [] and not any(one.name == "upkeep" for one in later)


def test_an_error_closes_what_a_block_opened(searching: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="version"), Checker(searching) as checker:
        checker.replay("The Earth is flat", "99999")
    assert held(str(tmp_path / "cache")) == []


def test_a_command_that_fails_leaves_nothing_open(
    searching: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIFIER_WEB", "on")
    monkeypatch.setenv("VERIFIER_SEARCH_CACHE", str(tmp_path / "cache"))
    assert main(["verify", "The Earth is flat", "--as-of", "99999", "--kb", searching.kb_uri]) == 2
    assert capsys.readouterr().err.startswith("error: ") and held(str(tmp_path / "cache")) == []
