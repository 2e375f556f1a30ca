"""Ask the hub for the commit, size and checksum of a file, and explain failures."""

from __future__ import annotations

import hashlib
import queue
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from errors import DownloadCancelled, DownloadError
from models.files import sha256_of
from models.hub.generators import HubFile

if TYPE_CHECKING:
    from huggingface_hub import HfFileMetadata

_BY_HAND = {
    ".gguf": "or download the file by hand and set VERIFIER_LLM=PATH",
    ".parquet": "or download the file by hand and run: python -m kb packs add FILE",
}
_LOOK_SECONDS = 0.05
_SHA256 = re.compile(r"[0-9a-f]{64}")


Answer = TypeVar("Answer")


def otherwise(name: str) -> str:
    """Return closing advice for a failed download of `name` that a retry may not fix."""
    return _BY_HAND.get(PurePath(name.lower()).suffix, "or come back later: the reader at hand stays in use")


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on the hub: its address at one commit, size in bytes, and checksum.

    The checksum is a SHA-256, or for small files the SHA-1 used by git.
    """

    url: str
    size: int
    checksum: str

    def checksum_of(self, path: Path) -> str:
        """Compute the same kind of checksum for the file at `path`."""
        if len(self.checksum) == 64:
            return sha256_of(path)
        content = path.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def probe(source: HubFile, endpoint: str | None, seconds: float, cancel: threading.Event) -> Remote:
    """Ask the hub once for a file's commit, size and checksum.

    Connecting and answering may take `seconds` each; the call ends after twice that in any case.

    Raises:
        DownloadCancelled: `cancel` was set.
        DownloadError: no answer, or one that names no such file.
    """
    from huggingface_hub import get_hf_file_metadata

    url = source.url(endpoint)
    answer = ask_hub(str(source), url, lambda: get_hf_file_metadata(url, timeout=seconds), seconds, cancel)
    return _remote(answer, source, url, endpoint)


def ask_hub(name: str, url: str, ask: Callable[[], Answer], seconds: float, cancel: threading.Event) -> Answer:
    """Return the answer of `ask`, which asks the hub; wait up to twice `seconds`.

    `url` and `name` are the question's, for error messages.

    Raises:
        DownloadCancelled: `cancel` was set.
        DownloadError: no answer, or a refusal.
    """
    answers: queue.SimpleQueue[tuple[Answer] | Exception] = queue.SimpleQueue()
    # a separate thread, abandoned if need be: no timeout covers the system's name look-up
    threading.Thread(target=_ask, args=(ask, answers), daemon=True).start()
    end = time.monotonic() + 2 * seconds
    while time.monotonic() < end:
        if cancel.is_set():
            raise DownloadCancelled(f"the download of {name} was stopped before it began")
        try:
            answer = answers.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            continue
        if isinstance(answer, Exception):
            raise DownloadError(f"cannot fetch {name}: {_explain(answer, name, url)}") from answer
        return answer[0]
    raise DownloadError(
        f"cannot fetch {name}: {url} did not answer within {2 * seconds:g} s; check the network, {otherwise(name)}"
    )


def _ask(ask: Callable[[], Answer], answers: queue.SimpleQueue[tuple[Answer] | Exception]) -> None:
    import httpx2
    from huggingface_hub import constants

    # otherwise the library first asks the hub for a list of user agents, and reports the installed libraries
    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        answers.put((ask(),))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as exc:
        answers.put(exc)


def _remote(answer: HfFileMetadata, source: HubFile, url: str, endpoint: str | None) -> Remote:
    if not answer.commit_hash or not answer.size or not _SHA256.fullmatch(answer.etag or ""):
        raise DownloadError(
            f"cannot fetch {source}: {url} does not answer as a model hub does (commit {answer.commit_hash}, size "
            f"{answer.size}, sha256 {answer.etag}); see whether the network wants a login, {otherwise(source.file)}"
        )
    return Remote(source.url(endpoint, answer.commit_hash), answer.size, str(answer.etag))


def _explain(error: Exception, name: str, url: str) -> str:
    """Say what happened, at which address, and how to fix it."""
    from huggingface_hub import errors

    page = url.partition("/resolve/")[0].replace("/api/models/", "/")
    if isinstance(error, errors.GatedRepoError):
        return f"its owner wants to be asked first; agree at {page}, then log in with: hf auth login"
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return f"the repository has no file {name.partition(':')[2]}; see which it has at {page}/tree/main"
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        if status in {401, 403}:
            return (
                f"{page} does not exist or is not open to you (status {status}); check the name, or run: hf auth login"
            )
        if status == 404:
            return f"there is no repository at {page}; check the name"
        return f"{url} answered with status {status}; try again later, {otherwise(name)}"
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"HF_HUB_OFFLINE is set, so {url} was not asked; unset it, {otherwise(name)}"
    reason = str(error).partition("\n")[0] or type(error).__name__
    return f"{url} cannot be reached ({reason}); check the network, {otherwise(name)}"
