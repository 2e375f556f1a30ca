"""Start app.py as a Space does, and query it over loopback.

It runs from a copy of the repository's files alone.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.space_check import Check, Outcome, checked
from lab.space_check.files import MB, repository_files
from verifier.settings import Settings
from verifier.settings.environment import bare_environment

if TYPE_CHECKING:
    import httpx

SPACE_ID = "somebody/claim-verifier"
PAGE_SECONDS = 120.0
READY_SECONDS = 300.0
SPACE_MEMORY = 16_000 * MB
CLAIM = "The Eiffel Tower near Zzyzx-417 is in Paris"
"""Holds a unique word, to look for in every file that the app leaves behind."""
_WORD = b"Zzyzx-417"
_JSON = {"content-type": "application/json"}
MAX_ANSWER = 1_000_000
_BAD_REQUESTS = (
    ("GET", "/gradio_api/file=/etc/passwd", None),
    ("GET", "/gradio_api/file=app.py", None),
    ("GET", "/gradio_api/call/verify/no-such-event", None),
    ("GET", "/no/such/page", None),
    ("POST", "/gradio_api/call/no_such_name", b'{"data": []}'),
    ("POST", "/gradio_api/call/verify", b"{not json"),
    ("POST", "/gradio_api/queue/join", b'{"fn_index": 999, "data": [], "session_hash": "x"}'),
    ("POST", "/gradio_api/upload", b""),
)


@dataclass(frozen=True, slots=True)
class Running:
    """The app as a process of its own: its address, its folder, and its log."""

    url: str
    folder: Path
    said: Path
    process: subprocess.Popen[bytes]
    started: float


def check_start(root: Path) -> list[Check]:
    """Start the app and query it, which takes about half a minute.

    At the end the app is stopped and its folder deleted.
    """
    with tempfile.TemporaryDirectory(prefix="space-check-") as name:
        folder = Path(name).resolve() / "app"
        for path in repository_files(root):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, folder / path)
        with _running(folder) as app:
            return _until_it_stops(app)


def free_port() -> int:
    """A free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(folder: Path) -> Iterator[Running]:
    port = free_port()
    home = folder.parent / "home"
    home.mkdir()
    environment = bare_environment() | {
        "SPACE_ID": SPACE_ID,
        "SYSTEM": "spaces",
        "HOME": str(home),
        "PORT": str(port),
        "GRADIO_SERVER_NAME": "127.0.0.1",  # a Space listens on 0.0.0.0; this check stays on this machine
        "HF_HUB_OFFLINE": "1",
        "VERIFIER_WEB": "off",
    }
    said = folder.parent / "said.txt"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "app.py"], cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield Running(f"http://127.0.0.1:{port}", folder, said, process, time.monotonic())
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until_it_stops(app: Running) -> list[Check]:
    """Return all points, or those reached before the app stopped answering."""
    import httpx

    checks = []
    try:
        for check in _checks(app):
            checks.append(check)
    except httpx.HTTPError as exc:
        checks.append(
            Check("answers", Outcome.FAILED, f"{exc}; {_last_words(app)}", "run python app.py, and mend what it says")
        )
    return checks


def _last_words(app: Running) -> str:
    code = app.process.poll()
    state = "it still runs" if code is None else f"it ended with {code}"
    lines = app.said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{state}, after saying {' '.join(lines[-1:])[:200]!r}"


def _checks(app: Running) -> Iterator[Check]:
    import httpx

    on_space = Settings.from_env({"SPACE_ID": SPACE_ID})
    yield checked(
        "address",
        (on_space.host, on_space.port) == ("0.0.0.0", 7860),
        f"{on_space.host}:{on_space.port}",
        "0.0.0.0:7860",
    )
    with httpx.Client(base_url=app.url, timeout=30, trust_env=False) as client:
        page = _first_page(app, client)
        yield page
        if page.outcome is Outcome.FAILED:
            return
        ready = _ready(app, client)
        yield ready
        if ready.outcome is not Outcome.FAILED:
            yield _one_check(client)
        yield _queue(client)
        yield _metrics(client)
        yield _errors(app, client)
        yield _memory(app)
    yield _nothing_kept(app)


def _first_page(app: Running, client: httpx.Client) -> Check:
    import httpx

    while time.monotonic() < app.started + PAGE_SECONDS and app.process.poll() is None:
        try:
            answer = client.get("/")
        except httpx.TransportError:
            time.sleep(0.2)
            continue
        seconds = time.monotonic() - app.started
        found = f"{answer.status_code} after {seconds:.1f} s, {len(answer.content) / 1000:.0f} kB"
        return checked(
            "first page", answer.status_code == 200, found, "see what app.py prints: PORT=7861 python app.py"
        )
    found = f"none after {time.monotonic() - app.started:.0f} s: {_last_words(app)}"
    return Check("first page", Outcome.FAILED, found, "run python app.py in a fresh clone, and mend what it says")


