"""Send one request, bounded in size and time, to a search service; name failures briefly.

Requests go through `web.wire`, like those for pages, but to hosts that the user configured, which may be private. Keys
stay hidden: no answer's detail contains an address or a header, and a `Call` prints neither.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urljoin

from errors import FetchError, FetchFailure
from verifier.search.base import Outcome, Query, SearchAnswer, SearchResult
from verifier.search.results import answered

if TYPE_CHECKING:
    import ssl

    from web.address import Address
    from web.wire import Head, Request, Wire

MOST_BYTES = 3_000_000
"""Size limit of one answer, counted after decompression."""
UNREADABLE = "unreadable answer"
_MOST_ROWS = 200
_REDIRECTS = 3
USER_AGENT = "ClaimVerifier/0.1"
"""Name that services see for this program."""
_QUOTA = re.compile(
    r"quota|rate.?limit|limit.?exceeded|exhausted|too many requests|run out|usage limit|all tokens", re.IGNORECASE
)
_KEY = re.compile(r"api.?key|subscription.?token", re.IGNORECASE)

Read = Callable[[object], SearchAnswer | Iterable[SearchResult | None]]
"""Turns JSON into results (None: unusable), or an answer that says why there are none."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request: a GET, or with `json` a POST.

    `keyed`: it carries the user's key. `most`: the most bytes in the answer.
    """

    url: str = field(repr=False)
    params: Mapping[str, str | int] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Mapping[str, object] | None = field(default=None, repr=False)
    keyed: bool = False
    most: int = MOST_BYTES


@dataclass(frozen=True, slots=True)
class Reply:
    """The status and body of an answer.

    `retry_after` is in seconds, if the service asked to wait.
    """

    status: int
    body: bytes
    retry_after: int | None = None


def ask(
    call: Call, query: Query, timeout: float, read: Read, not_json: Callable[[str], SearchAnswer] | None = None
) -> SearchAnswer:
    """Send `call` and read its JSON.

    Args:
        call: the request.
        query: the query, which limits the results to its sites and number.
        timeout: seconds for everything, from the name look-up to the last byte.
        read: finds the results in the JSON; it may raise `FetchError` for an answer that it cannot read.
        not_json: interprets text that is not JSON; by default the answer is unreadable.
    """
    value = received(call, timeout, not_json)
    if isinstance(value, SearchAnswer):
        return value
    try:
        found = read(value)
        return found if isinstance(found, SearchAnswer) else answered(found, query)
    except FetchError as exc:
        return SearchAnswer(Outcome.UNREACHABLE, detail=str(exc))


def received(call: Call, timeout: float, not_json: Callable[[str], SearchAnswer] | None = None) -> object:
    """Send `call` and return its JSON, or a `SearchAnswer` with the failure; see `ask`."""
    try:
        reply = fetch(call, timeout)
    except FetchError as exc:
        return SearchAnswer(Outcome.UNREACHABLE, detail=str(exc))
    refused = _refusal(reply, call.keyed)
    if refused:
        return refused
    try:
        return json.loads(reply.body, strict=False)
    except (ValueError, RecursionError):
        return (not_json or _unreadable)(reply.body[:2000].decode("utf-8", "replace"))


def user_agent(contact: str) -> dict[str, str]:
    """Return the header that names this program and, if set, whom to contact about it."""
    return {"User-Agent": f"{USER_AGENT} ({contact})" if contact else USER_AGENT}


def rows(value: object, *path: str | int) -> list[Mapping[str, object]]:
    """Return the objects in the list at `path` inside a JSON value, at most 200.

    An item that is not an object becomes an empty one.

    Raises:
        FetchError: there is no list at that path.
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
    """Return the value under `key`, or None if `value` is no object or lacks it."""
    return value.get(key) if isinstance(value, dict) else None


def fetch(call: Call, timeout: float) -> Reply:
    """Send `call` and follow redirects on the same host, for at most `timeout` seconds.

    Raises:
        FetchError: no connection, no answer in time, or one that broke off, is too large, or leads to another host.
    """
    from web.network import CheckedNetwork, Deadline
    from web.wire import Wire

    # at lower levels it logs headers, and a redirect may hold the key
    logging.getLogger("httpcore.http11").setLevel(logging.INFO)
    deadline = Deadline()
    try:
        with closing(Wire(CheckedNetwork(deadline, None), deadline, _tls())) as wire, deadline.within(timeout):
            return _follow(wire, call)
    except FetchError as exc:  # its text may hold the address
        raise FetchError(_short(exc, call, timeout), exc.kind) from None


def _follow(wire: Wire, call: Call) -> Reply:
    request = _request(call)
    for _ in range(_REDIRECTS + 1):
        answer = wire.ask(request)
        if answer.head.redirect is None:
            return Reply(answer.head.status, answer.body, _seconds(answer.head))
        request = replace(request, address=_target(call, request.address, answer.head.redirect))
    raise FetchError("redirected in circles", FetchFailure.REDIRECTS)


def _short(exc: FetchError, call: Call, timeout: float) -> str:
    """Name a failure without the address."""
    if exc.kind is FetchFailure.REDIRECTS:
        return str(exc)
    return {
        FetchFailure.TIMED_OUT: f"no answer within {timeout:g} s",
        FetchFailure.TOO_LARGE: f"more than {call.most // 1_000_000} MB",
        FetchFailure.UNREADABLE: UNREADABLE,
    }.get(exc.kind, "no connection")


def _request(call: Call) -> Request:
    from web.address import parse_address
    from web.wire import Request

    address, query = parse_address(call.url, allow_private=True), urlencode(call.params)
    if query:  # the length limit applies only to addresses from the web
        address = replace(address, url=f"{address.url}?{query}", target=address.target + f"?{query}".encode())
    headers = {"User-Agent": USER_AGENT, **call.headers}
    if call.json is None:
        return Request(address, call.most, errors=True, headers=headers)
    body = json.dumps(call.json).encode()
    return Request(address, call.most, errors=True, headers={**headers, "Content-Type": "application/json"}, body=body)


def _target(call: Call, old: Address, location: str) -> Address:
    """Return where a redirect leads: the same server, or the same host's encrypted port.

    A key is sent nowhere else.

    Raises:
        FetchError: it leads elsewhere.
    """
    from web.address import parse_address

    elsewhere = FetchError("redirected elsewhere", FetchFailure.REDIRECTS)
    try:
        new = parse_address(urljoin(old.url, location), allow_private=True)
    except (FetchError, ValueError):
        raise elsewhere from None
    same = (new.scheme, new.port) == (old.scheme, old.port)
    encrypted = (old.scheme, old.port, new.scheme, new.port) == ("http", 80, "https", 443)
    if call.json is not None or new.host != old.host or not (same or encrypted):
        raise elsewhere
    return new


def _seconds(head: Head) -> int | None:
    text = head.headers.get("retry-after", "").strip()
    return int(text) if re.fullmatch(r"\d{1,6}", text, re.ASCII) else None


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context(trust_env=False)


def _refusal(reply: Reply, keyed: bool) -> SearchAnswer | None:
    """Return what an error status means; None for success."""
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
