"""Make faults on demand.

The same seed and the same requests give the same faults, in whatever order threads ask.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from errors import InputError
from lab.world.exchange import Reply, Request, Wait, redirect_reply
from lab.world.wording import INJECTION

_HUGE_MEGABYTES = 32
_GARBAGE_BYTES = 2048
_MOST_SECONDS = 60.0


class Fault(StrEnum):
    """What may go wrong with an answer."""

    SLOW = "slow"
    RATE_LIMITED = "429"
    UNAVAILABLE = "503"
    CUT = "cut"
    GARBAGE = "garbage"
    REDIRECT_LOOP = "redirect-loop"
    HUGE = "huge"
    CHARSET = "charset"
    INJECTION = "injection"


@dataclass(frozen=True, slots=True)
class Faults:
    """How often which faults happen, by which seed, and how long answers wait.

    `rate` is 0 to 1. `latency` is seconds before every answer, `slow_seconds` seconds before a slow one.
    """

    rate: float = 0.0
    kinds: tuple[Fault, ...] = tuple(Fault)
    seed: int = 0
    latency: float = 0.0
    slow_seconds: float = 6.5

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise InputError(f"rate must be from 0 to 1, got {self.rate}")
        for name, seconds in (("latency", self.latency), ("slow_seconds", self.slow_seconds)):
            if not 0 <= seconds <= _MOST_SECONDS:
                raise InputError(f"{name} must be from 0 to {_MOST_SECONDS:g} seconds, got {seconds}")

    def changed(self, values: Mapping[str, object]) -> Faults:
        """Return these faults with other values, as they come from JSON.

        Raises:
            InputError: a name or a value is not allowed.
        """
        changes: dict[str, object] = {}
        for name, value in values.items():
            if name == "kinds" and isinstance(value, list):
                changes[name] = tuple(_fault(kind) for kind in value) or tuple(Fault)
            elif name == "seed" and isinstance(value, int):
                changes[name] = value
            elif name in {"rate", "latency", "slow_seconds"} and isinstance(value, int | float):
                changes[name] = float(value)
            else:
                raise InputError(
                    f"{name!r} must be one of rate, kinds, seed, latency, slow_seconds with a value of its kind, got {value!r}"
                )
        return replace(self, **changes)  # type: ignore[arg-type]

    def choose(self, request: Request, times: int) -> Fault | None:
        """Return the fault of a request that was made `times` times before, or None."""
        key = f"{self.seed} {times} {request.method} {request.host} {request.target} ".encode() + request.body
        dice = random.Random(hashlib.sha256(key).digest())
        return dice.choice(self.kinds) if self.kinds and dice.random() < self.rate else None


class Repetitions:
    """How often each request has been made, so that asking again can end differently."""

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def next(self, request: Request) -> int:
        """Return how often this request was made before."""
        key = hashlib.sha256(f"{request.method} {request.host} {request.target} ".encode() + request.body).digest()
        self._seen[key] += 1
        return self._seen[key] - 1


def spoil(reply: Reply, fault: Fault | None, request: Request) -> Reply:
    """Return the answer as the fault leaves it; the server handles slowness and cut connections."""
    if fault is Fault.RATE_LIMITED:
        return Reply(b"Too Many Requests", "text/plain; charset=utf-8", 429, {"Retry-After": "5"})
    if fault is Fault.UNAVAILABLE:
        return Reply(b"Service Unavailable", "text/plain; charset=utf-8", 503)
    if fault is Fault.GARBAGE:
        noise = random.Random(request.target).randbytes(_GARBAGE_BYTES)
        return replace(reply, body=noise, status=200, headers={}, stream=None)
    if fault is Fault.REDIRECT_LOOP:
        return redirect_reply("/world-loop/0")
    if fault is Fault.HUGE and reply.stream is None:
        return replace(reply, stream=lambda wait: _huge(reply.body, wait))
    if fault is Fault.CHARSET and reply.stream is None:
        return replace(reply, body=reply.body.decode("utf-8", "replace").encode("cp1252", "replace"))
    if fault is Fault.INJECTION and reply.content_type.startswith("text/html"):
        planted = f'<p>{INJECTION}</p><p style="display:none">{INJECTION}</p></body>'
        return replace(reply, body=reply.body.replace(b"</body>", planted.encode()))
    return reply


def loop(target: str) -> Reply:
    """Return one more step of a loop of redirects."""
    step = target.rpartition("/")[2]
    return redirect_reply(f"/world-loop/{(int(step) + 1) % 1000 if step.isdecimal() and len(step) < 5 else 0}")


def _huge(body: bytes, wait: Wait) -> Iterator[bytes]:
    """Return the answer, and megabytes of white space behind it."""
    yield body
    for _ in range(_HUGE_MEGABYTES):
        if wait(0):
            return
        yield b" \n" * 500_000


def _fault(value: object) -> Fault:
    try:
        return Fault(str(value))
    except ValueError as exc:
        raise InputError(f"a kind of fault must be one of {', '.join(Fault)}, got {value!r}") from exc
