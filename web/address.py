"""Decide which addresses may be requested. Nothing here opens a socket.

`network.py` checks again every address that a name resolves to.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from errors import FetchError, FetchFailure

MAX_URL = 2_000
"""Characters of an address."""
PORTS = frozenset({80, 443, 8080})
"""Where web servers are. Other ports are allowed only if private addresses are."""

_UNFIT = re.compile(r"[\x00-\x20\x7f-\xa0\\\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_NAME = re.compile(
    r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
_NUMERIC_END = re.compile(r"(?:^|\.)(?:\d+|0x[0-9a-f]*)$")
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in (
        "168.63.129.16/32",  # a cloud's own service behind a public address
        "100.100.100.200/32",  # metadata of a cloud
        "fd00:ec2::254/128",  # metadata of a cloud
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is metadata of a cloud
        "192.88.99.0/24",  # relays of 6to4
        "3fff::/20",  # for documentation
        "2001::/32",  # Teredo: the address within is scrambled
    )
)
"""Refused in every mode. Python 3.11 calls some of them global."""

_IP = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Address:
    """A normalised http(s) address: no user, no fragment, the host in lower-case ASCII."""

    url: str
    scheme: str
    host: str
    """Without brackets and without a final dot."""
    port: int
    target: bytes
    """Path and query as they are sent."""

    @property
    def origin(self) -> str:
        """Scheme, host and port: what a robots.txt covers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = self.port == (443 if self.scheme == "https" else 80)
        return f"{self.scheme}://{host}" if default else f"{self.scheme}://{host}:{self.port}"


def shown(url: str) -> str:
    """Return an address as messages show it: quoted, escaped, and cut to 200 characters."""
    return ascii(url if len(url) <= 200 else url[:200] + "...")


def parse_address(url: str, allow_private: bool = False) -> Address:
    """Parse an address once: exactly the parts checked here are sent.

    Raises:
        FetchError: it is not http(s) (SCHEME), or it is spelled to hide where it leads, names a user, a port that is not
            allowed, or an address that is not public (FORBIDDEN_ADDRESS).
    """
    import httpx

    if len(url) > MAX_URL:
        raise _forbidden(url, f"an address has at most {MAX_URL:,} characters, this one has {len(url):,}")
    if not re.match(r"https?:", url, re.IGNORECASE):
        raise FetchError(
            f"{shown(url)} cannot be fetched: give an address that begins with http:// or https://", FetchFailure.SCHEME
        )
    if not re.match(r"https?://[^/]", url, re.IGNORECASE) or _UNFIT.search(url):
        raise _forbidden(
            url, "two slashes and a host must follow the scheme, with no blank, backslash or invisible character"
        )
    try:
        parts = httpx.URL(url)
        host = parts.raw_host.decode("ascii").lower().removesuffix(".")
    except (httpx.InvalidURL, UnicodeError) as exc:
        raise _forbidden(url, "its host is no name that DNS knows; write it in plain letters") from exc
    if parts.userinfo or "@" in url.split("/")[2]:
        raise _forbidden(url, "it names a user; leave out what stands before the @")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if not 0 < port < 65_536 or (port not in PORTS and not allow_private):
        raise _forbidden(url, f"port {port} is none of a public web server (80, 443, 8080)")
    _check_host(url, host, allow_private)
    address = Address("", parts.scheme, host, port, parts.raw_path or b"/")
    return Address(address.origin + address.target.decode("ascii"), parts.scheme, host, port, address.target)


def _check_host(url: str, host: str, allow_private: bool) -> None:
    try:
        literal: _IP | None = ipaddress.ip_address(host)
    except ValueError:
        literal = None
    if literal is not None:
        if "%" in host or not may_connect(str(literal), allow_private):
            raise not_public(url)
    elif _NUMERIC_END.search(host):  # 2130706433, 0x7f.1, 0177.0.0.1: spellings that only hide an address
        raise _forbidden(url, "an IPv4 address is written as four decimal numbers, such as 192.0.2.1")
    elif not _NAME.fullmatch(host):
        raise _forbidden(url, "its host is no name that DNS knows; write it in plain letters")
    elif is_localhost(host) and not allow_private:
        raise not_public(url)


def is_localhost(host: str) -> bool:
    """Return whether the name means this machine, whatever DNS says (RFC 6761, section 6.3)."""
    return host == "localhost" or host.endswith((".localhost", ".localdomain"))


def may_connect(ip: str, allow_private: bool = False) -> bool:
    """Return whether a connection to this IP address may be opened.

    Addresses that carry an IPv4 address (mapped, 6to4, NAT64) are judged by it. `allow_private` admits loopback,
    private and carrier-grade NAT addresses; never link-local addresses, and so never the metadata of clouds.
    """
    try:
        address = _inner(ipaddress.ip_address(ip))
    except ValueError:
        return False
    if address.is_multicast or address.is_unspecified or address.is_link_local:
        return False
    if any(address in network for network in _NEVER):
        return False
    if address.is_loopback or _is_private(address):
        return allow_private
    if address.version == 6:
        return address in _GLOBAL_V6 and address.is_global
    return address.is_global and not address.is_reserved


def _inner(address: _IP) -> _IP:
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if any(address in network for network in _NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_private(address: _IP) -> bool:
    """Return whether an address is in the range of a private network.

    `is_private` also includes documentation, benchmarks and reserved ranges.
    """
    own = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
    return any(address in ipaddress.ip_network(text) for text in own)


def not_public(url: str) -> FetchError:
    """Return the error for an address that is not public.

    It does not say which one: that would map the network for an attacker.
    """
    return _forbidden(
        url,
        "it leads to an address that is not public; only public addresses are fetched unless VERIFIER_ALLOW_PRIVATE is on",
    )


def _forbidden(url: str, rule: str) -> FetchError:
    return FetchError(f"{shown(url)} may not be fetched: {rule}", FetchFailure.FORBIDDEN_ADDRESS)