def _ready(app: Running, client: httpx.Client) -> Check:
    """Wait until the models are loaded and the store is filled."""
    found = "no answer"
    while time.monotonic() < app.started + READY_SECONDS and app.process.poll() is None:
        found = _call(client, "health", [])
        if '"loading"' not in found:
            break
        time.sleep(0.5)
    seconds = time.monotonic() - app.started
    ready = '"ok"' in found
    return checked(
        "models and store",
        ready,
        f"loaded after {seconds:.1f} s" if ready else f"{found[:200]}; {_last_words(app)}",
        "run python app.py and read its log",
    )


def _one_check(client: httpx.Client) -> Check:
    begun = time.monotonic()
    answer = _call(client, "verify", [CLAIM, False])
    found = f"a verdict after {time.monotonic() - begun:.1f} s" if '"verdict"' in answer else answer[:200]
    return checked("one check", '"verdict"' in answer, found, "check the same claim with python -m verifier verify")


def _call(client: httpx.Client, name: str, data: list[object]) -> str:
    """Return an endpoint's answer through the queue as event text, or why there is none."""
    import httpx

    try:
        event = client.post(f"/gradio_api/call/{name}", json={"data": data}).json().get("event_id", "")
        return client.get(f"/gradio_api/call/{name}/{event}").text[:MAX_ANSWER]
    except (httpx.HTTPError, ValueError) as exc:
        return f"no answer: {exc}"


def _text_of(client: httpx.Client, method: str, path: str, body: bytes | None) -> str:
    """Return what arrives of an answer.

    The server breaks some off in the middle when a request makes no sense to it.
    """
    import httpx

    text = ""
    with suppress(httpx.HTTPError), client.stream(method, path, content=body, headers=_JSON) as answer:
        for piece in answer.iter_text():
            text += piece
            if len(text) > MAX_ANSWER:
                break
    return text


def _queue(client: httpx.Client) -> Check:
    """Check that calls must queue: a visitor could otherwise start any number at once."""
    status = client.post("/gradio_api/run/verify", json={"data": [CLAIM, False]}).status_code
    return checked("queue", status == 404, f"/gradio_api/run answers {status}", "demo.queue(api_open=False)")


def _metrics(client: httpx.Client) -> Check:
    shown = "verifier_checks_total" in client.get("/metrics").text
    return checked("metrics", not shown, "shown to strangers" if shown else "not shown", "unset VERIFIER_METRICS")


def _errors(app: Running, client: httpx.Client) -> Check:
    """Check that no answer names a server path or shows a piece of the program."""
    paths = [path for path in (str(app.folder.parent), sys.prefix, str(Path.home())) if len(path) > 3]
    secrets = (*paths, "Traceback (most", "root:x:0:", "def main()")
    told = []
    for method, path, body in _BAD_REQUESTS:
        answer = _text_of(client, method, path, body)
        told += [f"{method} {path}: {secret}" for secret in secrets if secret in answer]
    for name, said in (("the page", client.get("/").text), ("an empty claim", _call(client, "verify", ["", False]))):
        told += [f"{name}: {secret}" for secret in secrets if secret in said]
    found = "; ".join(told)[:300] or f"{len(_BAD_REQUESTS) + 2} answers name no path of the server"
    return checked("error answers", not told, found, "let the handler raise gr.Error with a message of its own")


def _memory(app: Running) -> Check:
    status = Path(f"/proc/{app.process.pid}/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.is_file() else []
    peak = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
    if not peak:
        return Check("memory", Outcome.NOTE, "not measured: this system has no /proc")
    return checked("memory", peak < SPACE_MEMORY, f"{peak / 1e9:.2f} GB at most", "a Space has 16 GB")


def _nothing_kept(app: Running) -> Check:
    """Check that the claim is in no file the app wrote and nothing it printed."""
    kept = [
        str(path.relative_to(app.folder.parent))
        for path in sorted(app.folder.parent.rglob("*"))
        if path.is_file() and path.suffix != ".py" and _WORD in path.read_bytes()
    ]
    log = app.folder / "data" / "verifications.jsonl"
    found = ", ".join(kept + [str(log.name)] * log.exists())
    return checked(
        "nothing kept", not found, found[:300] or "the claim stands in no file and no output", "set VERIFIER_LOG=off"
    )
