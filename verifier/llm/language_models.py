"""List the instruct models that a user may download; download one with progress and cancellation."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from errors import InputError, VerifierError
from models.hub.download import FOLDER, download, find_local
from models.hub.generators import GENERATORS, NAMES, KnownGenerator, find_known

_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class ModelState:
    """A known model, and whether it is on this machine."""

    model: KnownGenerator
    here: bool


@dataclass(frozen=True, slots=True)
class Fetched:
    """Bytes received, and the total."""

    done: int
    total: int


def known_models(folder: Path = FOLDER) -> list[ModelState]:
    """List all known models, in the order of lookup. Opens no connection."""
    return [ModelState(known, find_local(known.source, folder) is not None) for known in GENERATORS]


def fetch(name: str, folder: Path = FOLDER, endpoint: str | None = None) -> Iterator[Fetched]:
    """Download a known model, reporting progress about twice a second.

    Closing the iterator stops the download and keeps what has arrived.

    Args:
        name: one of `known_models`.
        folder: where models are kept.
        endpoint: another hub's address.

    Raises:
        InputError: there is no such model.
        DownloadError: it cannot be fetched; the text says what to do.
    """
    known = find_known(name)
    if known is None:
        raise InputError(f"the model must be one of {NAMES}, not {name!r}")
    cancel = threading.Event()
    told: queue.SimpleQueue[Fetched | VerifierError | None] = queue.SimpleQueue()
    worker = threading.Thread(
        target=_fetch, args=(known, folder, endpoint, cancel, told), name=f"fetch {name}", daemon=True
    )
    worker.start()
    try:
        yield from _heard(told)
    finally:
        cancel.set()


def _heard(told: queue.SimpleQueue[Fetched | VerifierError | None]) -> Iterator[Fetched]:
    last = Fetched(0, 0)
    while True:
        try:
            news = told.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            yield last  # lets a watcher leave
            continue
        if news is None:
            return
        if isinstance(news, VerifierError):
            raise news
        last = news
        yield news


def _fetch(
    known: KnownGenerator,
    folder: Path,
    endpoint: str | None,
    cancel: threading.Event,
    told: queue.SimpleQueue[Fetched | VerifierError | None],
) -> None:
    try:
        download(
            known.source, lambda done, total: told.put(Fetched(done, total)), cancel, folder=folder, endpoint=endpoint
        )
        told.put(None)
    except VerifierError as exc:
        told.put(exc)
