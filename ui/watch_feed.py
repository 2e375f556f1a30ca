"""Serve GET /watch.atom, /watch.json and /watch.csv: changes of the owner's watched claims, and the list.

If no one else can reach the server, only programs on this machine may read it. Otherwise it needs the token of the
settings, and without one there is no feed: a request that seems to come from this machine may have come through a
proxy.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import MutableMapping, Sequence
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool

from errors import StoreError
from ui.guard.answers import App, Message, Receive, Send
from verifier.history.watch import WatchList
from verifier.history.watch_feed import MEDIA_TYPE, MOST_ENTRIES, PLACE, atom_feed
from verifier.history.watch_rows import COLUMNS, watched_rows
from verifier.report.as_csv import rows_to_csv
from verifier.report.public import public
from verifier.settings import Settings

LIST_JSON, LIST_CSV = "watch.json", "watch.csv"
"""Where the list is served, next to the feed."""
_TYPES = {f"/{PLACE}": MEDIA_TYPE, f"/{LIST_JSON}": "application/json", f"/{LIST_CSV}": "text/csv"}
_HOST = re.compile(r"[\w.-]+(?::\d{1,5})?|\[[\da-fA-F:.]+\](?::\d{1,5})?", re.ASCII)


class WatchFeedRoute:
    """Answers its three paths, and passes on every other request."""

    def __init__(self, app: App, settings: Settings) -> None:
        """`app` answers everything else."""
        self._app, self._settings = app, settings

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] != "http" or scope["path"] not in _TYPES:
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
        status, body, more = await self._answer(scope, headers)
        media_type = _TYPES[scope["path"]] if status == 200 else "text/plain"
        length = str(len(body)).encode()
        kind = f"{media_type}; charset=utf-8".encode()
        told = [(b"content-type", kind), (b"content-length", length), (b"cache-control", b"private, no-cache")]
        await send({"type": "http.response.start", "status": status, "headers": [*told[status == 304 :], *more]})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" or status == 304 else body})

    async def _answer(
        self, scope: Message, headers: MutableMapping[str, str]
    ) -> tuple[int, bytes, Sequence[tuple[bytes, bytes]]]:
        """Make the status, the body, and extra headers."""
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
            body = await run_in_threadpool(self._body, scope, headers)
        except StoreError as exc:
            return 500, f"{public(str(exc))}\n".encode(), ()
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        same = tag in {one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")}
        return 304 if same else 200, body, ((b"etag", tag.encode()),)

    def _body(self, scope: Message, headers: MutableMapping[str, str]) -> bytes:
        """Write the feed or the list.

        Raises:
            StoreError: the list cannot be read.
        """
        kept = WatchList(self._settings.watch_path)
        if scope["path"] == f"/{PLACE}":
            return atom_feed(kept.feed(MOST_ENTRIES), self._home(scope, headers))
        rows = watched_rows(kept)
        if scope["path"] == f"/{LIST_JSON}":
            return json.dumps(rows, indent=1).encode()  # ASCII, so half a character of a claim stays an escape
        told = (row | {"changes": [f"{turn['at']}: {turn['told']}." for turn in row["changes"]]} for row in rows)
        return rows_to_csv(COLUMNS, told).encode("utf-8", "replace")

    def _home(self, scope: Message, headers: MutableMapping[str, str]) -> str:
        """Return the address of the app as the feed's reader knows it."""
        behind = self._settings.server.trust_proxy > 0
        host = (headers.get("x-forwarded-host", "") if behind else "").split(",")[0].strip() or headers.get("host", "")
        forwarded = headers.get("x-forwarded-proto", "").split(",")[0].strip() if behind else ""
        scheme = forwarded if forwarded in {"http", "https"} else str(scope.get("scheme", "http"))
        return f"{scheme}://{host if _HOST.fullmatch(host) else f'127.0.0.1:{self._settings.port}'}/"


def _knows(token: str, scope: Message, headers: MutableMapping[str, str]) -> bool:
    """Whether a request carries the token, in a header or in its address.

    The address is for feed readers that know no headers.
    """
    kind, _, sent = headers.get("authorization", "").partition(" ")
    asked = parse_qs(scope.get("query_string", b"").decode("latin1")).get("token", [""])[0]
    given = sent.strip() if kind.lower() == "bearer" else asked
    return hmac.compare_digest(given.encode(), token.encode())
