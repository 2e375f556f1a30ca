"""An S3 server on loopback, and a process that writes to a store on it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from kb.place import Access, use
from tests.kb.stores import opened, statements

BUCKET = "evidence-bucket"
SHARED = range(1_000, 1_050)
"""Statements that every writer adds."""


def access(port: int) -> Access:
    return Access(f"http://127.0.0.1:{port}", key="AKIAEXAMPLEEXAMPLE00", secret="a-secret-that-is-never-shown")


class _OneAtATime:
    """S3 promises that a conditional PUT is one step; moto looks first and writes then, so nobody may come between."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app, self._lock = app, threading.Lock()
        self.refused = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        def counted(status: str, *rest: Any) -> Any:  # noqa: ANN401
            self.refused += status.startswith("412")
            return start(status, *rest)

        with self._lock:
            return list(self._app(environ, counted))


class S3Server:
    """Where the server listens, and how many writes it refused because another had come first."""

    def __init__(self, port: int, app: _OneAtATime) -> None:
        self.port, self._app = port, app

    @property
    def refused(self) -> int:
        return self._app.refused


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A real S3 API with one empty bucket."""
    import httpx
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log(self, *_: Any) -> None:  # noqa: ANN401
            pass

    app = _OneAtATime(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        httpx.put(f"http://127.0.0.1:{server.port}/{BUCKET}").raise_for_status()
        yield S3Server(server.port, app)
    finally:
        httpx.post(f"http://127.0.0.1:{server.port}/moto-api/reset")
        server.shutdown()
        thread.join()


def write(port: int, writer: int) -> None:
    """Add 200 statements of one's own and 50 that all add, ten at a time, mixed."""
    use(access(port))
    store = opened(f"s3://{BUCKET}/kb")
    own = iter(range(writer * 10_000, writer * 10_000 + 200))
    for start in range(0, len(SHARED), 2):
        shared = list(SHARED[start : start + 2])
        store.add(statements(*(next(own) for _ in range(8)), *shared))
    store.close()


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]))
