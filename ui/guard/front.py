"""What stands between the network and Gradio: which paths there are, how much a visitor may ask for, how large a request may be.

It is plain ASGI, so that answers that come piece by piece are handed on as they come.
"""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect

from ui.guard.answers import App, Message, Receive, Refusal, Send, refuse, safety_headers
from ui.guard.bodies import UPLOAD_SECONDS, again, in_time, whole
from ui.guard.visitors import Allowance, Visitor, claims_in, visitor_of
from ui.metrics import server_arguments
from verifier.service import Service
from verifier.settings import Settings

MAX_OPEN = 100
"""Requests of one visitor that are answered at the same time; a page that is open holds two."""
MAX_CONNECTIONS = 1_000
_QUEUE_WAIT = 60
_API = "/gradio_api/"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_OPEN = re.compile(
    r"/|/(?:config|theme\.css|favicon\.ico|manifest\.json|robots\.txt|metrics)/?|/(?:assets|static|svelte|pwa_icon)(?:/.*)?|"
    r"/gradio_api/(?:(?:info|openapi\.json|theme\.css|app_id|login_check|user|startup-events|upload_progress|upload|cancel|reset|"
    r"component_server|queue/(?:join|data|status))/?|heartbeat/[^/]+|(?:call|run|api)/.+)"
)
"""All that there is of Gradio's server. Not among it: files by their path, requests in the server's name, its log of runs."""
_MCP = re.compile(r"/gradio_api/mcp(?:/.*)?")
_STARTS = re.compile(r"/gradio_api/(?:queue/join|(?:call(?:/v2)?|run|api)/([^/]+))/?")
_COUNTED = b"x-counted-already"


@dataclass(frozen=True, slots=True)
class _Request:
    """What is looked at before a request is let through."""

    method: str
    path: str
    headers: dict[str, str]
    visitor: Visitor


