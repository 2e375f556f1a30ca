"""Send the app many visitors at once, over real loopback HTTP and in real Chromium.

    python -m lab.benchmarks.visitors --visitors 20 --seconds 60

Checks use the evidence store alone. The targets: no error except a polite refusal by the queue, 95 of 100 checks within
6 seconds on two cores, stable memory, a first paint within 1.5 seconds while the models load, and a first step within
150 ms of the click.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from lab.space_check.start import free_port

ROOT = Path(__file__).parents[2]
START_SECONDS = 300
CLAIMS = (
    "The Earth is flat",
    "5G towers spread COVID-19",
    "India became independent in 1947",
    "The Eiffel Tower is in Berlin",
    "Vaccines cause autism",
    "Water boils at 100 degrees Celsius at sea level",
    "The Great Wall of China can be seen from space",
    "Mount Everest is the highest mountain above sea level",
    "Humans use only ten percent of their brains",
    "The Amazon is a river in South America",
)
# The page has no element for the steps until there is a step
_FIRST_STEP = """() => new Promise(done => {
  const start = performance.now();
  const watch = new MutationObserver(() => {
    if (!document.querySelector('#cv-steps section')) return;
    watch.disconnect();
    requestAnimationFrame(() => done(performance.now() - start));
  });
  watch.observe(document.body, {childList: true, subtree: true, characterData: true});
  document.querySelector('#cv-check').click();
})"""


@dataclass(slots=True)
class Answers:
    """What the visitors got: seconds of each successful check, and how the others ended."""

    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    polite: int = 0


@contextmanager
def app() -> Iterator[tuple[str, int]]:
    """The app with a store of its own: its address and its process."""
    with tempfile.TemporaryDirectory(prefix="visitors-") as name:
        port = free_port()
        own = {"PORT": str(port), "VERIFIER_KB_URI": f"{name}/kb", "VERIFIER_LOG": "off", "VERIFIER_WEB": "off"}
        process = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env=os.environ | own, stdout=subprocess.DEVNULL
        )
        try:
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()
            process.wait(30)


def memory(pid: int) -> float:
    """Megabytes that a process holds now."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


async def call(client: httpx.AsyncClient, name: str, values: dict[str, object]) -> tuple[str, str]:
    """Return how an endpoint answers through the queue, and what it says.

    The first value is "complete", "error" or the status of a refusal.
    """
    joined = await client.post(f"/gradio_api/call/v2/{name}", json=values)
    if joined.status_code != 200:
        return str(joined.status_code), joined.text[:200]
    event = ""
    async with client.stream("GET", f"/gradio_api/call/v2/{name}/{joined.json()['event_id']}") as news:
        async for line in news.aiter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event in {"complete", "error"}:
                return event, line.removeprefix("data: ")
    return "broken off", ""


async def ready(client: httpx.AsyncClient) -> None:
    """Wait until the models are loaded.

    Raises:
        SystemExit: the models will not load.
    """
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            kind, said = await call(client, "health", {})
        except httpx.TransportError:
            kind, said = "", ""
        if kind == "complete" and (state := json.loads(said)[0]["status"]) != "loading":
            if state == "ok":
                return
            break
        await asyncio.sleep(0.3)
    raise SystemExit("the app did not come up; run python app.py and read what it says")


async def visit(client: httpx.AsyncClient, first: int, until: float, answers: Answers) -> None:
    """One visitor, who asks again after each answer."""
    for claim in itertools.islice(itertools.cycle(CLAIMS), first, None):
        if time.monotonic() >= until:
            return
        begun = time.monotonic()
        try:
            kind, said = await call(client, "verify", {"claim": claim, "web": False})
        except httpx.HTTPError as exc:
            answers.errors[type(exc).__name__] += 1
            continue
        if kind == "complete":
            answers.seconds.append(time.monotonic() - begun)
        elif kind == "429":
            answers.polite += 1
            await asyncio.sleep(2)
        else:
            answers.errors[f"{kind}: {said[:80]}"] += 1


async def crowd(url: str, pid: int, visitors: int, seconds: float) -> tuple[Answers, list[float]]:
    """Run all visitors at once; return their answers, and memory (MB) at start, middle, end."""
    answers = Answers()
    limits = httpx.Limits(max_connections=visitors * 2)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits, trust_env=False) as client:
        await ready(client)
        held = [memory(pid)]
        until = time.monotonic() + seconds
        asking = [asyncio.create_task(visit(client, number, until, answers)) for number in range(visitors)]
        await asyncio.sleep(seconds / 2)
        held.append(memory(pid))
        await asyncio.gather(*asking)
        held.append(memory(pid))
    return answers, held


def page(url: str) -> tuple[float, float] | None:
    """Measure milliseconds to the first paint, and from a click to the first step.

    The page is opened while the models load. None: no Chromium.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        opened = browser.new_page()
        deadline = time.monotonic() + START_SECONDS
        while httpx_status(url) != 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        opened.goto(url)
        opened.locator("#cv-claim textarea").fill(CLAIMS[0])
        painted = opened.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        first_step = opened.evaluate(_FIRST_STEP)
        browser.close()
    return float(painted), float(first_step)


def httpx_status(url: str) -> int:
    """The status that an address answers with, 0 for no answer."""
    try:
        return httpx.get(url, timeout=5, trust_env=False).status_code
    except httpx.TransportError:
        return 0


def told(answers: Answers, held: list[float], seconds: float) -> Iterator[str]:
    """The report, line by line."""
    done = sorted(answers.seconds)
    yield f"checks {len(done)}, {len(done) / seconds:.2f} a second; told to wait {answers.polite}"
    if len(done) > 1:
        p95 = statistics.quantiles(done, n=20, method="inclusive")[18]
        yield f"seconds per check: p50 {statistics.median(done):.2f}, p95 {p95:.2f}, longest {done[-1]:.2f}"
    yield "errors: " + ("; ".join(f"{kind} {number}" for kind, number in answers.errors.most_common()) or "none")
    yield "memory in MB at start, middle, end: " + ", ".join(f"{size:.0f}" for size in held)


def main() -> None:
    """Start the app, measure its page, then send the visitors."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--no-page", action="store_true", help="leave the browser out")
    args = parser.parse_args()
    with app() as (url, pid):
        seen = None if args.no_page else page(url)
        if seen:
            print(
                f"page: first paint {seen[0]:.0f} ms while the models load, first step {seen[1]:.0f} ms after the click"
            )
        answers, held = asyncio.run(crowd(url, pid, args.visitors, args.seconds))
    for line in told(answers, held, args.seconds):
        print(line)


if __name__ == "__main__":
    main()
