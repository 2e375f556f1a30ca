"""A server on loopback, and a fetcher for which it is the public internet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.internet import Internet, Names, Server
from web.fetch import Fetcher


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def internet(server: Server) -> Internet:
    return Internet(server.port)


@pytest.fixture
def fetcher(internet: Internet) -> Iterator[Fetcher]:
    """As it ships, with names that end in ".example" in a DNS of its own."""
    fetcher = Fetcher(timeout=5, resolve=Names(), network=internet)
    yield fetcher
    fetcher.close()
