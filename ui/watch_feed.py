"""GET /watch.atom on the app's own server: what changed of the claims that its owner watches.

Only programs of this machine may read it where nobody else reaches the server. Elsewhere it takes the token of the settings, and
without one there is no feed: a request that seems to come from this machine may have come through a proxy.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import MutableMapping, Sequence
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool

from errors import StoreError
from ui.guard.answers import App, Message, Receive, Send
from verifier.history.watch import WatchList
from verifier.history.watch_feed import MEDIA_TYPE, MOST_ENTRIES, PLACE, atom_feed
from verifier.report.public import public
from verifier.settings import Settings

_HOST = re.compile(r"[\w.-]+(?::\d{1,5})?|\[[\da-fA-F:.]+\](?::\d{1,5})?", re.ASCII)


class WatchFeedRoute:
    """Answers one path, and hands every other request on."""

    def __init__(self, app: App, settings: Settings) -> None:
        """`app` answers everything else."""
        self._app, self._settings = app, settings

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, as ASGI has it."""
        if scope["type"] != "http" or scope["path"] != f"/{PLACE}":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
        status, body, more = await self._answer(scope, headers)
        kind = f"{MEDIA_TYPE}; charset=utf-8" if status == 200 else "text/plain; charset=utf-8"
        length = str(len(body)).encode()
        told = [(b"content-type", kind.encode()), (b"content-length", length), (b"cache-control", b"private, no-cache")]
        await send({"type": "http.response.start", "status": status, "headers": [*told[status == 304 :], *more]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" or status == 304 else body})

    async def _answer(
        self, scope: Message, headers: MutableMapping[str, str]
    ) -> tuple[int, bytes, Sequence[tuple[bytes, bytes]]]:
        """Make the status, the body, and headers of its own."""
        settings = self._settings
        if settings.public and not settings.watch_token:
            return 404, b"this server has no feed; its owner can have one with VERIFIER_WATCH_TOKEN\n", ()
        if settings.public and not _knows(settings.watch_token, scope, headers):
            return (
                401,
                b"send the owner's token: ?token=... or Authorization: Bearer ...\n",
                ((b"www-authenticate", b"Bearer"),),
            )
        if scope["method"] not in {"GET", "HEAD"}:
            return 405, b"only GET\n", ((b"allow", b"GET, HEAD"),)
        try:
            body = await run_in_threadpool(
                lambda: atom_feed(WatchList(settings.watch_path).feed(MOST_ENTRIES), self._home(scope, headers))
            )
        except StoreError as exc:
            return 500, f"{public(str(exc))}\n".encode(), ()
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        same = tag in {one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")}
        return 304 if same else 200, body, ((b"etag", tag.encode()),)

    def _home(self, scope: Message, headers: MutableMapping[str, str]) -> str:
        """The address of the app as the reader of the feed knows it."""
        behind = self._settings.server.trust_proxy > 0
        host = (headers.get("x-forwarded-host", "") if behind else "").split(",")[0].strip() or headers.get("host", "")
        forwarded = headers.get("x-forwarded-proto", "").split(",")[0].strip() if behind else ""
        scheme = forwarded if forwarded in {"http", "https"} else str(scope.get("scheme", "http"))
        return f"{scheme}://{host if _HOST.fullmatch(host) else f'127.0.0.1:{self._settings.port}'}/"


def _knows(token: str, scope: Message, headers: MutableMapping[str, str]) -> bool:
    """Whether a request carries the token, as a header or, for feed readers that know none, in its address."""
    kind, _, sent = headers.get("authorization", "").partition(" ")
    asked = parse_qs(scope.get("query_string", b"").decode("latin1")).get("token", [""])[0]
    given = sent.strip() if kind.lower() == "bearer" else asked
    return hmac.compare_digest(given.encode(), token.encode())
