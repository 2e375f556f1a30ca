"""One request to a search service, bounded in size and time, whose every failure has a short name.

Keys stay out of sight: no answer's detail holds an address or a header, a `Call` prints neither, and the transport is used
without the client around it, because that client writes each address to its log, with the key that some services want there.
"""

from __future__ import annotations

import json
import logging
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from errors import FetchError
from verifier.search.base import Outcome, Query, SearchAnswer, SearchResult
from verifier.search.results import answered

if TYPE_CHECKING:
    import ssl

    import httpx

MOST_BYTES = 3_000_000
"""Of one answer, counted after decompression."""
UNREADABLE = "unreadable answer"
_MOST_ROWS = 200
_REDIRECTS = 3
_USER_AGENT = "ClaimVerifier/0.1"
_QUOTA = re.compile(
    r"quota|rate.?limit|limit.?exceeded|exhausted|too many requests|run out|usage limit|all tokens", re.IGNORECASE
)
_KEY = re.compile(r"api.?key|subscription.?token", re.IGNORECASE)

Read = Callable[[object], SearchAnswer | Iterable[SearchResult | None]]
"""From the JSON of an answer to its results (None: one that cannot be used), or to an answer that says why there are none."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request: a GET, or with `json` a POST. `keyed`: it carries the user's key."""

    url: str = field(repr=False)
    params: Mapping[str, str | int] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Mapping[str, object] | None = field(default=None, repr=False)
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; `retry_after` in seconds, where the service asked to be left alone."""

    status: int
    body: bytes
    retry_after: int | None = None


def ask(
    call: Call, query: Query, timeout: float, read: Read, not_json: Callable[[str], SearchAnswer] | None = None
) -> SearchAnswer:
    """Send `call` and read its JSON.

    Args:
        call: the request.
        query: what was asked; it limits the results to its sites and number.
        timeout: seconds for everything, from the look-up of the name to the last byte.
        read: the results in the JSON; it may raise `FetchError` for an answer that it cannot read.
        not_json: what a text that is no JSON means; by default the answer is unreadable.
    """
    try:
        reply = fetch(call, timeout)
        refused = _refusal(reply, call.keyed)
        if refused:
            return refused
        try:
            value = json.loads(reply.body, strict=False)
        except (ValueError, RecursionError):
            return (not_json or _unreadable)(reply.body[:2000].decode("utf-8", "replace"))
        found = read(value)
        return found if isinstance(found, SearchAnswer) else answered(found, query)
    except FetchError as exc:
        return SearchAnswer(Outcome.UNREACHABLE, detail=str(exc))


def rows(value: object, *path: str | int) -> list[Mapping[str, object]]:
    """The list of objects at `path` inside a JSON value, at most 200; what is no object in it comes as an empty one.

    Raises:
        FetchError: there is no list at that place.
    """
    for step in path:
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            value = part(value, str(step))
    if not isinstance(value, list):
        raise FetchError(UNREADABLE)
    return [row if isinstance(row, dict) else {} for row in value[:_MOST_ROWS]]


def part(value: object, key: str) -> object:
    """The value behind `key`; None where `value` is no object or has no such key."""
    return value.get(key) if isinstance(value, dict) else None


def fetch_body(url: str, timeout: float, most: int = MOST_BYTES) -> bytes:
    """What lies at an address.

    Raises:
        FetchError: it was not reached, or answered with anything but success, or with more than `most` bytes.
    """
    reply = fetch(Call(url), timeout, most)
    if not 200 <= reply.status < 300:
        raise FetchError(f"HTTP {reply.status}")
    return reply.body


def fetch(call: Call, timeout: float, most: int = MOST_BYTES) -> Reply:
    """Send `call`; to be used from a thread without a running event loop.

    The event loop is only here to give one deadline to every step: timeouts of sockets start anew with each byte.

    Raises:
        FetchError: no connection, no answer in time, one that broke off, is too large, or leads to another host.
    """
    import asyncio

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_exchange(call, timeout, most))
    finally:
        loop.close()  # unlike asyncio.run, this does not wait for a name look-up that hangs


async def _exchange(call: Call, timeout: float, most: int) -> Reply:
    import asyncio

    import httpx

    logging.getLogger("httpcore.http11").setLevel(
        logging.INFO
    )  # below, it logs headers, and a redirect may hold the key
    try:
        request = _request(call, call.url, call.params)
        async with asyncio.timeout(timeout), httpx.AsyncHTTPTransport(verify=_tls()) as transport:
            for _ in range(_REDIRECTS + 1):
                response = await transport.handle_async_request(request)
                try:
                    if not response.has_redirect_location:
                        return Reply(response.status_code, await _body(response, most), _seconds(response))
                finally:
                    await response.aclose()
                request = _request(call, _target(call, request.url, response.headers["location"]))
    except TimeoutError:
        raise FetchError(f"no answer within {timeout:g} s") from None
    except (httpx.ConnectError, httpx.UnsupportedProtocol):
        raise FetchError("no connection") from None
    except (httpx.HTTPError, httpx.InvalidURL):  # their texts may hold the address
        raise FetchError("the connection broke off") from None
    raise FetchError("redirected in circles")


def _request(call: Call, url: str | httpx.URL, params: Mapping[str, str | int] | None = None) -> httpx.Request:
    import httpx

    headers = {"User-Agent": _USER_AGENT, "Accept-Encoding": "gzip, deflate", **call.headers}
    return httpx.Request("GET" if call.json is None else "POST", url, params=params, headers=headers, json=call.json)


def _target(call: Call, old: httpx.URL, location: str) -> httpx.URL:
    """Where a redirect leads: the same server, or the same host's encrypted port. A key is carried nowhere else."""
    new = old.join(location)
    same = (new.scheme, new.port) == (old.scheme, old.port)
    encrypted = (old.scheme, old.port, new.scheme, new.port) == ("http", None, "https", None)
    if call.json is not None or new.host != old.host or not (same or encrypted):
        raise FetchError("redirected elsewhere")
    return new


