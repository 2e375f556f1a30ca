"""Parse and apply robots.txt by RFC 9309.

The standard library's parser takes the first rule, not the longest, and knows no wildcards.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

MAX_BYTES = 500 * 1024
"""Bytes read of a robots.txt (RFC 9309, section 2.5, asks for at least this much)."""
MAX_RULES = 5_000
MAX_PATTERN = 1_000
"""Characters of a rule's path; a longer one is skipped."""
PRODUCT = "claimverifier"
"""This program's name in robots.txt, in lower case."""
KEEP_SECONDS = 3_600.0
KEEP_REFUSAL_SECONDS = 60.0
"""A server that failed is asked again soon."""
_MAX_ORIGINS = 1_000
_RESERVED = b"%/?#[]@!$&'()*+,;="


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a group: a path pattern, whether it is anchored, whether it allows."""

    pieces: tuple[bytes, ...]
    """The literal texts between the wildcards."""
    anchored: bool
    length: int
    allows: bool

    def matches(self, path: bytes) -> bool:
        """Return whether the pattern covers `path`, in time linear in both.

        No regular expression is made from text of the web.
        """
        if not path.startswith(self.pieces[0]):
            return False
        at = len(self.pieces[0])
        for piece in self.pieces[1:-1]:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        if len(self.pieces) == 1:
            return at == len(path) if self.anchored else True
        last = self.pieces[-1]
        return len(path) - len(last) >= at and path.endswith(last) if self.anchored else path.find(last, at) >= 0


@dataclass(frozen=True, slots=True)
class Rules:
    """What one robots.txt says to this program."""

    rules: tuple[Rule, ...] = ()
    refused: bool = False
    """The server failed to say: nothing may be fetched (RFC 9309, section 2.3.1.4)."""

    def allow(self, target: bytes) -> bool:
        """Return whether a path with its query may be fetched.

        The longest rule decides; of two equally long ones, the one that allows.
        """
        if self.refused:
            return False
        path = _normal(target)
        best = max(
            (rule for rule in self.rules if rule.matches(path)),
            key=lambda rule: (rule.length, rule.allows),
            default=None,
        )
        return best is None or best.allows


def parse(body: bytes) -> Rules:
    """Return this program's rules: those of all groups naming it, else those for everyone."""
    ours: list[Rule] = []
    everyone: list[Rule] = []
    named = False
    agents: set[str] = set()
    in_rules = False
    for key, value in _lines(body):
        if key == "user-agent":
            if in_rules:
                agents.clear()
            agents.add(_product(value))
            in_rules = False
            named = named or PRODUCT in agents
        elif key in {"allow", "disallow"}:
            in_rules = True
            rule = _rule(value, key == "allow")
            if rule is not None and PRODUCT in agents and len(ours) < MAX_RULES:
                ours.append(rule)
            if rule is not None and "*" in agents and len(everyone) < MAX_RULES:
                everyone.append(rule)
    return Rules(tuple(ours if named else everyone))


def _lines(body: bytes) -> list[tuple[str, str]]:
    text = body[:MAX_BYTES].decode("utf-8-sig", errors="replace")
    lines = (line.partition("#")[0].partition(":") for line in re.split(r"[\r\n]+", text))
    return [(key.strip().lower(), value.strip()) for key, colon, value in lines if colon]


def _product(value: str) -> str:
    """Return the product token of a user-agent line: "ClaimVerifier/0.1 beta" names "claimverifier"."""
    if value.strip() == "*":
        return "*"
    found = re.match(r"[A-Za-z_-]+", value)
    return found.group().lower() if found else ""


def _rule(value: str, allows: bool) -> Rule | None:
    if not value or len(value) > MAX_PATTERN or value[0] not in "/*":
        return None  # "Disallow:" alone forbids nothing
    anchored = value.endswith("$")
    pieces = tuple(_normal(piece.encode()) for piece in value.removesuffix("$").split("*"))
    return Rule(pieces, anchored, sum(map(len, pieces)) + len(pieces) - 1, allows)


def _normal(path: bytes) -> bytes:
    """Return one spelling: needless percent-encoding is decoded, so /%61 and /a are one path."""

    def decode(found: re.Match[bytes]) -> bytes:
        byte = unquote_to_bytes(found.group())
        return found.group().upper() if byte in _RESERVED or byte <= b" " else byte

    return re.sub(rb"%[0-9A-Fa-f]{2}", decode, path)


class RobotsCache:
    """The rules of each origin, for an hour, in memory."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Rules]] = OrderedDict()
        self._lock = threading.Lock()

    def rules(self, origin: str, load: Callable[[], Rules]) -> Rules:
        """Return the rules of `origin`, loaded if they are unknown or too old.

        What `load` raises is not kept.
        """
        with self._lock:
            ends, known = self._kept.get(origin, (0.0, Rules()))
        if self._clock() < ends:
            return known
        loaded = load()
        ends = self._clock() + (KEEP_REFUSAL_SECONDS if loaded.refused else KEEP_SECONDS)
        with self._lock:
            self._kept[origin] = (ends, loaded)
            self._kept.move_to_end(origin)
            while len(self._kept) > _MAX_ORIGINS:
                self._kept.popitem(last=False)
        return loaded
