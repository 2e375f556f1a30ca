from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from lab.world import World

Get = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def running() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.fixture
def world(running: World) -> World:
    running.town.reset()
    return running


@pytest.fixture
def get(world: World) -> Iterator[Get]:
    """Asks for an address of the world; names that end in ".localhost" are found here, as a browser would."""
    with httpx.Client(trust_env=False, timeout=5) as client:

        def ask(address: str, **options: object) -> httpx.Response:
            parts = urlsplit(address)
            if not parts.hostname:
                return client.get(world.url + address, **options)  # type: ignore[arg-type]
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            return client.get(world.url + target, headers={"Host": parts.netloc}, **options)  # type: ignore[arg-type]

        yield ask
