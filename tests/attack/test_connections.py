"""Connections that do nothing, or as little as they can."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from lab.space_check.start import free_port
from tests.served import Served, serving
from ui.blocks import build_demo
from ui.guard import connections
from ui.guard.connections import harden
from ui.guard.front import guard_arguments
from verifier.serve.service import Service
from verifier.settings import ServerSettings, Settings

HEAD = b"GET /config HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-For: 8.8.8.8\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server that waits for a second only."""
    folder = tmp_path_factory.mktemp("idle")
    own = Settings(kb_uri=str(folder / "kb"), merged=folder / "merged", web=False, log=False)
    service = Service(replace(own, server=ServerSettings(trust_proxy=1)))
    demo, number = build_demo(service), free_port()
    demo.launch(
        server_name="127.0.0.1",
        server_port=number,
        prevent_thread_lock=True,
        quiet=True,
        ssr_mode=False,
        app_kwargs=guard_arguments(service, demo),
    )
    harden(demo, service.settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "IDLE_SECONDS", 1.0)
        yield number
    service.start()
    demo.close()


def ended(connection: socket.socket, seconds: float) -> bool:
    """Whether the other end closes the connection in this time."""
    end = time.monotonic() + seconds
    with suppress(TimeoutError):
        while time.monotonic() < end:
            connection.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not connection.recv(65_536):
                    return True
            except ConnectionError:
                return True
    return False


def trickle(connection: socket.socket, text: bytes) -> None:
    """Send byte after byte, for longer than the server waits."""

    def send() -> None:
        with suppress(OSError):
            for place in range(len(text)):
                connection.sendall(text[place : place + 1])
                time.sleep(0.1)

    threading.Thread(target=send, daemon=True).start()


@pytest.mark.parametrize("kind", ["idle", "half a line", "half a head", "trickle", "trickle after an answer"])
def test_a_connection_without_a_request_is_closed(port: int, kind: str) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        if kind == "half a line":
            connection.sendall(b"GE")
        elif kind == "half a head":
            connection.sendall(HEAD)
        elif kind.startswith("trickle"):
            if "after" in kind:
                connection.sendall(HEAD.replace(b"/config", b"/robots.txt") + b"\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 200")
            trickle(connection, HEAD * 2)
        began = time.monotonic()
        assert ended(connection, 60) and time.monotonic() - began > 0.8


def test_who_takes_in_no_answer_is_let_go(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drop, dropped = connections.Hurried._drop, threading.Event()

    def noted(self: connections.Hurried) -> None:
        drop(self)
        if self._writing:  # not one that another test left idle
            dropped.set()

    monkeypatch.setattr(connections.Hurried, "_drop", noted)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.connect(("127.0.0.1", port))
        connection.sendall((HEAD.replace(b"/config", b"/") + b"\r\n") * 40)
        assert dropped.wait(60)
        taken = 0
        with suppress(ConnectionError):
            while piece := connection.recv(65_536):
                taken += len(piece)
        assert taken < 20 * 200_000  # forty pages are twice as much: it was cut off


def test_what_takes_its_time_and_does_something_is_not_closed(port: int) -> None:
    with httpx.stream(
        "GET", f"http://127.0.0.1:{port}/gradio_api/heartbeat/abc", timeout=30, trust_env=False
    ) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "data: ALIVE"
        time.sleep(2.5)
        assert answer.stream is not None and not answer.is_closed
        assert httpx.get(f"http://127.0.0.1:{port}/gradio_api/queue/status", trust_env=False).status_code == 200


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Served]:
    """An app that may open few files."""

    def few() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

    with serving(tmp_path, few, VERIFIER_TRUST_PROXY="1") as app:
        yield app


def test_idle_connections_make_room_for_a_request(narrow: Served) -> None:
    with ExitStack() as held:
        for _ in range(300):
            with suppress(OSError):
                held.enter_context(socket.create_connection(("127.0.0.1", narrow.port), timeout=5))
        for _ in range(5):
            assert narrow.ask("GET", "gradio_api/queue/status", "8.8.8.8").status_code == 200
        assert narrow.start_check("8.8.8.8").status_code == 200
    assert narrow.said.count("too many open files") <= 1 and "Traceback" not in narrow.said
