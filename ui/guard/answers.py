"""Answer refused requests, and make the headers of every answer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_FEATURES = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone")
_NOT_OURS = ("midi", "payment", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking")


class Refusal(Exception):
    """A request is refused."""

    def __init__(self, status: int, message: str, wait: int = 0) -> None:
        """Take the HTTP status, a line of advice and, if waiting helps, the seconds."""
        super().__init__(message)
        self.status, self.message, self.wait = status, message, wait


def policy(on_space: bool) -> str:
    """Build the Content-Security-Policy: the page may use this server and nothing else.

    Gradio's page has its own inline scripts and styles, and makes functions from a page's `js=` texts, so neither can
    be forbidden. The rest still keeps an injected script from loading or sending anything elsewhere.
    """
    frames = "'self' https://huggingface.co https://*.hf.space" if on_space else "'self'"
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            f"frame-ancestors {frames}",
        )
    )


def safety_headers(on_space: bool) -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer."""
    named = {
        "content-security-policy": policy(on_space),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": ", ".join(f"{name}=()" for name in (*_FEATURES, *_NOT_OURS)),
        "cross-origin-opener-policy": "same-origin-allow-popups",
    }
    return [(name.encode(), value.encode()) for name, value in named.items()]


async def refuse(send: Send, refusal: Refusal, more: Sequence[tuple[bytes, bytes]] = ()) -> None:
    """Answer with a refusal, and `more` headers.

    Gradio's page and its clients show its "detail".
    """
    body = json.dumps({"detail": refusal.message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store"), (b"connection", b"close"), *more]
    if refusal.wait:
        headers.append((b"retry-after", str(refusal.wait).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def blamed(send: Send) -> Send:
    """Wrap `send` for a call that runs a small function of the page at once.

    If a value has the wrong type, the caller is blamed; Gradio would call it its own error.
    """
    bad = False

    async def told(message: Message) -> None:
        nonlocal bad
        if message["type"] == "http.response.start" and message["status"] == 500:
            bad = True
            await refuse(
                send, Refusal(400, "the function cannot take these values; /gradio_api/info says which it takes")
            )
        elif not bad:
            await send(message)

    return told
