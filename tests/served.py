"""The real app as a process of its own, asked over real HTTP. Its models are not there: what stands before them is under test."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from verifier.space.start import free_port

ROOT = Path(__file__).parents[1]
START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Served:
    """Where an app answers, where its files lie, and its process."""

    url: str
    folder: Path
    pid: int

    @property
    def said(self) -> str:
        """What it printed."""
        return (self.folder / "said.txt").read_text(errors="replace")

    @property
    def port(self) -> int:
        return int(self.url.rstrip("/").rsplit(":", 1)[1])

    @property
    def memory(self) -> int:
        """Bytes that it holds in memory."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    @property
    def uploads(self) -> list[Path]:
        """The files that lie in its folder for uploads."""
        return [path for path in (self.folder / "temporary").rglob("*") if path.is_file()]

    def ask(self, method: str, path: str, visitor: str = "", **given: object) -> httpx.Response:
        """One request, from this machine or, as a proxy would tell, from a visitor."""
        headers = {"x-forwarded-for": visitor} if visitor else {}
        headers |= given.pop("headers", {})  # type: ignore[call-overload]
        return httpx.request(method, self.url + path, headers=headers, timeout=30, trust_env=False, **given)  # type: ignore[arg-type]

    def start_check(self, visitor: str = "", claim: str = "The Earth is flat") -> httpx.Response:
        return self.ask("POST", "gradio_api/call/verify", visitor, json={"data": [claim, False]})

    def numbers(self) -> dict[str, int]:
        """The number of each function that Gradio serves, by its name; those of the page have names of Python functions."""
        return {each["api_name"]: each["id"] for each in self.ask("GET", "config").json()["dependencies"]}


def start(folder: Path, before: Callable[[], None] | None = None, **own: str) -> tuple[Served, subprocess.Popen[bytes]]:
    """Start an app whose files all lie in `folder`; `before` runs in its process first."""
    port = free_port()
    (folder / "none").mkdir()
    own = {
        "PORT": str(port),
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "VERIFIER_WEIGHTS": str(folder / "none"),
        "VERIFIER_KB_URI": str(folder / "kb"),
        "VERIFIER_LOG_PATH": str(folder / "log.jsonl"),
        "GRADIO_TEMP_DIR": str(folder / "temporary"),
    } | own
    with (folder / "said.txt").open("wb") as said:
        command = [sys.executable, "app.py"]
        app = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | own, stdout=said, stderr=subprocess.STDOUT, preexec_fn=before
        )
    return Served(f"http://127.0.0.1:{port}/", folder, app.pid), app


def wait_for(served: Served, app: subprocess.Popen[bytes]) -> None:
    """Until it answers."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            served.ask("GET", "")
            break
        except httpx.TransportError:
            assert app.poll() is None and time.monotonic() < deadline, served.said
            time.sleep(0.1)
    time.sleep(1.2)  # the name of the server goes with its next tick


@contextmanager
def serving(folder: Path, before: Callable[[], None] | None = None, **own: str) -> Iterator[Served]:
    """An app from its first answer to its end."""
    served, app = start(folder, before, **own)
    try:
        wait_for(served, app)
        yield served
    finally:
        app.terminate()
        app.wait(20)


def visitors(network: str = "8.8") -> Callable[[], str]:
    """A new address each time."""
    numbers = itertools.count(1)
    return lambda: f"{network}.{(number := next(numbers)) // 250}.{number % 250}"
