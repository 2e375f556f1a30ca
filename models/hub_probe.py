"""What the hub says of a file before it is fetched: commit, size and checksum; and what it means when it does not say."""

from __future__ import annotations

import queue
import re
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors import DownloadCancelled, DownloadError
from models.generators import HubFile

if TYPE_CHECKING:
    from huggingface_hub import HfFileMetadata

BY_HAND = "or download the file by hand and set VERIFIER_LLM=PATH"
"""How every message about a failed download ends that a new try may not mend."""
_LOOK_SECONDS = 0.05
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as the hub has it: the address of this very commit's, its size in bytes, and its SHA-256."""

    url: str
    size: int
    sha256: str


def probe(source: HubFile, endpoint: str | None, seconds: float, cancel: threading.Event) -> Remote:
    """Ask the hub, once. Connecting and answering may take `seconds` each; twice that is the end in any case.

    Raises:
        DownloadCancelled: `cancel` was set.
        DownloadError: no answer, or one that names no such file.
    """
    from huggingface_hub import hf_hub_url

    url = hf_hub_url(source.repo, source.file, endpoint=endpoint)
    answers: queue.SimpleQueue[HfFileMetadata | Exception] = queue.SimpleQueue()
    # a thread of its own, left behind if need be: no timeout reaches the system's look-up of a name
    threading.Thread(target=_ask, args=(url, seconds, answers), daemon=True).start()
    end = time.monotonic() + 2 * seconds
    while time.monotonic() < end:
        if cancel.is_set():
            raise DownloadCancelled(f"the download of {source} was stopped before it began")
        try:
            answer = answers.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            continue
        if isinstance(answer, Exception):
            raise DownloadError(f"cannot fetch {source}: {_explain(answer, source, url)}") from answer
        return _remote(answer, source, url, endpoint)
    raise DownloadError(
        f"cannot fetch {source}: {url} did not answer within {2 * seconds:g} s; check the network, {BY_HAND}"
    )


def _ask(url: str, seconds: float, answers: queue.SimpleQueue[HfFileMetadata | Exception]) -> None:
    import httpx2
    from huggingface_hub import constants, get_hf_file_metadata

    # else the library asks the hub for a list of user agents first, and tells it which libraries are installed
    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        answers.put(get_hf_file_metadata(url, timeout=seconds))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as exc:
        answers.put(exc)


def _remote(answer: HfFileMetadata, source: HubFile, url: str, endpoint: str | None) -> Remote:
    from huggingface_hub import hf_hub_url

    if not answer.commit_hash or not answer.size or not _SHA256.fullmatch(answer.etag or ""):
        raise DownloadError(
            f"cannot fetch {source}: {url} does not answer as a model hub does (commit {answer.commit_hash}, size "
            f"{answer.size}, sha256 {answer.etag}); see whether the network wants a login, {BY_HAND}"
        )
    pinned = hf_hub_url(source.repo, source.file, revision=answer.commit_hash, endpoint=endpoint)
    return Remote(pinned, answer.size, str(answer.etag))


def _explain(error: Exception, source: HubFile, url: str) -> str:
    """What happened, at which address, and how to mend it."""
    from huggingface_hub import errors

    page = url.partition("/resolve/")[0]
    if isinstance(error, errors.GatedRepoError):
        return f"its owner wants to be asked first; agree at {page}, then log in with: hf auth login"
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return f"the repository has no file {source.file}; see which it has at {page}/tree/main"
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        if status in {401, 403}:
            return (
                f"{page} does not exist or is not open to you (status {status}); check the name, or run: hf auth login"
            )
        if status == 404:
            return f"there is no repository at {page}; check the name"
        return f"{url} answered with status {status}; try again later, {BY_HAND}"
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"HF_HUB_OFFLINE is set, so {url} was not asked; unset it, {BY_HAND}"
    reason = str(error).partition("\n")[0] or type(error).__name__
    return f"{url} cannot be reached ({reason}); check the network, {BY_HAND}"
