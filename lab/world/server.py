"""Serve the world on a port of this machine only."""

from __future__ import annotations

import csv
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from errors import InputError
from lab.world.encyclopaedia import reference_claims
from lab.world.exchange import Reply, Request
from lab.world.facts import WorldClaim, claims
from lab.world.faults import Fault, Faults
from lab.world.pages import Trap
from lab.world.sites import SITES, Role
from lab.world.town import Town
from lab.world.wikis import HOSTS, WIKIDATA, WIKIPEDIA

ADDRESS = "127.0.0.1"
_MAX_BODY = 65_536
_IDLE_SECONDS = 30
_STOP_SECONDS = 5


class World:
    """An invented web and its search engines: `with World() as world: world.url`.

    Args:
        port: the port to listen on; 0 is any that is free.
        faults: what goes wrong from the start; nothing by default.
    """

    def __init__(self, port: int = 0, faults: Faults | None = None) -> None:
        self._wanted = port
        self._faults = faults or Faults()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Listen, and return at once.

        Raises:
            InputError: the port is taken.
        """
        try:
            self._server = _Server((ADDRESS, self._wanted), _Handler)
        except (OSError, OverflowError) as exc:
            raise InputError(
                f"cannot listen on port {self._wanted} of {ADDRESS}: give another one, or 0 for any"
            ) from exc
        self._server.town = Town(self._server.server_port, self._faults)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="world", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop listening, cut what is being answered, and wait until every thread has ended."""
        if self._server is None or self._thread is None:
            return
        self._server.end()
        self._thread.join(_STOP_SECONDS)
        self._server = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def town(self) -> Town:
        """What stands behind the port.

        Raises:
            InputError: the world has not been started.
        """
        if self._server is None:
            raise InputError("the world is not running: call start() first")
        return self._server.town

    @property
    def port(self) -> int:
        """The port that it listens on."""
        _ = self.town
        assert self._server is not None
        return self._server.server_port

    @property
    def url(self) -> str:
        """The address of the engines and the controls, without a slash at its end."""
        return f"http://{ADDRESS}:{self.port}"

    def claims(self) -> tuple[WorldClaim, ...]:
        """Return claims about the world with the verdicts that they should get."""
        return claims()

    def reference_claims(self) -> tuple[WorldClaim, ...]:
        """Return claims that the world's encyclopaedia settles, or says nothing of, with their verdicts."""
        return reference_claims()

    def domains(self) -> tuple[tuple[str, str, float], ...]:
        """Return domain, type of source and credibility (0 to 1) of each site except traps."""
        wikis = tuple((host, "academic", 0.7) for host in sorted(HOSTS))
        sites = [site for site in SITES if site.role is not Role.TRAP]
        return (*((site.domain, site.source_type, site.credibility) for site in sites), *wikis)

    def traps(self) -> dict[Trap, str]:
        """Return the address of one page for each trap."""
        return {page.trap: page.url(self.port) for page in self.town.web.traps if page.trap is not None}

    def requests(self) -> dict[str, object]:
        """Return how many requests were made; see `Town.requests`."""
        return self.town.requests()

    def settle(self, folder: Path) -> dict[str, str]:
        """Write this world's publishers into `folder`; return settings that keep evidence there.

        Without the list the sites are unknown, which is too little for a verdict. What is invented must not get into a
        store, a log or a cache of the real web.

        Raises:
            InputError: the folder cannot be written.
        """
        listed = folder / "domains.csv"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with listed.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(("domain", "rule", "source_type", "credibility", "note"))
                writer.writerows(
                    (domain, "allow", source_type, f"{credibility:g}", "invented")
                    for domain, source_type, credibility in self.domains()
                )
        except OSError as exc:
            raise InputError(f"cannot write {listed}: {exc.strerror}; name another folder with --folder") from exc
        return {
            "VERIFIER_WEB": "on",
            "VERIFIER_DOMAINS": str(listed),
            "VERIFIER_KB_URI": str(folder / "kb"),
            "VERIFIER_LOG_PATH": str(folder / "verifications.jsonl"),
            "VERIFIER_SEARCH_CACHE": str(folder / f"search-cache-{self.port}"),
        }

    def environment(self, which: Literal["all", "free"] = "all") -> dict[str, str]:
        """Return the settings with which the verifier asks this world.

        "free" leaves out what needs a key or a server of one's own.
        """
        free = {
            "VERIFIER_ALLOW_PRIVATE": "1",
            "VERIFIER_DUCKDUCKGO_URL": f"{self.url}/duckduckgo",
            "VERIFIER_GDELT_URL": f"{self.url}/gdelt",
            "VERIFIER_WIKIPEDIA_URL": f"http://{{language}}.{WIKIPEDIA}:{self.port}",
            "VERIFIER_WIKIDATA_URL": f"http://{WIKIDATA}:{self.port}",
            "VERIFIER_EUROPE_PMC_URL": f"{self.url}/europepmc",
            "VERIFIER_OPENALEX_URL": f"{self.url}/openalex",
            "VERIFIER_CROSSREF_URL": f"{self.url}/crossref",
            "VERIFIER_FEEDS": ",".join(self.town.web.feeds()),
        }
        if which == "free":
            return free
        own = {"VERIFIER_YACY_URL": f"{self.url}/yacy", "VERIFIER_SEARXNG_URL": f"{self.url}/searxng"}
        keyed = {"EVENT_REGISTRY", "NEWSAPI", "BRAVE", "SERPAPI"}
        keys = {f"{name}_API_KEY": "demo" for name in (*sorted(keyed), "GOOGLE_FACT_CHECK")}
        addresses = {f"VERIFIER_{name}_URL": f"{self.url}/{name.lower().replace('_', '')}" for name in sorted(keyed)}
        return free | own | keys | addresses | {"VERIFIER_GOOGLE_FACT_CHECK_URL": f"{self.url}/factcheck"}


