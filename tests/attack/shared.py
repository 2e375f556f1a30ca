"""A real queue behind the guard, over real HTTP, in this process.

In place of models there is a checker whose steps take long, so that it is the sharing that is measured.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from errors import VerifierError
from lab.space_check.start import free_port
from ui.blocks import build_demo
from ui.guard.connections import harden
from ui.guard.front import guard_arguments
from verifier.schema import ClaimType, Stage, Status, Step, Tier, Verdict, VerificationResult
from verifier.serve.service import Service
from verifier.settings import ServerSettings, Settings

PLAIN: dict[str, Any] = {"trust_env": False, "verify": False}
"""Else each request first loads the certificates of all authorities, which no plain HTTP needs."""
ONE, OTHER, THIRD = "8.8.8.8", "8.8.4.4", "1.1.1.1"


@dataclass(slots=True)
class Slow:
    """A checker whose steps take so long; it notes what it checks, and how many checks run at once."""

    seconds: float = 0.05
    checked: list[str] = field(default_factory=list)
    running: int = 0
    most: int = 0

    @contextmanager
    def _counted(self, claim: str) -> Iterator[None]:
        self.checked.append(claim)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            yield
        finally:
            self.running -= 1

    def stream(self, claim: str, web: bool = True, given: object = None) -> Generator[Step, None, VerificationResult]:
        with self._counted(claim):
            for number in range(3):
                time.sleep(self.seconds)
                yield Step(Stage.SEARCH, f"step {number}", self.seconds)
        return result(claim)

    def verify(self, claim: str, given: object = None, web: bool = True) -> VerificationResult:
        with self._counted(claim):
            time.sleep(self.seconds)
        return result(claim)


def result(claim: str) -> VerificationResult:
    return VerificationResult(
        session_id="0", checked_at=datetime.now(UTC), original_claim=claim, claim=claim, claim_type=ClaimType.FACTUAL,
        type_reason="", verdict=Verdict.NOT_ENOUGH_EVIDENCE, confidence=0.0, tier=Tier.LOW, status=Status.OK, reasoning="",
        evidence=(), citations=(), steps=(), tool_calls=0, store_version=None, warnings=(),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shared:
    """A public server over a slow checker."""

    url: str
    slow: Slow
    service: Service
    open: threading.Event
    """Until it is set, whoever asks for the checker waits."""

    def post(self, path: str, visitor: str, **given: Any) -> httpx.Response:  # noqa: ANN401
        headers = {"x-forwarded-for": visitor}
        return httpx.post(f"{self.url}gradio_api/{path}", headers=headers, timeout=30, **PLAIN, **given)

    def config(self) -> dict[str, Any]:
        """What the page is made of."""
        found: dict[str, Any] = httpx.get(f"{self.url}config", **PLAIN).json()
        return found

    def join(self, number: int, visitor: str, data: list[Any], session: str = "s1") -> httpx.Response:
        return self.post("queue/join", visitor, json={"data": data, "fn_index": number, "session_hash": session})

    def upload(self, visitor: str, name: str, content: str) -> dict[str, Any]:
        answer = self.post("upload", visitor, files={"files": (name, content.encode())})
        assert answer.status_code == 200, answer.text
        return {"path": answer.json()[0], "meta": {"_type": "gradio.FileData"}, "orig_name": name}

    def function(self, *inputs: str) -> int:
        """The number of the page's own function that has parts with these ids as its first inputs."""
        config = self.config()
        ids = {each["props"].get("elem_id"): each["id"] for each in config["components"]}
        wanted = [ids[name] for name in inputs]
        found: int = next(
            each["id"]
            for each in config["dependencies"]
            if each["inputs"][: len(wanted)] == wanted
            and each["backend_fn"]
            and each["outputs"]
            and each["queue"] is not False
        )
        return found


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def sharing(tmp_path: Path, per_minute: int = 20) -> Iterator[Shared]:
    """Such a server; at most two checks of a visitor, and four of all, are in its queue."""
    slow, opened, ended = Slow(), threading.Event(), threading.Event()

    class Fast(Service):
        def checker(self) -> Any:  # noqa: ANN401
            opened.wait(60)
            if ended.is_set():
                raise VerifierError("the test is over")
            return slow

    limits = ServerSettings(trust_proxy=1, per_minute=per_minute, at_once=2, queue=4)
    service = Fast(Settings(kb_uri=str(tmp_path / "kb"), web=False, log=False, server=limits))
    demo = build_demo(service)
    _, address, _ = demo.launch(
        server_name="127.0.0.1",
        server_port=free_port(),
        prevent_thread_lock=True,
        quiet=True,
        ssr_mode=False,
        app_kwargs=guard_arguments(service, demo),
    )
    harden(demo, service.settings)
    yield Shared(address, slow, service, opened)
    ended.set()
    opened.set()
    demo.close()
