"""Find a model on this machine, or fetch it from the hub on request.

The hub's own library builds the address, knows the user's token, and reports a file's size, commit and checksum. It
does not fetch the file: its failed transfers discard what they had, it tries for minutes without a network, and it
cannot be stopped half-way. Here, what has arrived stays in a `.part` file that names the expected checksum. Any later
call, from any process, continues where the last one ended. Only a whole and checked file gets its own name.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errors import DownloadCancelled, DownloadError
from models.hub.generators import GENERATORS, Choice, HubFile, Mode
from models.hub.probe import Remote, otherwise, probe

if TYPE_CHECKING:
    import httpx2

FOLDER = Path(__file__).parents[2] / "data" / "models"
"""Folder of fetched models, each as OWNER/NAME/FILE. Delete one to remove it."""
PROBE_SECONDS = 4.0
"""Seconds within which a hub must answer; the library itself would try for minutes."""
STALL_SECONDS = 20.0
"""Seconds without a byte after which a transfer ends."""
_REPORT_SECONDS = 0.1
_LOOK_SECONDS = 0.2

OnProgress = Callable[[int, int], None]
"""Called with the bytes here and the bytes of the whole file, about ten times a second."""


def find_local(choice: Choice, folder: Path = FOLDER, cache: Path | None = None) -> Path | None:
    """Return the local file for `choice`, or None. Opens no connection.

    A hub file is looked for in `folder`, then in the hub library's own cache (`cache`, or its usual place).
    """
    if choice is Mode.OFF:
        return None
    if choice is Mode.AUTO:
        found = (find_local(known.source, folder, cache) for known in GENERATORS)
        return next((path for path in found if path), None)
    if isinstance(choice, HubFile):
        ours = _place(choice, folder)
        return ours if ours.is_file() else _in_cache(choice, cache)
    return Path(choice) if os.path.isfile(choice) else None


def _place(source: HubFile, folder: Path) -> Path:
    return folder / source.repo / source.file


def _in_cache(source: HubFile, cache: Path | None) -> Path | None:
    # not hf_hub_download(local_files_only=True): that asks the hub for a list of user agents before it looks
    from huggingface_hub import constants, try_to_load_from_cache
    from huggingface_hub.file_download import repo_folder_name

    root = cache or Path(constants.HF_HUB_CACHE)
    newest = try_to_load_from_cache(source.repo, source.file, cache_dir=root)
    if isinstance(newest, str):
        return Path(newest)
    # a Space preloads a pinned commit, which no branch then points to
    snapshots = root / repo_folder_name(repo_id=source.repo, repo_type="model") / "snapshots"
    return next((path for path in sorted(snapshots.glob(f"*/{source.file}")) if path.is_file()), None)


@dataclass(frozen=True, slots=True)
class _Job:
    """One download: its source, its files, and where progress is reported."""

    source: HubFile
    remote: Remote
    target: Path
    part: Path
    on_progress: OnProgress
    cancel: threading.Event
    stall: float

    @property
    def have(self) -> int:
        """Bytes that have arrived so far, in this call or an earlier one."""
        return self.part.stat().st_size if self.part.exists() else 0

    @property
    def kept(self) -> str:
        """What an error says about the bytes kept so far."""
        return f"{_mb(self.have)} of {_mb(self.remote.size)} are kept in {self.part}"

    def check_cancel(self) -> None:
        if self.cancel.is_set():
            raise DownloadCancelled(
                f"the download of {self.source} was stopped; {self.kept}: the next one goes on there"
            )

    def failed(self, what: str) -> DownloadError:
        return DownloadError(
            f"cannot fetch {self.source}: {self.remote.url} {what}; {self.kept}: run it again to go on, {otherwise(self.source.file)}"
        )


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def download(
    source: HubFile,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    *,
    folder: Path = FOLDER,
    endpoint: str | None = None,
    probe_seconds: float = PROBE_SECONDS,
    stall_seconds: float = STALL_SECONDS,
) -> Path:
    """Return the path of the model, fetched into `folder` unless it is here already.

    Two calls for one file at once, in one process or two, take turns: the second finds what the first has fetched.
    `cancel` is checked after every piece that arrives (tens of kilobytes). `endpoint` is another hub's address.

    Raises:
        DownloadCancelled: `cancel` was set; what was fetched is kept.
        DownloadError: anything else that went wrong, in one line.
    """
    found = find_local(source, folder)
    if found:
        return found
    cancel = cancel or threading.Event()
    remote = probe(source, endpoint, probe_seconds, cancel)
    return fetch(source, remote, _place(source, folder), on_progress, cancel, stall_seconds=stall_seconds)


def fetch(
    source: HubFile,
    remote: Remote,
    target: Path,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
    *,
    stall_seconds: float = STALL_SECONDS,
) -> Path:
    """Fetch what `remote` describes to `target`, unless it is there; return it. See `download`.

    Raises:
        DownloadCancelled: `cancel` was set; what was fetched is kept.
        DownloadError: anything else that went wrong, in one line.
    """
    part = target.with_name(f"{target.name}.{remote.checksum[:12]}.part")
    job = _Job(
        source,
        remote,
        target,
        part,
        on_progress or (lambda done, total: None),
        cancel or threading.Event(),
        stall_seconds,
    )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _turn(job):
            return target if target.is_file() else _get(job)
    except OSError as exc:  # httpx2's errors are not OSErrors
        raise DownloadError(
            f"cannot write {exc.filename or part}: {exc.strerror or exc}; mend that and run it again: "
            "what was fetched before is kept"
        ) from exc


@contextmanager
def _turn(job: _Job) -> Iterator[None]:
    """Wait until no other call or process fetches this file; report its progress meanwhile."""
    from filelock import Timeout
    from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]

    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(
                    WeakFileLock(job.target.with_name(f"{job.target.name}.lock"), timeout=_LOOK_SECONDS)
                )
                break
            except Timeout:
                job.check_cancel()
                job.on_progress(job.have, job.remote.size)
        yield


def _get(job: _Job) -> Path:
    for old in job.part.parent.glob("*.part"):
        # left from a version of the file that the hub no longer serves
        if old != job.part and old.name.startswith(f"{job.target.name}."):
            old.unlink()
    if job.have > job.remote.size:
        job.part.unlink()
    missing = job.remote.size - job.have
    free = shutil.disk_usage(job.part.parent).free
    if free < missing:
        raise DownloadError(
            f"cannot fetch {job.source}: it needs {_mb(missing)} more, and {_mb(free)} are free in {job.part.parent}; "
            f"free some space, {otherwise(job.source.file)}"
        )
    job.check_cancel()
    if missing:
        _transfer(job)
    job.on_progress(job.remote.size, job.remote.size)
    found = job.remote.checksum_of(job.part)
    if found != job.remote.checksum:
        job.part.unlink()
        raise DownloadError(
            f"{job.source} arrived with another checksum than the hub names ({found[:12]}, not "
            f"{job.remote.checksum[:12]}) and was deleted; run it again, {otherwise(job.source.file)}"
        )
    job.part.replace(job.target)
    return job.target


def _transfer(job: _Job) -> None:
    """Bring the part file to its full size."""
    import httpx2
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    start = job.have
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}  # compressed bytes cannot be resumed
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        # the hub redirects to its storage; the client drops the user's token when the host changes
        with (
            httpx2.Client(follow_redirects=True, timeout=job.stall) as client,
            client.stream("GET", job.remote.url, headers=headers) as response,
        ):
            resumed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            if response.status_code not in {200, 206} or resumed != (response.status_code == 206):
                raise job.failed(f"answered with status {response.status_code}")
            _write(job, response, start if resumed else 0)
    except httpx2.TimeoutException as exc:
        raise job.failed(f"sent nothing for {job.stall:g} s") from exc
    except httpx2.HTTPError as exc:
        raise job.failed(f"broke off ({exc or type(exc).__name__})") from exc
    if job.have < job.remote.size:
        raise job.failed("ended too early")


def _write(job: _Job, response: httpx2.Response, done: int) -> None:
    total, told = job.remote.size, 0.0
    with job.part.open("ab" if done else "wb") as out:
        for piece in response.iter_raw():
            out.write(piece[: total - done])  # never more than promised; the checksum covers the rest
            done = min(total, done + len(piece))
            if time.monotonic() - told >= _REPORT_SECONDS:
                told = time.monotonic()
                job.on_progress(done, total)
            if job.cancel.is_set():
                out.flush()
                job.check_cancel()
        out.flush()
        os.fsync(out.fileno())  # a file under its own name is whole, even after a power cut
