"""Connect below HTTP: resolve a name once, check every answer, connect only to checked ones."""

from __future__ import annotations

import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

from errors import FetchError, FetchFailure
from web.address import is_localhost, not_public, shown

Resolve = Callable[[str, int], list[str]]
"""Host and port -> IP addresses as text. Raises OSError where there is no such host."""
MAX_TRIED = 4
"""Addresses of one host that are tried, one after the other."""


def system_resolve(host: str, port: int) -> list[str]:
    """Return what the machine's own resolver says."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Deadline:
    """When the fetch that runs in this thread must be over.

    One connection serves many fetches, so it cannot keep the deadline itself.
    """

    def __init__(self) -> None:
        self._of_thread = threading.local()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit everything inside to `seconds`."""
        self._of_thread.end = time.monotonic() + seconds
        try:
            yield
        finally:
            del self._of_thread.end

    def left(self) -> float:
        """Return the seconds left, above 0.

        Raises:
            httpcore.ReadTimeout: none is left.
        """
        seconds = float(getattr(self._of_thread, "end", time.monotonic())) - time.monotonic()
        if seconds <= 0:
            raise httpcore.ReadTimeout("the deadline has passed")
        return seconds


class CheckedNetwork(httpcore.NetworkBackend):
    """Opens connections to checked addresses only, and holds every operation to the deadline.

    Checking here, and not before the request, leaves no time between check and connection in which the name could
    change to another address.
    """

    def __init__(
        self,
        deadline: Deadline,
        allowed: Callable[[str], bool] | None,
        resolve: Resolve = system_resolve,
        below: httpcore.NetworkBackend | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            deadline: holds for every operation.
            allowed: whether an IP address may be connected to; None for hosts that the user configured, which may be anywhere.
            resolve: host and port -> IP addresses.
            below: opens the connections; sockets by default.
        """
        self._deadline = deadline
        self._allowed = allowed
        self._resolve = resolve
        self._below = below or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of `host` that answers.

        Raises:
            FetchError: any of its addresses is not allowed, or there is no such host.
        """
        addresses = self.checked(host, port)[:MAX_TRIED]
        for position, ip in enumerate(addresses):
            share = self._deadline.left() / (len(addresses) - position)
            try:
                stream = self._below.connect_tcp(ip, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if position == len(addresses) - 1:
                    raise
            else:
                return _Stream(stream, self._deadline)
        raise AssertionError("checked() returns at least one address")

    def checked(self, host: str, port: int) -> list[str]:
        """Return the IP addresses of a host, all of them allowed.

        Raises:
            FetchError: one of them is not allowed (FORBIDDEN_ADDRESS), or there are none (UNREACHABLE).
        """
        if self._allowed is None:
            ours = host.endswith(".localhost")  # this machine, though many resolvers do not know it
            return ["127.0.0.1"] if ours else list(dict.fromkeys(self._ask(host, port)))
        if is_localhost(host):
            found = ["127.0.0.1"]
        else:
            try:
                found = [str(ipaddress.ip_address(host))]
            except ValueError:
                found = list(dict.fromkeys(self._ask(host, port)))
        if not all(map(self._allowed, found)):
            raise not_public(host)  # one bad answer among good ones is an attack or a fault: neither is to be trusted
        return found

    def _ask(self, host: str, port: int) -> list[str]:
        """Resolve in a separate thread: the system's resolver has no timeout."""
        answers: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._resolve(host, port))
            except (OSError, UnicodeError):
                answers.put(None)

        threading.Thread(target=ask, daemon=True, name="resolve").start()
        try:
            found = answers.get(timeout=self._deadline.left())
        except queue.Empty as exc:
            raise httpcore.ConnectTimeout("the resolver was too slow") from exc
        if not found:
            raise FetchError(
                f"{shown(host)} cannot be found: no such host in DNS; check the spelling and the connection",
                FetchFailure.UNREACHABLE,
            )
        return found


class _Stream(httpcore.NetworkStream):
    """A connection whose every operation may take what is left of the whole fetch.

    Sending byte by byte gains no time.
    """

    def __init__(self, below: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._below = below
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._below.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._below.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._below.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._below.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._below.get_extra_info(info)
