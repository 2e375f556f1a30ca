"""Guard Gradio: which paths exist, whose request it is, how much a visitor may ask.

It is plain ASGI, so that streamed answers are passed on piece by piece.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect

from ui.guard.answers import App, Message, Receive, Refusal, Send, blamed, refuse, safety_headers
from ui.guard.bodies import again, whole
from ui.guard.payloads import parsed, uploads_in
from ui.guard.places import Kind, Places
from ui.guard.starts import Start, rows_in, start_of, tool_calls
from ui.guard.uploads import Uploads
from ui.guard.visitors import Allowance, Budget, Visitor, visitor_of
from ui.metrics import server_arguments
from ui.views import VIEW, Views
from ui.watch_feed import WatchFeedRoute
from verifier.serve.service import Service

MAX_OPEN = 100
"""Requests of one visitor answered at the same time; an open page holds two."""
LONGEST_PATH = 1_000
LIGHT = 10
"""Requests that use no model, for each check that a visitor may start in a minute."""
_LOG = logging.getLogger(__name__)
_OPEN = re.compile(
    r"/|/(?:config|theme\.css|favicon\.ico|manifest\.json|robots\.txt|metrics|watch\.atom)/?|/(?:assets|static|svelte|pwa_icon)(?:/.*)?|"
    r"/gradio_api/(?:(?:info|openapi\.json|theme\.css|app_id|login_check|user|startup-events|upload_progress|upload|cancel|reset|"
    r"queue/(?:join|data|status))/?|heartbeat/[\w-]{1,64}|(?:call|run|api)/.+)"
)
"""All allowed paths of Gradio's server. Left out: files by path, requests in the server's name, its log of runs."""
_MCP = re.compile(r"/gradio_api/mcp(?:/.*)?")
_DIRECT = re.compile(r"/gradio_api/(?:run|api)/.+")
_UPLOAD = re.compile(r"/gradio_api/upload/?")
_PAGE = re.compile(r"/gradio_api/heartbeat/.+")
_COUNTED = "x-counted-already"
_READS = {"GET", "HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class _Request:
    """The parts of a request that the guard checks.

    `limited`: whether a visitor's limits apply to it.
    """

    method: str
    path: str
    headers: dict[str, str]
    visitor: Visitor
    limited: bool
    counted: bool = False
    """Whether it comes from a counted request: a call of an MCP tool, which Gradio turns into a request to itself."""


class Guard:
    """Refuses unknown paths and too many requests, and adds headers to every answer.

    It is in front of the whole app.
    """

    def __init__(self, app: App, service: Service, demo: gr.Blocks) -> None:
        """`app` answers accepted requests; `demo` has the functions.

        `service` knows the settings, and the work under way.
        """
        self._app, self._settings, self._demo = app, service.settings, demo
        server = self._settings.server
        self._allowance = Allowance(server.per_minute, server.per_hour)
        self._light = Budget(max(1, LIGHT * server.per_minute), 60)
        self._places = Places(demo, server, service.turns)
        self._uploads = Uploads(Path(get_upload_folder()), server.max_upload)
        self._headers = safety_headers(server.on_space)
        self._secret = secrets.token_hex(16)
        self._told = 0.0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # no part of the app uses websockets
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

        refusal: Refusal | None = None
        try:
            await self._let_through(scope, receive, dressed)
        except Refusal as exc:
            refusal = exc
        except ClientDisconnect:
            refusal = Refusal(408, "the request did not arrive in time, or not as it said; send it again")
        except HTTPException as exc:  # in the middle of an answer that had begun
            refusal = Refusal(exc.status_code, str(exc.detail))
        except Exception as exc:  # noqa: BLE001  # the last place to catch it: one line, and no traceback
            refusal = Refusal(500, "the server failed at this request; the log of the process says why")
            _LOG.error("%s %s failed: %s: %.200s", scope["method"], _line(scope["path"]), type(exc).__name__, exc)
        if refusal:
            self._tell(scope, refusal)
            await (send({"type": "http.response.body", "body": b""}) if started else refuse(dressed, refusal))

    def _tell(self, scope: Message, refusal: Refusal) -> None:
        """Log one line for a malformed request, at most one a second.

        A stranger must not fill the log.
        """
        if refusal.status == 400 and time.monotonic() - self._told >= 1:
            self._told = time.monotonic()
            _LOG.warning("refused %s %s: %s", scope["method"], _line(scope["path"]), refusal.message)

    async def _let_through(self, scope: Message, receive: Receive, send: Send) -> None:
        request = self._read(scope)
        self._check_place(request)
        scope.setdefault("state", {})["visitor"] = request.visitor.key
        try:
            if self._allowance.opened(request.visitor.key, 1) > MAX_OPEN and request.limited:
                raise Refusal(429, f"more than {MAX_OPEN} requests from your address are open; close some pages", 10)
            await self._with_body(scope, receive, send, request)
        finally:
            self._allowance.opened(request.visitor.key, -1)

    def _read(self, scope: Message) -> _Request:
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key, text = name.decode("latin1"), value.decode("latin1")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        if "content-length" in headers and "transfer-encoding" in headers:
            raise Refusal(400, "a request must not have both Content-Length and Transfer-Encoding; send one of them")
        server = self._settings.server
        method, path = scope["method"], scope["path"]
        secret, _, key = headers.get(_COUNTED, "").partition(" ")
        if secrets.compare_digest(secret.encode(), self._secret.encode()):
            return _Request(method, path, headers, Visitor(key), limited=True, counted=True)
        peer = scope["client"][0] if scope.get("client") else ""
        forwarded = headers.get("x-forwarded-for", "")
        visitor = visitor_of(peer, forwarded, server.trust_proxy, skip_private=server.on_space)
        limited = self._settings.public and server.per_minute > 0 and not visitor.local
        return _Request(method, path, headers, visitor, limited)

    def _check_place(self, request: _Request) -> None:
        """Check that the path exists."""
        if len(request.path) > LONGEST_PATH:
            raise Refusal(414, f"an address may have {LONGEST_PATH:,} characters at most")
        if _MCP.fullmatch(request.path):
            if not self._settings.mcp:
                raise Refusal(404, "this server has no MCP tools; its owner can allow them with VERIFIER_MCP=1")
        elif not _OPEN.fullmatch(request.path) and not VIEW.fullmatch(request.path):
            raise Refusal(404, "there is nothing under this address")

    async def _with_body(self, scope: Message, receive: Receive, send: Send, request: _Request) -> None:
        size = request.headers.get("content-length", "")
        if _UPLOAD.fullmatch(request.path):
            await self._uploads.take(self._app, scope, receive, send, size, request.visitor.key, request.limited)
        elif request.method in _READS:
            if request.limited and VIEW.fullmatch(request.path):
                await self._count([Start(Kind.LIGHT, queued=False)], [], request)
            with self._uploads.page(request.visitor.key) if _PAGE.fullmatch(request.path) else nullcontext():
                await self._app(scope, receive, send)
        else:
            body = await whole(receive, int(size) if size.isascii() and size.isdecimal() else 0)
            said = parsed(body)
            uploads = uploads_in(said, self._uploads.known)
            with ExitStack() as places:
                joins = await self._start(scope, said, uploads, request, places)
                del said  # a request may wait long, and needs only its body
                try:
                    direct = _DIRECT.fullmatch(request.path)
                    await self._app(scope, again(body, receive), blamed(send) if direct else send)
                except (LookupError, TypeError, ValueError) as exc:
                    if not joins:
                        raise
                    raise Refusal(400, f"this is no request that the function takes: {str(exc)[:200]}") from exc

    async def _start(
        self,
        scope: Message,
        said: Any,  # noqa: ANN401
        uploads: list[str],
        request: _Request,
        places: ExitStack,
    ) -> bool:
        """Count what a request would start, and hold a place until it joins the queue.

        Returns whether it joins.
        """
        if _MCP.fullmatch(request.path):
            starts = tool_calls(said) or [Start(Kind.LIGHT, queued=False)]
            mark = f"{self._secret} {request.visitor.key}".encode("latin1")
            if request.limited:  # Gradio calls itself with the same headers
                scope["headers"] = [*scope["headers"], (_COUNTED.encode(), mark)]
        else:
            start = start_of(request.path, said, self._demo)
            starts = [start] if start else []
        if request.limited and not request.counted:
            await self._count(starts, uploads, request)
        for start in starts:
            if start.queued:
                places.enter_context(self._places.entered(start.kind, request.visitor.key, request.limited))
        return any(start.queued for start in starts)

    async def _count(self, starts: list[Start], uploads: list[str], request: _Request) -> None:
        server, key = self._settings.server, request.visitor.key
        claims = sum(start.claims for start in starts)
        if not claims:
            wait = self._light.take(key)
            if wait:
                rule = f"{LIGHT * server.per_minute} requests a minute for each visitor"
                raise Refusal(429, f"That is more than this server can do: {rule}. Try again in {wait} seconds.", wait)
            return
        if not any(start.whole for start in starts):
            claims = max(claims, await rows_in(uploads, self._settings.batch_rows))
        rule = f"{server.per_minute} checks a minute and {server.per_hour} an hour for each visitor"
        if claims > server.per_hour:
            raise Refusal(
                413, f"That is more than this server can do: {rule}; this has {claims:,}. Send fewer at once."
            )
        left = self._allowance.left(key)
        wait = self._allowance.take(key, claims)
        if wait:
            rest = f"; this has {claims:,}, and {left:,} are left in this hour" if claims > 1 else ""
            raise Refusal(
                429, f"That is more than this server can do: {rule}{rest}. Try again in {wait} seconds.", wait
            )


def _line(path: str) -> str:
    """Make a path that a stranger chose fit for a line of a log."""
    return json.dumps(path[:100])


def guard_arguments(service: Service, demo: gr.Blocks) -> dict[str, Any]:
    """Make the `app_kwargs` of `demo.launch`: the guard, then views, metrics and watch feed."""
    behind = [
        Middleware(Views, service=service),
        *server_arguments(service.metrics).get("middleware", []),
        Middleware(WatchFeedRoute, settings=service.settings),
    ]
    return {"middleware": [Middleware(Guard, service=service, demo=demo), *behind]}
