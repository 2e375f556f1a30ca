"""Read the body of a request in time and within bounds, and pass it on."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect

from ui.guard.answers import Message, Receive, Refusal

MAX_BODY = 1_000_000
"""Most bytes of a request that is not an upload."""
BODY_SECONDS = 30.0
UPLOAD_SECONDS = 120.0


def in_time(receive: Receive, seconds: float) -> Receive:
    """Wrap `receive` until the whole body has come.

    After `seconds`, the connection counts as lost.
    """
    ends = asyncio.get_running_loop().time() + seconds
    done = False

    async def timed() -> Message:
        nonlocal done
        if done:
            return await receive()
        try:
            async with asyncio.timeout_at(ends):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        done = not message.get("more_body", False)
        return message

    return timed


def no_more_than(receive: Receive, size: int) -> Receive:
    """Wrap `receive` for a body of `size` bytes; a longer one counts as lost."""
    left = size

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return bounded


async def whole(receive: Receive, announced: int) -> bytes:
    """Read the whole body of a request.

    Args:
        receive: as ASGI defines it.
        announced: its size in bytes, as far as the request says.

    Raises:
        Refusal: it is larger than `MAX_BODY`.
        ClientDisconnect: it did not come in time.
    """
    parts: list[bytes] = []
    timed, size, more = in_time(receive, BODY_SECONDS), announced, True
    while more:
        _check(size)
        message = await timed()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        size = (size if parts else 0) + len(message.get("body", b""))
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    _check(size)
    return b"".join(parts)


def _check(size: int) -> None:
    if size > MAX_BODY:
        raise Refusal(413, f"a request may have {MAX_BODY // 1_000_000} MB at most")


def again(body: bytes, receive: Receive) -> Receive:
    """Make a `receive` that repeats a body already read, then passes on the connection's messages."""
    told = False

    async def once_more() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once_more
