"""A public internet on loopback: names resolve to public addresses, and connections to those end at a server of the test."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpcore

PUBLIC = "93.184.215.14"
Reply = bytes | Callable[[socket.socket], None]


def http(
    body: bytes = b"", status: str = "200 OK", content_type: str | None = "text/html; charset=utf-8", **headers: str
) -> bytes:
    """A whole HTTP/1.1 answer. Underscores in names of headers stand for hyphens."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"Content-Type: {content_type}"] if content_type is not None else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def redirect(location: str) -> bytes:
    return http(status="302 Found", Location=location)


class Server:
    """Answers each path with the bytes, or the behaviour, that it is told. It keeps what it was asked."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {"/robots.txt": http(b"", "404 Not Found")}
        self.asked: list[str] = []
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                request = b""
                while b"\r\n\r\n" not in request and (chunk := self.request.recv(65_536)):
                    request += chunk
                if request:
                    outer.answer(self.request, request.decode("latin-1"))

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
                """A client that hangs up is what these tests are about."""

        self._server = Threads(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def answer(self, connection: socket.socket, request: str) -> None:
        self.asked.append(request)
        path = request.split(" ")[1].split("?")[0]
        reply = self.replies.get(path, http(b"", "404 Not Found"))
        if callable(reply):
            reply(connection)
        else:
            connection.sendall(reply)

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, without robots.txt."""
        return [path for path in (request.split(" ")[1] for request in self.asked) if path != "/robots.txt"]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Internet(httpcore.NetworkBackend):
    """Every address leads to one server on loopback; which addresses were connected to is kept."""

    def __init__(self, port: int) -> None:
        self.connected: list[tuple[str, int]] = []
        self._port = port
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        self.connected.append((host, port))
        return self._real.connect_tcp("127.0.0.1", self._port, timeout)


class Names:
    """A DNS whose answers the test writes. A list of lists is given out one after the other: a name that changes its meaning."""

    def __init__(self, **known: list[str] | Iterator[list[str]]) -> None:
        self._known = {name.replace("_", "."): answer for name, answer in known.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answer = self._known.get(host)
        if answer is None:
            if host.endswith(".example"):
                return [PUBLIC]
            raise socket.gaierror(-2, "Name or service not known")
        return answer if isinstance(answer, list) else next(answer)
