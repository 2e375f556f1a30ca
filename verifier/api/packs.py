"""List and change the packs of the evidence store.

Adding one reports its progress, and can be stopped and resumed. Packs can be changed only on the machine itself: a pack
fills its disk and keeps its processor busy for an hour.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from errors import InputError, VerifierError
from verifier.api.bounds import check_may_change
from verifier.settings import Settings

if TYPE_CHECKING:
    from kb.intake.known_packs import KnownPack, Shard
    from kb.intake.pack_files import Pack
    from kb.intake.packs import PackReport
    from verifier.api.knowledge import Backing

PACKS = Path(__file__).parents[2] / "data" / "packs"
"""Folder for fetched pack files, which may be deleted once the pack is stored."""
_LOOK_SECONDS = 0.5
_ONE = threading.Lock()
"""Allows one pack at a time per process; a stopped run finishes its current part."""


@dataclass(frozen=True, slots=True)
class PackState:
    """A pack that is known by name or is in the store.

    `gb` and `articles` are 0 for a pack from a file; `passages` is 0 if the pack is not in the store.
    """

    name: str
    note: str = ""
    licence: str = ""
    articles: int = 0
    gb: float = 0.0
    passages: int = 0
    off: bool = False


@dataclass(frozen=True, slots=True)
class PackNews:
    """Progress while a pack is added; the last one has the report.

    `total` is 0 while it is not known.
    """

    what: str
    done: int = 0
    total: int = 0
    unit: str = ""
    report: PackReport | None = None


Tell = Callable[[PackNews], None]


class Packs:
    """The operations on the packs of one store. Safe to share between threads."""

    def __init__(self, backing: Backing, settings: Settings, folder: Path = PACKS, endpoint: str | None = None) -> None:
        """Fetch files from the hub into `folder`; `endpoint` is the address of another hub."""
        self._backing, self._settings, self._folder, self._endpoint = backing, settings, folder, endpoint

    @property
    def _uri(self) -> str:
        if self._backing.store is None:
            raise InputError("this verifier was started without an evidence store")
        return self._backing.store.uri

    def states(self) -> tuple[PackState, ...]:
        """List the packs in the store, then the others that are known by name.

        Raises:
            StoreError: the store cannot be read.
        """
        from kb.intake.held_packs import held_packs
        from kb.intake.known_packs import KNOWN

        known = {pack.name: PackState(pack.name, pack.note, pack.licence, pack.articles, pack.gb) for pack in KNOWN}
        held = {
            pack.name: replace(known.get(pack.name, PackState(pack.name)), passages=pack.passages, off=pack.off)
            for pack in held_packs(self._uri)
        }
        return (*held.values(), *(state for name, state in known.items() if name not in held))

    def switch(self, name: str, off: bool) -> None:
        """Leave a pack out of checks and searches, or include it again.

        Raises:
            InputError: nothing may be changed here, or there is no such pack in the store.
            StoreError: the store cannot be written.
        """
        from kb.intake.held_packs import switch_pack

        check_own_machine(self._settings)
        switch_pack(self._uri, name, off)

    def remove(self, name: str) -> int:
        """Remove a pack; returns how many passages it had.

        Raises:
            InputError: nothing may be changed here, or there is no such pack in the store.
            StoreError: the store cannot be written.
        """
        from kb.intake.held_packs import remove_pack

        check_own_machine(self._settings)
        return remove_pack(self._uri, name)

    def add(self, name: str, whole: bool = False) -> Iterator[PackNews]:
        """Add a pack that is known by name, or update it.

        Closing the iterator stops the work and keeps what has arrived.

        Args:
            name: the pack's name.
            whole: take whole articles, not just their leads.

        Raises:
            InputError: nothing may be changed here, there is no such pack, or the disk is too small.
            DownloadError: a file cannot be fetched.
            ModelError: a passage could not be embedded.
            StoreError: the store cannot be written.
        """
        from kb.intake.known_packs import KNOWN, find_known

        check_own_machine(self._settings)
        known = find_known(name)
        if known is None:
            names = ", ".join(pack.name for pack in KNOWN)
            raise InputError(
                f"{name[:80] or 'a pack without a name'} is not known here, only {names}; add it by its file"
            )
        return _watched(lambda tell, left: self._added(self._fetched(known, whole, tell, left), tell))

    def add_file(self, path: Path, whole: bool = False) -> Iterator[PackNews]:
        """Add or update the pack in a file or folder on this machine; see `add`."""
        from kb.intake.pack_files import pack_at

        check_own_machine(self._settings)
        pack = pack_at(path.expanduser(), whole=whole)
        return _watched(lambda tell, left: self._added(pack, tell))

    def _fetched(self, known: KnownPack, whole: bool, tell: Tell, left: threading.Event) -> Pack:
        from kb.intake.held_packs import held_packs, is_whole
        from kb.intake.packs import fetch_pack

        uri = self._uri
        whole = whole or is_whole(uri, known.name)
        again = known.name in {pack.name for pack in held_packs(uri)}
        tell(PackNews(f"Asking the hub for {known.name}"))
        shards = shards_of(known, again, self._folder, self._endpoint, left)
        size = sum(shard.size for shard in shards)
        starts = dict(zip([shard.name for shard in shards], accumulate([0, *(s.size for s in shards)]), strict=False))

        def arrived(start: int, done: int, total: int) -> None:
            tell(PackNews(f"Downloading {known.name}", (start + done) // 1_000_000, size // 1_000_000, "MB"))

        return fetch_pack(known, shards, uri, self._folder, whole, lambda shard: partial(arrived, starts[shard.name]))

    def _added(self, pack: Pack, tell: Tell) -> PackNews:
        from kb.intake.packs import add_pack

        store = self._backing.store
        assert store is not None
        tell(PackNews(f"Reading {pack.name}"))

        def far(done: int, total: int) -> None:
            tell(PackNews(f"Adding {pack.name}", done, total, "articles"))

        report = add_pack(pack, store, far, self._backing.embed)
        if store.is_behind():
            tell(PackNews(f"Indexing {pack.name}"))
            store.optimize()
        return PackNews(pack.name, report=report)


def check_own_machine(settings: Settings) -> None:
    """Check that the request comes from this machine, and that changing the evidence is allowed.

    Raises:
        InputError: one of the two does not hold.
    """
    check_may_change(settings)
    if not settings.private:
        raise InputError("packs are changed on the server's own machine: python -m kb packs list")


def shards_of(
    known: KnownPack,
    again: bool = False,
    folder: Path = PACKS,
    endpoint: str | None = None,
    cancel: threading.Event | None = None,
) -> Sequence[Shard]:
    """Ask the hub for the files of a pack, except those that are already here.

    Args:
        known: the pack.
        again: also ask for files that are here, and fetch those that have changed.
        folder: where the files are kept.
        endpoint: the address of another hub.
        cancel: stops a transfer once it is set; what has arrived is kept.

    Raises:
        DownloadError: the hub does not answer, or has no such file.
    """
    from kb.intake.known_packs import Shard
    from models.hub.download import PROBE_SECONDS, fetch
    from models.hub.generators import HubFile
    from models.hub.probe import probe

    cancel = cancel or threading.Event()
    found = []
    for name in known.files:
        target, source = folder / known.repo / name, HubFile(known.repo, name, dataset=True)
        if target.is_file() and not again:
            found.append(Shard(name, 0, partial(_is_here, target)))
            continue
        remote = probe(source, endpoint, PROBE_SECONDS, cancel)
        if target.is_file():
            if remote.checksum_of(target) == remote.checksum:
                found.append(Shard(name, 0, partial(_is_here, target)))
                continue
            target.unlink()
        found.append(Shard(name, remote.size, partial(fetch, source, remote, target, cancel=cancel)))
    return found


def _is_here(path: Path, tell: Callable[[int, int], None]) -> Path:
    return path


def _watched(work: Callable[[Tell, threading.Event], PackNews]) -> Iterator[PackNews]:
    """Do the work in a thread and report progress about twice a second.

    Closing the iterator ends the work at its next step.
    """
    left = threading.Event()
    told: queue.SimpleQueue[PackNews | VerifierError] = queue.SimpleQueue()
    threading.Thread(target=_work, args=(work, told, left), name="pack", daemon=True).start()
    last = PackNews("Waiting for another pack to stop")
    try:
        while last.report is None:
            try:
                news = told.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                yield last  # lets the caller stop watching
                continue
            if isinstance(news, VerifierError):
                raise news
            last = news
            yield news
    finally:
        left.set()


def _work(
    work: Callable[[Tell, threading.Event], PackNews],
    told: queue.SimpleQueue[PackNews | VerifierError],
    left: threading.Event,
) -> None:
    said, at = "", 0.0

    def tell(news: PackNews) -> None:
        nonlocal said, at
        if left.is_set():
            raise VerifierError("the pack was stopped; what is in the store stays")
        if news.what != said or time.monotonic() - at >= _LOOK_SECONDS:
            said, at = news.what, time.monotonic()
            told.put(news)

    try:
        with _ONE:
            told.put(work(tell, left))
    except VerifierError as exc:
        told.put(exc)
