"""Fetch web pages: addresses checked, answers bounded, robots.txt respected, one deadline for everything."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from errors import FetchError, FetchFailure
from web.address import Address, may_connect, parse_address, shown
from web.robots import MAX_BYTES, RobotsCache, Rules, parse

if TYPE_CHECKING:
    import httpcore

    from web.wire import Answer

PDF = "application/pdf"
HTML = frozenset({"text/html", "application/xhtml+xml"})
FEEDS = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json"})
READABLE = HTML | FEEDS | {"application/xml", "text/xml", "application/json", "text/plain"}
"""Media types that are fetched by default."""
_GONE = frozenset({404, 410})
"""Status codes that say there is no such page."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as the server sent it. `url` is the final address after all redirects."""

    url: str
    status: int
    content_type: str
    """The media type in lower case, "" where the server gave none."""
    body: bytes
    """Decompressed."""
    charset: str
    """As the server named it, "" where it did not."""


class Fetcher:
    """Fetches pages, safely from several threads at once.

    It keeps connections and robots.txt rules, and no cookies. Only public addresses are requested. A name is checked
    when it is connected to, and the connection goes to the checked address, so a name that changes its meaning in
    between gains nothing.
    """

    def __init__(
        self,
        allow_private: bool = False,
        timeout: float = 10.0,
        max_bytes: int = 3_000_000,
        max_redirects: int = 5,
        *,
        resolve: Callable[[str, int], list[str]] | None = None,
        network: httpcore.NetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Make a fetcher, to be kept and reused.

        Args:
            allow_private: whether this machine and its own network may be asked too. Names that end in ".localhost" are
                this machine and need it.
            timeout: seconds for a whole fetch with its redirects and robots.txt.
            max_bytes: of a body, after decompression.
            max_redirects: that are followed.
            resolve: host and port -> IP addresses, in place of the system's resolver.
            network: what opens connections to checked IP addresses, in place of sockets.
            tls: which certificates are trusted, in place of those that ship with certifi.
        """
        from web.network import CheckedNetwork, Deadline, system_resolve
        from web.wire import Wire

        self.allow_private = allow_private
        self.timeout = timeout
        self.max_bytes = max_bytes
        self.max_redirects = max_redirects
        self._deadline = Deadline()
        allowed = partial(may_connect, allow_private=allow_private)
        self._wire = Wire(
            CheckedNetwork(self._deadline, allowed, resolve or system_resolve, network), self._deadline, tls
        )
        self._robots = RobotsCache()

    def close(self) -> None:
        """Close all connections."""
        self._wire.close()

    def fetch(self, url: str, timeout: float | None = None, accept: frozenset[str] = READABLE) -> Fetched:
        """Fetch one page.

        Args:
            url: an http or https address.
            timeout: seconds for everything; the fetcher's own where None.
            accept: media types whose body is wanted. PDF is refused unless it is named here.

        Raises:
            FetchError: it was not fetched; `kind` says why.
        """
        with self._deadline.within(self.timeout if timeout is None else timeout):
            return self._follow(url, accept)

    def _follow(self, url: str, accept: frozenset[str]) -> Fetched:
        address = parse_address(url, self.allow_private)
        seen = {address.url}
        for _ in range(self.max_redirects + 1):
            self._check_robots(address)
            answer = self._ask(address, self.max_bytes, accept)
            if answer.head.redirect is None:
                return _fetched(address, answer)
            address = self._next(address, answer.head.redirect)
            if address.url in seen:
                raise FetchError(
                    f"{shown(url)} cannot be fetched: its redirects lead in a circle", FetchFailure.REDIRECTS
                )
            seen.add(address.url)
        raise FetchError(
            f"{shown(url)} cannot be fetched: it redirects more than {self.max_redirects} times; give the address it leads to",
            FetchFailure.REDIRECTS,
        )

    def _next(self, address: Address, location: str) -> Address:
        try:
            target = urljoin(address.url, location.strip())
        except ValueError as exc:
            raise FetchError(
                f"{shown(address.url)} cannot be fetched: it redirects to {shown(location)}, which is no address",
                FetchFailure.REDIRECTS,
            ) from exc
        return parse_address(target, self.allow_private)

    def _check_robots(self, address: Address) -> None:
        rules = self._robots.rules(address.origin, lambda: self._load_robots(address.origin))
        if rules.refused:
            raise FetchError(
                f"{shown(address.url)} may not be fetched: robots.txt cannot be read, as {shown(address.origin)} fails; try again later",
                FetchFailure.ROBOTS,
            )
        if not rules.allow(address.target):
            raise FetchError(
                f"{shown(address.url)} may not be fetched: robots.txt of {shown(address.origin)} forbids it; give another source",
                FetchFailure.ROBOTS,
            )

    def _ask(self, address: Address, max_bytes: int, accept: frozenset[str] | None = None, cut: bool = False) -> Answer:
        from web.wire import Request

        return self._wire.ask(Request(address, max_bytes, accept, cut))

    def _load_robots(self, origin: str) -> Rules:
        """Return the rules of an origin, following RFC 9309, section 2.3.1.

        2xx is parsed; 4xx, and more redirects than five, count as no rules; 5xx forbids everything. If the server
        cannot be reached the RFC forbids everything too; here that error is raised as it is, since the page could not
        be fetched either.
        """
        address = parse_address(f"{origin}/robots.txt", self.allow_private)
        for _ in range(6):
            answer = self._ask(address, MAX_BYTES, cut=True)
            if answer.head.redirect is None:
                if answer.head.status >= 500:
                    return Rules(refused=True)
                return parse(answer.body)  # empty for 4xx
            address = self._next(address, answer.head.redirect)
        return Rules()


def _fetched(address: Address, answer: Answer) -> Fetched:
    head = answer.head
    if not 200 <= head.status < 300:
        raise FetchError(
            f"{shown(address.url)} cannot be fetched: the server answered with status {head.status}; check the address",
            FetchFailure.GONE if head.status in _GONE else FetchFailure.STATUS,
        )
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", head.headers.get("content-type", ""), re.IGNORECASE)
    return Fetched(
        address.url, head.status, head.content_type, answer.body, charset.group(1).lower() if charset else ""
    )