class _Server(ThreadingHTTPServer):
    """A server that knows its threads, so that stopping it leaves none behind."""

    daemon_threads = True
    request_queue_size = 128
    town: Town

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}

    def server_bind(self) -> None:
        """Bind without looking up this machine's name, which may be slow."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = ADDRESS, self.server_address[1]

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Answer a connection in a thread of its own."""
        assert isinstance(request, socket.socket)
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), name="world-connection", daemon=True
        )
        with self._lock:
            self._open = {known: open_socket for known, open_socket in self._open.items() if known.is_alive()}
            thread.start()
            self._open[thread] = request

    def handle_error(self, request: object, client_address: object) -> None:
        """Show every error except that of a client that hung up."""
        import sys

        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    def end(self) -> None:
        """Stop accepting, cut all connections, and wait for their threads."""
        self.stopping.set()
        self.shutdown()
        with self._lock:
            still = dict(self._open)
        for connection in still.values():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in still:
            thread.join(_STOP_SECONDS)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    """HTTP in and out."""

    server: _Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "World/1", ""
    timeout = _IDLE_SECONDS
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer any method: the town knows which it accepts."""
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal() or int(length) > _MAX_BODY:
            self.close_connection = True
            self._send(Reply(b"Too large", "text/plain; charset=utf-8", 413), None)
            return
        request = Request(
            self.command,
            (self.headers.get("Host") or "").rpartition(":")[0].lower() or (self.headers.get("Host") or "").lower(),
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(int(length)),
            self.server.server_port,
        )
        self._send(*self.server.town.handle(request, self.server.stopping.wait))

    do_POST = do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Do nothing: requests are counted, not logged."""

    def _send(self, reply: Reply, fault: Fault | None) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.stream is None:
            self.send_header("Content-Length", str(len(reply.body)))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault is Fault.CUT:
            self._cut(reply)
        elif reply.stream is None:
            self.wfile.write(reply.body)
        else:
            for piece in reply.stream(self.server.stopping.wait):
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")

    def _cut(self, reply: Reply) -> None:
        """Send half of the answer, and cut the connection."""
        self.wfile.write(reply.body[: len(reply.body) // 2])
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