async def _body(response: httpx.Response, most: int) -> bytes:
    """The decompressed body. It is inflated here because a library that does so by itself stops at no size."""
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > most:
            raise FetchError(f"more than {most // 1_000_000} MB")
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding == "identity":
        return bytes(raw)
    try:
        body = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, most + 1)
    except zlib.error:
        raise FetchError(UNREADABLE) from None
    if len(body) > most:
        raise FetchError(f"more than {most // 1_000_000} MB")
    return body


def _seconds(response: httpx.Response) -> int | None:
    text = response.headers.get("retry-after", "").strip()
    return int(text) if re.fullmatch(r"\d{1,6}", text, re.ASCII) else None


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context(trust_env=False)


def _refusal(reply: Reply, keyed: bool) -> SearchAnswer | None:
    """What a status other than success means; None for success."""
    if 200 <= reply.status < 300:
        return None
    words = reply.body[:4000].decode("utf-8", "replace")
    later = "" if reply.retry_after is None else f", again in {reply.retry_after} s"
    if reply.status == 429 or (reply.status == 503 and later):
        return SearchAnswer(Outcome.RATE_LIMITED, detail=f"HTTP {reply.status}{later}")
    if reply.status in {401, 402, 403} and _QUOTA.search(words):
        return SearchAnswer(Outcome.RATE_LIMITED, detail=f"HTTP {reply.status}, the quota is used up{later}")
    if keyed and (reply.status in {401, 403} or (reply.status < 500 and _KEY.search(words))):
        return SearchAnswer(Outcome.UNREACHABLE, detail="key refused")
    return SearchAnswer(Outcome.UNREACHABLE, detail=f"HTTP {reply.status}")


def _unreadable(_: str) -> SearchAnswer:
    return SearchAnswer(Outcome.UNREACHABLE, detail=UNREADABLE)
