"""The app as people start it, a process of its own, with the invented web behind it and everything that it keeps in one folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from kb.lists import DomainLists, parse_line
from verifier.space.start import free_port
from world import World

ROOT = Path(__file__).parents[2]
START_SECONDS = 120


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Run `python app.py`; yields its address, which ends in a slash, once it answers.

    Args:
        folder: where it keeps its store, logs, lists, cache and output.

    Raises:
        RuntimeError: it did not start.
    """
    with World() as world, (folder / "app.log").open("wb") as said:
        lists = DomainLists(folder / "domains.csv")
        for domain, source_type, credibility in world.domains():
            lists.add(parse_line(domain, "allow", source_type, str(credibility)))
        port = free_port()
        env = _environment(folder) | world.environment("free") | {"PORT": str(port)}
        app = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=env, stdout=said, stderr=subprocess.STDOUT)
        try:
            _wait_for(f"http://127.0.0.1:{port}/", app, folder / "app.log")
            yield f"http://127.0.0.1:{port}/"
        finally:
            app.terminate()
            app.wait(timeout=20)


def _environment(folder: Path) -> dict[str, str]:
    """An environment in which nothing of the user's own is read or written."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIFIER_")}
    files = {"KB_URI": "kb", "LOG_PATH": "log.jsonl", "CASES": "cases.jsonl", "DOMAINS": "domains.csv"}
    own = files | {"SEARCH_CACHE": "search-cache"}
    return kept | {f"VERIFIER_{name}": str(folder / file) for name, file in own.items()} | {"VERIFIER_LLM": "off"}


def _wait_for(url: str, app: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and app.poll() is None:
        try:
            if httpx.get(url, timeout=2).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"the app did not start at {url}: {log.read_text(errors='replace')[-2000:]}")
