"""Tell who sends a request, and how much they may still ask for.

A visitor is an address: nothing else is known of them, and nothing is kept.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from pyrate_limiter import Duration, InMemoryBucket, Rate, RateItem

MAX_VISITORS = 10_000
"""Visitors whose requests are remembered; the one idle longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """An address, and whether it is this machine itself.

    A /64 network of IPv6 addresses counts as one.
    """

    key: str
    local: bool = False


def visitor_of(peer: str, forwarded: str, hops: int, skip_private: bool) -> Visitor:
    """Find who sent a request.

    Args:
        peer: the address at the other end of the connection.
        forwarded: the X-Forwarded-For header, or "".
        hops: how many of one's own proxies are in front of the server. Each adds the address that it sees to the right
            end of the header, so only this many entries from the right can be trusted; all others may be invented.
        skip_private: whether private addresses next to that entry are proxies as well.
    """
    entries = [entry.strip() for entry in forwarded.split(",") if entry.strip()]
    if not entries or not hops or len(entries) < hops:
        return Visitor(_network(peer), local=not entries and _loopback(peer))
    place = len(entries) - hops
    while skip_private and place > 0 and not _global(entries[place]):
        place -= 1
    return Visitor(_network(entries[place]))


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an address; some proxies write a port after it."""
    host = text.rsplit(":", 1)[0] if text.count(":") == 1 or "]:" in text else text
    try:
        found = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _loopback(text: str) -> bool:
    address = _address(text)
    return address is not None and address.is_loopback


def _global(text: str) -> bool:
    address = _address(text)
    return address is not None and address.is_global


def _network(text: str) -> str:
    address = _address(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address) if address else text[:64]


@dataclass(slots=True)
class _Used:
    minute: InMemoryBucket
    hour: InMemoryBucket
    open: int = 0


@dataclass(slots=True)
class Budget:
    """Units for each visitor in a period; used units come back steadily.

    It keeps one number per visitor.
    """

    units: int
    seconds: float
    _full_at: OrderedDict[str, float] = field(default_factory=OrderedDict)

    def take(self, visitor: str, units: int = 1) -> int:
        """Use `units` and return 0; if too few are left, use none.

        Returns the seconds until there are enough.
        """
        now, each = time.monotonic(), self.seconds / self.units
        full = max(now, self._full_at.get(visitor, now)) + units * each
        over = full - now - self.seconds
        if over > 0.001 * each:  # more than a rounding error
            return max(1, math.ceil(over))
        self._note(visitor, full)
        return 0

    def charge(self, visitor: str, units: int) -> None:
        """Use units that may not be there: the visitor waits for them later."""
        now = time.monotonic()
        self._note(visitor, max(now, self._full_at.get(visitor, now)) + units * self.seconds / self.units)

    def _note(self, visitor: str, full: float) -> None:
        self._full_at[visitor] = full
        self._full_at.move_to_end(visitor)
        if len(self._full_at) > MAX_VISITORS:
            self._full_at.popitem(last=False)


@dataclass(slots=True)
class Allowance:
    """How many checks each visitor may start in a minute and in an hour.

    Counted over the last 60 and 3,600 seconds.
    """

    per_minute: int
    per_hour: int
    _used: OrderedDict[str, _Used] = field(default_factory=OrderedDict)

    def take(self, visitor: str, claims: int = 1) -> int:
        """Count one request with `claims` claims; return 0, or the seconds to wait.

        The minute counts requests and the hour counts claims: at most `per_hour`, since more are never allowed.
        """
        used, now = self._of(visitor), time.monotonic_ns() // 1_000_000
        for bucket, weight in ((used.minute, 1), (used.hour, claims)):
            bucket.leak(now)
            item = RateItem(visitor, now, weight=weight)
            if not bucket.put(item):
                return max(1, math.ceil(float(bucket.waiting(item)) / 1000))  # type: ignore[arg-type]  # not an async bucket
        return 0

    def left(self, visitor: str) -> int:
        """Return how many claims a visitor may still have checked in this hour."""
        used = self._of(visitor)
        used.hour.leak(time.monotonic_ns() // 1_000_000)
        return max(0, self.per_hour - used.hour.count())

    def opened(self, visitor: str, change: int) -> int:
        """Change a visitor's number of requests being answered now; return it."""
        used = self._of(visitor)
        used.open = max(0, used.open + change)
        return used.open

    def _of(self, visitor: str) -> _Used:
        used = self._used.get(visitor)
        if used is None:
            minute, hour = Rate(self.per_minute, Duration.MINUTE), Rate(self.per_hour, Duration.HOUR)
            used = self._used[visitor] = _Used(InMemoryBucket([minute]), InMemoryBucket([hour]))
        self._used.move_to_end(visitor)
        if len(self._used) > MAX_VISITORS:
            self._used.popitem(last=False)
        return used