class Guard:
    """In front of the whole app: refuses what nobody needs and what is too much, and adds headers to every answer."""

    def __init__(self, app: App, settings: Settings, demo: gr.Blocks) -> None:
        """`app` answers what is let through; `demo` knows which of its functions are checks, and who waits for one."""
        self._app, self._settings, self._demo = app, settings, demo
        server = settings.server
        self._allowance = Allowance(server.per_minute, server.per_hour) if server.per_minute else None
        self._headers = safety_headers(server.on_space)
        self._entering: Counter[str] = Counter()
        self._secret = secrets.token_hex(16)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # nothing here speaks it
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def dressed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                ours = {name for name, _ in self._headers}
                message["headers"] = [
                    pair for pair in message.get("headers", []) if pair[0] not in ours
                ] + self._headers
            await send(message)

        try:
            await self._let_through(scope, receive, dressed)
        except Refusal as refusal:
            if not started:
                await refuse(dressed, refusal)
        except ClientDisconnect:
            if not started:
                await refuse(dressed, Refusal(408, "the request did not arrive in time; send it again"))

    async def _let_through(self, scope: Message, receive: Receive, send: Send) -> None:
        request = self._read(scope)
        self._check_place(request)
        limited = self._allowance is not None and self._settings.public and not request.visitor.local
        if not limited or self._allowance is None:
            await self._with_body(scope, receive, send, request, limited=False)
            return
        try:
            if self._allowance.opened(request.visitor.key, 1) > MAX_OPEN:
                raise Refusal(429, f"more than {MAX_OPEN} requests from your address are open; close some pages", 10)
            await self._with_body(scope, receive, send, request, limited=True)
        finally:
            self._allowance.opened(request.visitor.key, -1)

    def _read(self, scope: Message) -> _Request:
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key, text = name.decode("latin1"), value.decode("latin1")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        server = self._settings.server
        peer = scope["client"][0] if scope.get("client") else ""
        forwarded = headers.get("x-forwarded-for", "")
        visitor = visitor_of(peer, forwarded, server.trust_proxy, skip_private=server.on_space)
        return _Request(scope["method"], scope["path"], headers, visitor)

    def _check_place(self, request: _Request) -> None:
        """Which paths there are; and on a private server, that no page of another site is behind the request."""
        if _MCP.fullmatch(request.path):
            if not self._settings.mcp:
                raise Refusal(404, "this server has no MCP tools; its owner can allow them with VERIFIER_MCP=1")
        elif not _OPEN.fullmatch(request.path):
            raise Refusal(404, "there is nothing under this address")
        if not self._settings.public:
            _check_origin(request)

    async def _with_body(
        self, scope: Message, receive: Receive, send: Send, request: _Request, *, limited: bool
    ) -> None:
        if request.path.rstrip("/") == f"{_API}upload":
            self._check_upload(request)
            await self._app(scope, in_time(receive, UPLOAD_SECONDS), send)
        elif request.method in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
        else:
            body = await whole(receive, int(request.headers.get("content-length", "0") or 0))
            await self._counted(scope, again(body, receive), send, request, body if limited else None)

    def _check_upload(self, request: _Request) -> None:
        size = request.headers.get("content-length", "")
        if request.method == "POST" and not size.isdecimal():
            raise Refusal(411, "an upload must say how large it is: send Content-Length")
        if int(size or 0) > self._settings.server.max_upload:
            raise Refusal(413, f"a file may have {self._settings.server.max_upload // 1_000_000} MB at most")

    async def _counted(
        self, scope: Message, receive: Receive, send: Send, request: _Request, body: bytes | None
    ) -> None:
        """Hand on what may start a check, if the visitor may have one more. Without a `body`, there is no limit."""
        starts = _STARTS.fullmatch(request.path)
        send = self._queue_told(send) if starts else send
        claims = self._claims(request, starts, body) if body is not None else 0
        key = request.visitor.key
        if not claims:
            await self._app(scope, receive, send)
            return
        if request.headers.get(_COUNTED.decode()) != self._secret:
            self._take(key, claims)
        if not starts:  # a call of an MCP tool, which Gradio turns into a request to itself with the same headers
            scope["headers"] = [*scope["headers"], (_COUNTED, self._secret.encode())]
            await self._app(scope, receive, send)
            return
        held = self._entering[key] + sum(1 for waiting in self._waiting() if waiting == key)
        if held >= self._settings.server.at_once:
            raise Refusal(429, f"{held} checks from your address are in the queue; wait until one is done", 5)
        self._entering[key] += 1
        scope.setdefault("state", {})["visitor"] = key
        try:
            await self._app(scope, receive, send)
        finally:
            self._entering[key] -= 1
            self._entering += Counter()  # drops zeros

    def _take(self, key: str, claims: int) -> None:
        wait = self._allowance.take(key, claims) if self._allowance else 0
        if wait:
            server = self._settings.server
            rule = f"{server.per_minute} checks a minute and {server.per_hour} an hour for each visitor"
            raise Refusal(429, f"That is more than this server can do: {rule}. Try again in {wait} seconds.", wait)

    def _claims(self, request: _Request, starts: re.Match[str] | None, body: bytes) -> int:
        """How many claims a request would have checked. What cannot be understood counts as one: the app will say so."""
        try:
            said: Any = json.loads(body)
        except ValueError:
            return 1 if starts else 0
        if not starts:
            calls = said if isinstance(said, list) else [said]
            called = [call for call in calls if isinstance(call, dict) and call.get("method") == "tools/call"]
            return sum(claims_in((call.get("params") or {}).get("arguments")) for call in called)
        if not isinstance(said, dict):
            return 1
        meant = [value for value in (said.get("fn_index"), starts[1]) if value is not None]  # Gradio prefers the number
        if meant and all(type(value) in {int, str} and value in self._light() for value in meant):
            return 0
        return claims_in(said.get("data", said))

    def _light(self) -> set[str | int]:
        """Numbers and names of Gradio's functions that use no model."""
        light: set[str | int] = set()
        for number, function in self._demo.fns.items():
            if not str(function.concurrency_id).startswith("checks"):
                light |= {number, str(function.api_name)}
        return light

    def _waiting(self) -> Iterator[str]:
        """The visitor of each check that waits or is being done. Gradio has no public way to ask its queue."""
        queue = self._demo._queue
        events = [event for part in queue.event_queue_per_concurrency_id.values() for event in part.queue]
        events += [event for job in queue.active_jobs if job for event in job]
        for event in events:
            yield event.request.scope.get("state", {}).get("visitor", "")

    def _queue_told(self, send: Send) -> Send:
        """Gradio answers 503 where its queue is full, and its page then shows a text of its own, which names no time."""
        full = False

        async def told(message: Message) -> None:
            nonlocal full
            if message["type"] == "http.response.start" and message["status"] == 503:
                full = True
                number = self._settings.server.queue
                text = f"{number} checks are waiting already, and no more can wait. Try again in a minute."
                await refuse(send, Refusal(429, text, _QUEUE_WAIT))
            elif not full:
                await send(message)

        return told


def _check_origin(request: _Request) -> None:
    """A site that a user visits could otherwise use his own server: by a form, or under a name that leads to this machine."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname
    if host not in _LOOPBACK:
        raise Refusal(
            403,
            f"this server answers as localhost only, not as {str(host)[:80]!r}; behind a proxy, set VERIFIER_TRUST_PROXY=1",
        )
    origin = urlsplit(request.headers.get("origin", ""))
    foreign = origin.path == "null" or (origin.scheme in {"http", "https"} and origin.hostname not in _LOOPBACK)
    if foreign and request.method not in {"GET", "HEAD", "OPTIONS"}:
        raise Refusal(403, "pages of other sites may not use this server")


def guard_arguments(service: Service, demo: gr.Blocks) -> dict[str, Any]:
    """What `demo.launch(app_kwargs=...)` is given: the guard, and behind it what else stands before the app."""
    behind = server_arguments(service.metrics).get("middleware", [])
    return {"middleware": [Middleware(Guard, settings=service.settings, demo=demo), *behind]}


def harden(demo: gr.Blocks) -> None:
    """After `launch`: bound the connections, and stop naming the program that serves (within the next second)."""
    config = demo.server.config
    config.limit_concurrency = MAX_CONNECTIONS
    config.encoded_headers = []
