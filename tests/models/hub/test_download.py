"""A model fetched over HTTP from a hub on loopback that speaks the real one's protocol, and misbehaves in known ways."""

from __future__ import annotations

import hashlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import DownloadCancelled, DownloadError
from models.hub.download import download, find_local
from models.hub.generators import GENERATORS, HubFile, Mode
from tests.models.fake_hub import COMMIT, PIECE, FakeHub

ROOT = Path(__file__).parents[3]
SOURCE = HubFile("owner/name", "model-q4.gguf")
CONTENT = random.Random(1).randbytes(40 * PIECE + 123)
HALF = 20 * PIECE


@pytest.fixture(scope="module")
def server() -> Iterator[HTTPServer]:
    """One that answers many at once."""
    with HTTPServer(threaded=True) as server:
        yield server


@pytest.fixture
def hub(server: HTTPServer) -> Iterator[FakeHub]:
    """A hub that has one model."""
    hub = FakeHub(server)
    hub.add(SOURCE.repo, SOURCE.file, CONTENT)
    server.clear()
    server.expect_request(re.compile(".*")).respond_with_handler(hub.answer)
    yield hub
    hub.wake.set()


def fetch(hub: FakeHub, folder: Path, source: HubFile = SOURCE, **options: object) -> Path:
    return download(source, folder=folder, endpoint=hub.endpoint, **options)  # type: ignore[arg-type]


