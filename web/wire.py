"""Send one HTTP request and read its answer, bounded in bytes and seconds.

`fetch.py` handles redirects, robots.txt and content types.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import httpcore

from errors import FetchError, FetchFailure
from web.address import Address, shown
from web.network import CheckedNetwork, Deadline

USER_AGENT = "ClaimVerifier/0.1 (+local; respects robots.txt)"
_CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class Request:
    """One request: a GET, or with `body` a POST.

    Its address, headers and body may hold a key and are not printed.
    """

    address: Address = field(repr=False)
    max_bytes: int
    """The most bytes read of the answer, compressed or not."""
    accept: frozenset[str] | None = None
    """Media types whose body is wanted; None is all."""
    cut: bool = False
    """Return the first `max_bytes` of a larger body instead of raising."""
    errors: bool = False
    """Read the body of an error too."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """In addition to the usual ones, or in their place."""
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Head:
    """The start of an answer: lower-case header names; of a repeated header the first counts."""

    status: int
    headers: dict[str, str]

    @property
    def content_type(self) -> str:
        """The media type in lower case, or ""."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def redirect(self) -> str | None:
        """Where a redirect leads, as it says, or None."""
        return self.headers.get("location") if self.status in {301, 302, 303, 307, 308} else None


@dataclass(frozen=True, slots=True)
class Answer:
    """A head with its decoded body.

    A redirect's body is not read and is empty, and so is an error's unless it is wanted.
    """

    head: Head
    body: bytes


class Wire:
    """A pool of connections.

    No cookie is kept or sent, no proxy or other part of the environment is read.
    """

    def __init__(self, network: CheckedNetwork, deadline: Deadline, tls: ssl.SSLContext | None) -> None:
        self._deadline = deadline
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls,
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=5.0,
            network_backend=network,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def ask(self, request: Request) -> Answer:
        """Send one request.

        Raises:
            FetchError: forbidden, unreachable, too slow, too large, of another type, or not HTTP.
        """
        address = request.address
        try:
            timeouts = {"pool": self._deadline.left()}  # the connections themselves keep all others
            with self._pool.stream(
                "GET" if request.body is None else "POST",
                address.url,
                headers=_headers(request),
                content=request.body,
                extensions={"timeout": timeouts},
            ) as response:
                head = _head(response)
                if head.redirect is not None or not (200 <= head.status < 300 or request.errors):
                    return Answer(head, b"")
                _check_type(address, head, request.accept)
                return Answer(head, _body(request, head, response.iter_stream()))
        except httpcore.TimeoutException as exc:
            raise FetchError(
                f"{shown(address.url)} took too long; try again later or allow more time", FetchFailure.TIMED_OUT
            ) from exc
        except httpcore.NetworkError as exc:
            raise FetchError(
                f"{shown(address.url)} cannot be reached, or the connection broke; try again later",
                FetchFailure.UNREACHABLE,
            ) from exc
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as exc:
            raise _unreadable(address, "the answer breaks the rules of HTTP, or was cut short") from exc


def _headers(request: Request) -> list[tuple[str, str]]:
    """Return all headers.

    Only gzip is requested: the standard library alone can stop its decompression at a size.
    """
    wanted = ", ".join(sorted(request.accept)) + ", */*;q=0.1" if request.accept else "*/*"
    said = {
        "Host": request.address.origin.partition("://")[2],
        "User-Agent": USER_AGENT,
        "Accept": wanted,
        "Accept-Encoding": "gzip",
    }
    if request.body is not None:
        said["Content-Length"] = str(len(request.body))
    return list({**said, **request.headers}.items())


def _head(response: httpcore.Response) -> Head:
    headers: dict[str, str] = {}
    for name, value in response.headers:
        headers.setdefault(name.decode("latin-1").lower(), _text(value))
    return Head(response.status, headers)


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _check_type(address: Address, head: Head, accept: frozenset[str] | None) -> None:
    if accept is not None and head.content_type and head.content_type not in accept:
        raise FetchError(
            f"{shown(address.url)} is {shown(head.content_type)}; only web pages, feeds and plain text are read",
            FetchFailure.CONTENT_TYPE,
        )


def _body(request: Request, head: Head, chunks: Iterable[bytes]) -> bytes:
    address, max_bytes, cut = request.address, request.max_bytes, request.cut
    coding = head.headers.get("content-encoding", "").strip().lower()
    if coding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        raise _unreadable(address, f"it is compressed as {shown(coding)}, which was not asked for; only gzip is read")
    declared = head.headers.get("content-length", "")
    if not cut and declared.isdecimal() and len(declared) < 20 and int(declared) > max_bytes:
        raise _too_large(address, max_bytes)
    inflate = zlib.decompressobj(wbits=47) if coding not in {"", "identity"} else None  # 47: gzip or zlib, as it says
    body, received = bytearray(), 0
    for chunk in chunks:
        received += len(chunk)
        try:
            body += inflate.decompress(chunk, max_bytes + 1 - len(body)) if inflate else chunk
        except zlib.error as exc:
            raise _unreadable(address, "it is not compressed as it says") from exc
        if len(body) > max_bytes or received > max_bytes:
            if cut:
                return bytes(body[:max_bytes])
            raise _too_large(address, max_bytes)
    if inflate and received and not inflate.eof:
        raise _unreadable(address, "its compressed text was cut short")
    return bytes(body)


def _too_large(address: Address, max_bytes: int) -> FetchError:
    return FetchError(
        f"{shown(address.url)} is too large: at most {max_bytes:,} bytes are read, after decompression; give a smaller page",
        FetchFailure.TOO_LARGE,
    )


def _unreadable(address: Address, reason: str) -> FetchError:
    return FetchError(f"{shown(address.url)} cannot be read: {reason}", FetchFailure.UNREADABLE)
