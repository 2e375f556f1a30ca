"""The real app as its own process without models, asked over HTTP: the code in front of them is under test."""

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

from lab.space_check.start import free_port

ROOT = Path(__file__).parents[1]
START_SECONDS = 300
"""For the slowest machine, on which other processes keep all cores busy."""


@dataclass(frozen=True, slots=True)
class Served:
    """A running app: its address, the folder of its files, and its process."""

    url: str
    folder: Path
    pid: int

    @property
    def said(self) -> str:
        """Everything that it printed."""
        return (self.folder / "said.txt").read_text(errors="replace")

    @property
    def port(self) -> int:
        return int(self.url.rstrip("/").rsplit(":", 1)[1])

    @property
    def memory(self) -> int:
        """Resident memory in bytes."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    @property
    def uploads(self) -> list[Path]:
        """The files in its folder for uploads."""
        return [path for path in (self.folder / "temporary").rglob("*") if path.is_file()]

    def ask(self, method: str, path: str, visitor: str = "", **given: object) -> httpx.Response:
        """Send a request, from this machine or, by the header of a proxy, from a visitor."""
        headers = {"x-forwarded-for": visitor} if visitor else {}
        headers |= given.pop("headers", {})  # type: ignore[call-overload]
        # without verify=False, each request first loads the certificates of all authorities, which no plain HTTP needs
        return httpx.request(
            method,
            self.url + path,
            headers=headers,
            timeout=30,
            trust_env=False,
            verify=False,
            **given,  # type: ignore[arg-type]
        )

    def start_check(self, visitor: str = "", claim: str = "The Earth is flat") -> httpx.Response:
        return self.ask("POST", "gradio_api/call/verify", visitor, json={"data": [claim, False]})

    def numbers(self) -> dict[str, int]:
        """Map the name of each function that Gradio serves to its number."""
        return {each["api_name"]: each["id"] for each in self.ask("GET", "config").json()["dependencies"]}


def start(folder: Path, before: Callable[[], None] | None = None, **own: str) -> tuple[Served, subprocess.Popen[bytes]]:
    """Start an app that keeps all files in `folder`; `before` runs in its process first."""
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


def wait_until_up(url: str, app: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the app answers at `url`.

    Raises:
        RuntimeError: it ended first, or needed too long; with the end of what it printed into `log`.
    """
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and app.poll() is None:
        try:
            if httpx.get(url, timeout=30, trust_env=False, verify=False).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"the app did not start at {url}: {log.read_text(errors='replace')[-2_000:]}")


def wait_for(served: Served, app: subprocess.Popen[bytes]) -> None:
    """Wait until the app answers, without the name of its server."""
    wait_until_up(served.url, app, served.folder / "said.txt")
    time.sleep(1.2)  # the server takes its name from the headers at its next tick


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment in which everything is kept in `folder`, and nothing of the user's own is read."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIFIER_")}
    files = {"KB_URI": "kb", "LOG_PATH": "log.jsonl", "CASES": "cases.jsonl", "DOMAINS": "domains.csv"}
    own = files | {"SEARCH_CACHE": "search-cache"}
    return kept | {f"VERIFIER_{name}": str(folder / file) for name, file in own.items()} | more


@contextmanager
def serving(folder: Path, before: Callable[[], None] | None = None, **own: str) -> Iterator[Served]:
    """Run an app, from its first answer to its end."""
    served, app = start(folder, before, **own)
    try:
        wait_for(served, app)
        yield served
    finally:
        app.terminate()
        app.wait(60)


def visitors(network: str = "8.8") -> Callable[[], str]:
    """Return a function that makes a new address each time."""
    numbers = itertools.count(1)
    return lambda: f"{network}.{(number := next(numbers)) // 250}.{number % 250}"