def parts(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.part"))


def test_a_download_arrives_whole_with_progress_to_the_end(hub: FakeHub, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    path = fetch(hub, tmp_path, on_progress=lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert path == tmp_path / "owner/name/model-q4.gguf" == find_local(SOURCE, tmp_path)
    assert told == sorted(told) and told[-1] == (len(CONTENT), len(CONTENT)) and len(told) >= 2
    assert not parts(tmp_path)
    resolved = [request.path for request in hub.asked("GET") if "resolve" in request.path]
    assert resolved == [
        f"/owner/name/resolve/{COMMIT}/model-q4.gguf"
    ]  # the commit that was asked about, not a later one


def test_a_second_call_asks_nobody(hub: FakeHub, tmp_path: Path) -> None:
    path = fetch(hub, tmp_path)
    before = len(hub.seen)
    assert fetch(hub, tmp_path) == path
    assert len(hub.seen) == before


def test_the_token_goes_to_the_hub_and_to_nobody_else(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_user")
    fetch(hub, tmp_path)
    tokens = {request.path.split("/")[1]: request.headers.get("Authorization") for request in hub.seen}
    assert tokens == {"owner": "Bearer hf_of_the_user", "storage": None}


def test_a_wrong_checksum_leaves_nothing_behind(hub: FakeHub, tmp_path: Path) -> None:
    hub.checksums[f"{SOURCE.repo}/{SOURCE.file}"] = "0" * 64
    with pytest.raises(DownloadError, match=r"another checksum .* not 000000000000\) and was deleted; run it again"):
        fetch(hub, tmp_path)
    assert not parts(tmp_path) and find_local(SOURCE, tmp_path) is None


@pytest.mark.parametrize(
    ("source", "refusal", "message"),
    [
        (HubFile("owner/none", "a.gguf"), None, r"there is no repository at http://localhost:\d+/owner/none; check"),
        (HubFile("owner/name", "none.gguf"), None, r"has no file none.gguf; see which .*/owner/name/tree/main"),
        (SOURCE, (401, "GatedRepo"), r"agree at http://localhost:\d+/owner/name, then log in with: hf auth login"),
        (SOURCE, (401, ""), r"not open to you \(status 401\); check the name, or run: hf auth login"),
        (SOURCE, (503, ""), r"/owner/name/resolve/main/.* answered with status 503; try again later, or download"),
    ],
    ids=["no repository", "no file", "gated", "closed", "busy"],
)
def test_what_the_hub_refuses_is_explained(
    hub: FakeHub, tmp_path: Path, source: HubFile, refusal: tuple[int, str] | None, message: str
) -> None:
    hub.refusal = refusal
    with pytest.raises(DownloadError, match=message) as caught:
        fetch(hub, tmp_path, source)
    assert str(caught.value).startswith(f"cannot fetch {source}: ") and "\n" not in str(caught.value)
    assert not hub.asked("GET")


def test_something_that_is_no_hub_is_told(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request(re.compile(".*")).respond_with_data("Welcome to the hotel's network. Log in!")
    with pytest.raises(DownloadError, match="does not answer as a model hub does .* wants a login"):
        download(SOURCE, folder=tmp_path, endpoint=httpserver.url_for("").rstrip("/"))


def test_no_network_is_told_at_once(tmp_path: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(DownloadError, match=r"http://127.0.0.1:9/owner.* cannot be reached .*set VERIFIER_LLM=PATH"):
        download(SOURCE, folder=tmp_path, endpoint="http://127.0.0.1:9")
    assert time.monotonic() - begin < 10  # the library alone tries for 23 s


def test_a_hub_that_never_answers_is_given_up_and_can_be_left_sooner(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hole:  # takes connections and says nothing
        endpoint = f"http://127.0.0.1:{hole.getsockname()[1]}"
        begin = time.monotonic()
        with pytest.raises(DownloadError, match="cannot be reached|did not answer"):
            download(SOURCE, folder=tmp_path, endpoint=endpoint, probe_seconds=0.5)
        assert time.monotonic() - begin < 20
        cancel = threading.Event()
        threading.Timer(0.2, cancel.set).start()
        begin = time.monotonic()
        with pytest.raises(DownloadCancelled, match="before it began"):
            download(SOURCE, cancel=cancel, folder=tmp_path, endpoint=endpoint, probe_seconds=60)
        assert time.monotonic() - begin < 20


def test_a_hub_that_answers_letter_by_letter_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip() -> None:
            connection, _ = slow.accept()
            with connection, suppress(OSError):
                for letter in "HTTP/1.1 200 OK\r\nX: " + "y" * 2_000:  # never silent as long as a time-out needs
                    connection.send(letter.encode())
                    time.sleep(0.05)

        threading.Thread(target=drip, daemon=True).start()
        begin = time.monotonic()
        with pytest.raises(DownloadError, match=r"did not answer within 1 s; check the network, or download"):
            download(SOURCE, folder=tmp_path, endpoint=f"http://127.0.0.1:{slow.getsockname()[1]}", probe_seconds=0.5)
        assert time.monotonic() - begin < 20


def test_a_server_that_stops_sending_is_given_up(hub: FakeHub, tmp_path: Path) -> None:
    hub.after, hub.silent = HALF, True
    begin = time.monotonic()
    with pytest.raises(DownloadError, match=r"sent nothing for 0.5 s; 0.3 MB of 0.7 MB are kept in .*\.part"):
        fetch(hub, tmp_path, stall_seconds=0.5)
    assert time.monotonic() - begin < 20
    assert parts(tmp_path)[0].stat().st_size == HALF


def test_a_cut_connection_is_continued_where_it_broke(hub: FakeHub, tmp_path: Path) -> None:
    hub.after = HALF
    with pytest.raises(
        DownloadError, match=r"broke off .* 0.3 MB of 0.7 MB are kept in .*: run it again to go on, or download"
    ):
        fetch(hub, tmp_path)
    hub.after, told = None, list[int]()
    path = fetch(hub, tmp_path, on_progress=lambda done, total: told.append(done))
    assert path.read_bytes() == CONTENT
    assert hub.seen[-1].headers["Range"] == f"bytes={HALF}-"
    assert told[0] > HALF


def test_a_stopped_download_is_continued(hub: FakeHub, tmp_path: Path) -> None:
    cancel = threading.Event()
    with pytest.raises(DownloadCancelled, match=r"was stopped; .* are kept in .*\.part: the next one goes on there"):
        fetch(hub, tmp_path, on_progress=lambda done, total: cancel.set(), cancel=cancel)
    kept = parts(tmp_path)[0].stat().st_size
    assert 0 < kept < len(CONTENT)
    assert fetch(hub, tmp_path).read_bytes() == CONTENT
    assert hub.seen[-1].headers["Range"] == f"bytes={kept}-"


def test_a_server_that_cannot_go_on_in_the_middle_begins_anew(hub: FakeHub, tmp_path: Path) -> None:
    hub.after = HALF
    with pytest.raises(DownloadError):
        fetch(hub, tmp_path)
    hub.after, hub.ranges = None, False
    assert fetch(hub, tmp_path).read_bytes() == CONTENT


def test_a_part_that_only_lacks_its_name_is_not_fetched_again(hub: FakeHub, tmp_path: Path) -> None:
    path = fetch(hub, tmp_path)
    path.rename(path.with_name(f"{path.name}.{hashlib.sha256(CONTENT).hexdigest()[:12]}.part"))
    gets = len(hub.asked("GET"))
    assert fetch(hub, tmp_path).read_bytes() == CONTENT
    assert len(hub.asked("GET")) == gets


def test_a_file_that_changed_on_the_hub_is_not_mixed_with_the_old_part(hub: FakeHub, tmp_path: Path) -> None:
    hub.after = HALF
    with pytest.raises(DownloadError):
        fetch(hub, tmp_path)
    hub.after, changed = None, CONTENT[::-1]
    hub.add(SOURCE.repo, SOURCE.file, changed)
    assert fetch(hub, tmp_path).read_bytes() == changed
    assert not parts(tmp_path) and "Range" not in hub.seen[-1].headers


def test_a_disk_too_small_is_told_before_anything_is_fetched(hub: FakeHub, tmp_path: Path) -> None:
    hub.sizes[f"{SOURCE.repo}/{SOURCE.file}"] = 10**18
    with pytest.raises(
        DownloadError,
        match=rf"needs 1,000,000,000,000.0 MB more, and [\d,.]+ MB are free in {tmp_path}/owner/name; free",
    ):
        fetch(hub, tmp_path)
    assert not hub.asked("GET")


def test_a_disk_that_is_full_in_the_middle_is_told(hub: FakeHub, tmp_path: Path) -> None:
    part = tmp_path / "owner/name" / f"model-q4.gguf.{hashlib.sha256(CONTENT).hexdigest()[:12]}.part"
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with pytest.raises(
        DownloadError, match=rf"cannot write {part}: No space left on device; mend that and run it again"
    ):
        fetch(hub, tmp_path)


def test_a_folder_that_cannot_be_made_is_told(hub: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "owner").write_text("a file in the folder's place")
    with pytest.raises(DownloadError, match=rf"cannot write {tmp_path}/owner/name: Not a directory"):
        fetch(hub, tmp_path)


def test_two_downloads_of_one_file_at_once_fetch_it_once(hub: FakeHub, tmp_path: Path) -> None:
    hub.after, hub.silent = HALF, True  # the first holds its turn until it is woken
    told: list[int] = []
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(fetch, hub, tmp_path)
        while not parts(tmp_path) or parts(tmp_path)[0].stat().st_size < HALF:
            time.sleep(0.01)
        hub.after = None
        second = pool.submit(fetch, hub, tmp_path, on_progress=lambda done, total: told.append(done))
        while not told:
            time.sleep(0.01)
        assert told[0] == HALF  # the one that waits tells how far the other is
        hub.silent = False
        hub.wake.set()
        with pytest.raises(DownloadError, match="broke off"):
            first.result()
        assert second.result().read_bytes() == CONTENT


def test_many_at_once_share_one_transfer(hub: FakeHub, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        paths = {job.result() for job in [pool.submit(fetch, hub, tmp_path) for _ in range(4)]}
    assert [path.read_bytes() for path in paths] == [CONTENT]
    assert len([request for request in hub.asked("GET") if "storage" in request.path]) == 1


def test_one_that_waits_its_turn_can_be_stopped(hub: FakeHub, tmp_path: Path) -> None:
    hub.after, hub.silent = HALF, True
    cancel = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(fetch, hub, tmp_path)
        while not parts(tmp_path):
            time.sleep(0.01)
        with pytest.raises(DownloadCancelled):
            fetch(hub, tmp_path, on_progress=lambda done, total: cancel.set(), cancel=cancel)
        hub.wake.set()
        with pytest.raises(DownloadError):
            first.result()


class TestFindLocal:
    """What is on this machine is found without a connection; the command line's test counts the requests."""

    def cached(self, cache: Path, source: HubFile, branch: bool) -> Path:
        """A file as the hub's own library lays it down."""
        repo = cache / f"models--{source.repo.replace('/', '--')}"
        path = repo / "snapshots" / COMMIT / source.file
        path.parent.mkdir(parents=True)
        path.write_bytes(b"weights")
        if branch:
            (repo / "refs").mkdir()
            (repo / "refs/main").write_text(COMMIT)
        return path

    @pytest.mark.parametrize("branch", [True, False], ids=["by branch", "by commit"])
    def test_a_file_in_the_cache_of_the_hub(self, tmp_path: Path, branch: bool) -> None:
        path = self.cached(tmp_path, SOURCE, branch)
        assert find_local(SOURCE, tmp_path / "ours", tmp_path) == path
        assert find_local(HubFile(SOURCE.repo, "other.gguf"), tmp_path / "ours", tmp_path) is None

    def test_auto_takes_the_first_known_one_that_is_here(self, tmp_path: Path) -> None:
        assert find_local(Mode.AUTO, tmp_path / "ours", tmp_path) is None
        third = self.cached(tmp_path, GENERATORS[2].source, branch=True)
        assert find_local(Mode.AUTO, tmp_path / "ours", tmp_path) == third
        first = self.cached(tmp_path, GENERATORS[0].source, branch=True)
        assert find_local(Mode.AUTO, tmp_path / "ours", tmp_path) == first
        assert find_local(Mode.OFF, tmp_path / "ours", tmp_path) is None

    def test_a_path_of_the_users_own(self, tmp_path: Path) -> None:
        (tmp_path / "mine.gguf").touch()
        assert find_local(tmp_path / "mine.gguf") == tmp_path / "mine.gguf"
        assert find_local(tmp_path / "none.gguf") is None

    def test_half_a_file_is_none(self, hub: FakeHub, tmp_path: Path) -> None:
        hub.after = HALF
        with pytest.raises(DownloadError):
            fetch(hub, tmp_path)
        assert find_local(SOURCE, tmp_path, tmp_path) is None


Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def run(hub: FakeHub, tmp_path: Path) -> Iterator[Run]:
    """`python -m models ARGUMENTS` as a user runs it, with the hub that HF_ENDPOINT names."""
    # tests that run in the background ignore Ctrl-C, and what they start would inherit that
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    env = {**os.environ, "HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path / "home")}

    def run(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "models", *arguments, "--folder", str(tmp_path / "models")]
        return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    yield run
    signal.signal(signal.SIGINT, before)


def test_the_list_says_what_is_here_and_asks_nobody(run: Run, hub: FakeHub, tmp_path: Path) -> None:
    here = tmp_path / "models" / GENERATORS[1].source.repo / GENERATORS[1].source.file
    here.parent.mkdir(parents=True)
    here.touch()
    out, err = run("list").communicate(timeout=60)
    assert f"on this machine: {here}" in out and "download qwen3.5-2b" in out and "download qwen3.5-4b" not in out
    assert all(known.name in out and known.licence in out for known in GENERATORS)
    assert err == "" and hub.seen == []


def test_the_command_downloads_with_a_bar(run: Run, hub: FakeHub, tmp_path: Path) -> None:
    known = GENERATORS[0].source
    hub.add(known.repo, known.file, CONTENT)
    process = run("download")
    out, err = process.communicate(timeout=60)
    path = tmp_path / "models" / known.repo / known.file
    assert process.returncode == 0 and path.read_bytes() == CONTENT
    assert out == f"{path}\nto use it, start the app with VERIFIER_LLM={path}\n"
    assert f"{known.file}: 100%" in err
    assert {request.path.split("/")[1] for request in hub.seen} == {"unsloth", "storage"}  # and no telemetry


def test_ctrl_c_keeps_the_part_and_says_how_to_go_on(run: Run, hub: FakeHub, tmp_path: Path) -> None:
    hub.after, hub.silent = HALF, True
    process = run("download", str(SOURCE))
    while not parts(tmp_path) or parts(tmp_path)[0].stat().st_size < HALF:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("stopped; what has arrived is kept, and the same command goes on from there\n")
    hub.after, hub.silent = None, False
    process = run("download", str(SOURCE))
    out, _ = process.communicate(timeout=60)
    assert Path(out.split("\n")[0]).read_bytes() == CONTENT
    assert hub.seen[-1].headers["Range"] == f"bytes={HALF}-"


def test_the_command_tells_an_error_in_one_line(run: Run, hub: FakeHub) -> None:
    for model, message in (("nonsense", "one of qwen3.5-2b, "), ("owner/none:a.gguf", "there is no repository at")):
        process = run("download", model)
        _, err = process.communicate(timeout=60)
        last = err.rstrip("\n").rpartition("\n")[2].rpartition("\r")[2]
        assert process.returncode == 2 and last.startswith("error: ") and message in last
