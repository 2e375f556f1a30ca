"""Look up a hub classifier before fetching anything large, and choose its files.

Only data is ever taken: a configuration, a tokenizer, and weights as safetensors or ONNX. Pickled weights run code when
they are loaded, and so does a repository that brings its own; both are refused.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from errors import DownloadError, ModelError
from models.hub.probe import Remote, ask_hub, otherwise
from models.reader import TOKENIZER

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

CONFIG = "config.json"
NETWORKS = ("onnx/model.onnx", "model.onnx", "model.safetensors")
"""Where weights may be, in the order of search: with ONNX, reading needs no torch."""
_PICKLED = {".bin", ".pt", ".pth", ".ckpt", ".pkl", ".h5", ".msgpack"}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_CHECKSUM = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a repository."""

    name: str
    remote: Remote


@dataclass(frozen=True, slots=True)
class Listing:
    """A repository at one commit: its owner's stated licence, and the files a reader needs."""

    repo: str
    commit: str
    licence: str
    config: RemoteFile
    tokenizer: RemoteFile
    network: RemoteFile

    @property
    def files(self) -> tuple[RemoteFile, ...]:
        """The files to fetch, the smallest first."""
        return (self.config, self.tokenizer, self.network)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.remote.size for file in self.files)


def look_up(repo: str, endpoint: str | None, seconds: float, cancel: threading.Event) -> Listing:
    """Ask the hub once what `repo` holds; `endpoint` is another hub's address.

    Raises:
        DownloadCancelled: `cancel` was set.
        DownloadError: the hub cannot be reached, does not answer as a hub does, or has no such repository.
        ModelError: the repository lacks a file, or has its weights in a form that is not taken.
    """
    from huggingface_hub import HfApi, constants

    host = endpoint or constants.ENDPOINT
    url = f"{host}/api/models/{repo}"

    def ask() -> ModelInfo:
        try:
            return HfApi(endpoint=host).model_info(repo, files_metadata=True, timeout=seconds)
        except (TypeError, KeyError, AttributeError) as exc:
            raise ValueError("its answer is not a hub's") from exc

    info = ask_hub(repo, url, ask, seconds, cancel)
    files = _files(info, host)
    if not _COMMIT.fullmatch(info.sha or "") or not files:
        raise DownloadError(
            f"cannot fetch {repo}: {url} does not answer as a model hub does (commit {info.sha}, {len(files)} files); "
            f"see whether the network wants a login, {otherwise(repo)}"
        )
    _check_files(repo, files)
    network = next(files[name] for name in NETWORKS if _whole(name, files))
    return Listing(repo, str(info.sha), _licence(info), files[CONFIG], files[TOKENIZER], network)


def _files(info: ModelInfo, host: str) -> dict[str, RemoteFile]:
    """Return name -> file, for all files whose size and checksum the hub states."""
    from huggingface_hub import hf_hub_url

    found = {}
    for entry in info.siblings or ():
        checksum = entry.lfs.sha256 if entry.lfs else entry.blob_id
        if entry.size and _CHECKSUM.fullmatch(checksum or ""):
            url = hf_hub_url(info.id, entry.rfilename, revision=info.sha, endpoint=host)
            found[entry.rfilename] = RemoteFile(entry.rfilename, Remote(url, entry.size, str(checksum)))
    return found


def _whole(name: str, files: dict[str, RemoteFile]) -> bool:
    """Whether the weights are there in one file; ONNX may keep them in others."""
    return name in files and not {f"{name}_data", f"{name}.data"} & files.keys()


def _check_files(repo: str, files: dict[str, RemoteFile]) -> None:
    for name in (CONFIG, TOKENIZER):
        if name not in files:
            raise ModelError(f"{repo} has no {name}, which a reader needs; choose another repository")
    if any(_whole(name, files) for name in NETWORKS):
        return
    pickled = sorted(name for name in files if PurePosixPath(name).suffix in _PICKLED)
    if pickled:
        raise ModelError(
            f"{repo} has its weights only as {pickled[0]}, a format that can run code; "
            f"a reader needs {' or '.join(NETWORKS[1:])}; choose another repository, or ask its owner for safetensors"
        )
    raise ModelError(f"{repo} has no weights in one file ({', '.join(NETWORKS)}); choose another repository")


def _licence(info: ModelInfo) -> str:
    stated = info.card_data.get("license") if info.card_data else None
    tagged = (tag.partition(":")[2] for tag in info.tags or () if tag.startswith("license:"))
    return str(stated or next(tagged, "none stated"))
