"""The app as people start it: its own process, with the invented web and with all of its files in one folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.publishers.lists import DomainLists
from kb.publishers.rules import parse_line
from lab.space_check.start import free_port
from lab.world import World
from tests.served import ROOT, environment, wait_until_up


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
        # GDELT may be asked once in five seconds: each check of the web would wait for its turn
        quiet = {"VERIFIER_LLM": "off", "VERIFIER_GDELT": "off"}
        env = environment(folder, PORT=str(port), **quiet) | world.environment("free")
        app = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=env, stdout=said, stderr=subprocess.STDOUT)
        try:
            wait_until_up(f"http://127.0.0.1:{port}/", app, folder / "app.log")
            yield f"http://127.0.0.1:{port}/"
        finally:
            app.terminate()
            app.wait(timeout=60)
