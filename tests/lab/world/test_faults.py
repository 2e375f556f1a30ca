from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from errors import InputError
from lab.world import Fault, Faults, World
from lab.world.exchange import Request
from lab.world.wording import INJECTION
from tests.lab.world.conftest import Get

SEARCH = "/searxng/search?format=json&q=The+Halvard+Crossing+cost+310+million"


def spoil(world: World, **values: object) -> None:
    answer = httpx.post(f"{world.url}/world/faults", json={"rate": 1, **values}, trust_env=False)
    assert answer.status_code == 200, answer.text


def test_slow_answers_come_late(world: World, get: Get) -> None:
    assert Faults().slow_seconds > 6
    spoil(world, kinds=["slow"], slow_seconds=0.4)
    start = time.monotonic()
    assert get(SEARCH).is_success and time.monotonic() - start >= 0.4


def test_latency_is_added_to_every_answer_but_not_to_the_controls(world: World, get: Get) -> None:
    spoil(world, rate=0, latency=0.8)
    for address in (SEARCH, f"http://north-courier.localhost:{world.port}/"):
        start = time.monotonic()
        assert get(address).is_success and time.monotonic() - start >= 0.8
    start = time.monotonic()
    get("/world/requests")
    assert time.monotonic() - start < 0.7


@pytest.mark.parametrize(("kind", "status"), [("429", 429), ("503", 503)])
def test_refusals(world: World, get: Get, kind: str, status: int) -> None:
    spoil(world, kinds=[kind])
    answer = get(SEARCH)
    assert answer.status_code == status and ("Retry-After" in answer.headers) == (status == 429)


