"""Serve GET /metrics from the app: the counts of this process, for Prometheus."""

from __future__ import annotations

from typing import Any

from ui.guard.answers import App, Message, Receive, Send
from verifier.serve.metrics import CONTENT_TYPE, Metrics

PATH = "/metrics"


class MetricsRoute:
    """Answers one path, and passes on every other request.

    It is in front of the app, because Gradio takes any path for a page.
    """

    def __init__(self, app: App, metrics: Metrics) -> None:
        """`app` answers everything else."""
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one ASGI request."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            await _answer(send, 405, b"only GET\n", [(b"allow", b"GET, HEAD")])
            return
        text = self._metrics.text()
        await _answer(send, 200, b"" if scope["method"] == "HEAD" else text, [(b"cache-control", b"no-store")])


async def _answer(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    kind = (b"content-type", CONTENT_TYPE.encode())
    await send({"type": "http.response.start", "status": status, "headers": [kind, *headers]})
    await send({"type": "http.response.body", "body": body})


def server_arguments(metrics: Metrics | None) -> dict[str, Any]:
    """Return `demo.launch(app_kwargs=...)`: the route, or nothing if nothing is counted."""
    if metrics is None:
        return {}
    from starlette.middleware import Middleware

    return {"middleware": [Middleware(MetricsRoute, metrics=metrics)]}
