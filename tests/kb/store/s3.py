"""An S3 server on loopback, and a process that writes to a store on it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from kb.store.place import Access, use
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
        self.conditional = self.refused = 0
        self.meeting: threading.Barrier | None = None

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        def counted(status: str, *rest: Any) -> Any:  # noqa: ANN401
            self.refused += status.startswith("412")
            return start(status, *rest)

        conditional = environ.get("HTTP_IF_NONE_MATCH") == "*"
        if conditional and self.meeting:
            self.meeting.wait(60)
            self.meeting = None
        with self._lock:
            self.conditional += conditional
            return list(self._app(environ, counted))


class S3Server:
    """Where the server listens; how many writes came with a condition, and how many of them another had forestalled."""

    def __init__(self, port: int, app: _OneAtATime) -> None:
        self.port, self._app = port, app

    def let_writers_meet(self, count: int) -> None:
        """The next commit waits until so many have come as far; then all but one of them must lose, and try again."""
        self._app.meeting = threading.Barrier(count)

    @property
    def conditional(self) -> int:
        return self._app.conditional

    @property
    def refused(self) -> int:
        return self._app.refused


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A real S3 API with one empty bucket."""
    import httpx
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
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
    """Add 200 statements of one's own and 50 that all add, mixed, in two portions, when standard input says so."""
    use(access(port))
    store = opened(f"s3://{BUCKET}/kb")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for part in range(2):
        own = writer * 10_000 + 100 * part
        store.add(statements(*range(own, own + 100), *SHARED[25 * part : 25 * part + 25]))
    store.close()


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]))