def test_a_cut_connection_ends_in_the_middle_of_the_body(world: World) -> None:
    spoil(world, kinds=["cut"])
    with socket.create_connection(("127.0.0.1", world.port), timeout=5) as connection:
        connection.sendall(f"GET {SEARCH} HTTP/1.1\r\nHost: 127.0.0.1:{world.port}\r\n\r\n".encode())
        received = b""
        while piece := connection.recv(65_536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    promised = int(next(line for line in head.split(b"\r\n") if line.startswith(b"Content-Length")).split()[1])
    assert 0 < len(body) < promised
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(world.url + SEARCH, trust_env=False)


def test_garbage_is_no_json(world: World, get: Get) -> None:
    spoil(world, kinds=["garbage"])
    with pytest.raises(ValueError):
        get(SEARCH).json()


def test_the_loop_of_redirects_has_no_end(world: World) -> None:
    spoil(world, kinds=["redirect-loop"])
    with (
        httpx.Client(trust_env=False, follow_redirects=True, max_redirects=30) as client,
        pytest.raises(httpx.TooManyRedirects),
    ):
        client.get(world.url + SEARCH)


def test_a_huge_page_is_over_thirty_megabytes(world: World) -> None:
    spoil(world, kinds=["huge"])
    size = 0
    with httpx.stream("GET", world.url + SEARCH, trust_env=False) as answer:
        size = sum(len(piece) for piece in answer.iter_bytes())
    assert size > 30_000_000


def test_a_wrong_charset_is_no_utf_8(world: World, get: Get) -> None:
    spoil(world, kinds=["charset"])
    for address in (SEARCH, f"http://north-courier.localhost:{world.port}/"):
        answer = get(address)
        assert "utf-8" in answer.headers["Content-Type"]
        with pytest.raises(UnicodeDecodeError):
            answer.content.decode("utf-8")


def test_injection_stands_in_snippets_and_pages(world: World, get: Get) -> None:
    spoil(world, kinds=["injection"])
    assert all(INJECTION in item["content"] for item in get(SEARCH).json()["results"])
    assert INJECTION in get(f"http://north-courier.localhost:{world.port}/").text


def statuses(seed: int) -> list[int]:
    with World(faults=Faults(0.5, (Fault.UNAVAILABLE,), seed)) as world, httpx.Client(trust_env=False) as client:
        return [client.get(f"{world.url}/searxng/search?format=json&q=bridge+{n}").status_code for n in range(30)]


def test_the_same_seed_gives_the_same_faults() -> None:
    assert statuses(1) == statuses(1) != statuses(2)
    assert 5 < statuses(1).count(503) < 25


def test_asking_again_can_end_otherwise() -> None:
    request = Request("GET", "127.0.0.1", "/searxng/search?q=a", {}, b"", 1)
    assert {Faults(0.5).choose(request, times) is None for times in range(20)} == {True, False}


def test_the_rate_is_kept() -> None:
    faults = Faults(0.3, seed=4)
    hit = [faults.choose(Request("GET", "127.0.0.1", f"/{n}", {}, b"", 1), 0) for n in range(2000)]
    assert 0.26 < sum(fault is not None for fault in hit) / 2000 < 0.34 and set(hit) - {None} == set(Fault)


def test_requests_are_counted_by_kind_and_can_be_reset(world: World, get: Get) -> None:
    get(SEARCH)
    get(SEARCH)
    get(f"http://north-courier.localhost:{world.port}/robots.txt")
    get(f"http://north-courier.localhost:{world.port}/")
    assert get("/world/requests").json() == {"total": 4, "kinds": {"searxng": 2, "robots": 1, "page": 1}, "faults": {}}
    spoil(world, kinds=["503"])
    get(SEARCH)
    assert world.requests()["faults"] == {"503": 1}
    httpx.post(f"{world.url}/world/reset", trust_env=False)
    assert world.requests()["total"] == 0 and get(SEARCH).status_code == 200


@pytest.mark.parametrize(
    "values", [{"rate": 2}, {"rate": "high"}, {"kinds": ["meteor"]}, {"latency": -1}, {"latency": 1e9}, {"speed": 1}]
)
def test_faults_that_make_no_sense_are_refused_in_one_line(world: World, values: dict[str, object]) -> None:
    answer = httpx.post(f"{world.url}/world/faults", json=values, trust_env=False)
    assert answer.status_code == 400 and "\n" not in answer.json()["error"] and world.town.faults == Faults()


def test_only_loopback_is_bound(world: World) -> None:
    hexadecimal = f"{world.port:04X}"
    listening = [
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]
    assert [address for address in listening if address.endswith(f":{hexadecimal}")] == [f"0100007F:{hexadecimal}"]
    assert f":{hexadecimal} " not in Path("/proc/net/tcp6").read_text() if Path("/proc/net/tcp6").exists() else True


def test_a_large_body_and_a_taken_port_are_refused(world: World) -> None:
    assert httpx.post(f"{world.url}/world/faults", content=b" " * 70_000, trust_env=False).status_code == 413
    with pytest.raises(InputError, match="cannot listen on port"):
        World(world.port).start()
    with pytest.raises(InputError, match="not running"):
        _ = World().url


def test_the_settings_name_every_service(world: World) -> None:
    everything, free = world.environment(), world.environment("free")
    assert everything["VERIFIER_DUCKDUCKGO_URL"] == f"{world.url}/duckduckgo"
    assert everything["VERIFIER_EVENT_REGISTRY_URL"] == f"{world.url}/eventregistry" and everything["BRAVE_API_KEY"]
    assert len(everything) == 21 and free.items() < everything.items() and not [name for name in free if "KEY" in name]
    domains = {domain: credibility for domain, _, credibility in world.domains()}
    assert domains["north-courier.localhost"] == 0.8 and domains["factline.localhost"] == 0.95
    assert "bargain-news.localhost" not in domains


def test_the_command_line_serves_until_it_is_stopped() -> None:
    import signal

    command = [sys.executable, "-m", "lab.world", "--port", "0", "--latency", "0", "--faults", "0"]

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests that run in the background of a shell ignore it

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heed) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if "Ctrl-C" in line:
                break
        settings = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
        assert sum("python -m verifier verify" in line for line in lines) == 3
        answer = httpx.get(f"{settings['VERIFIER_SEARXNG_URL']}/search?format=json&q=Halvard+Crossing", trust_env=False)
        assert json.loads(answer.content)["results"]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
