"""Look up a reader by name, fetch it, measure it, and adopt it if better.

If anything fails, the current reader stays in use: only the last step, one rename, changes that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from errors import DownloadError, ModelError
from models.catalogue import WEIGHTS, Role, WeightFile
from models.encoders.embedder import Embedder
from models.files import checked_path, sha256_of
from models.hub.download import FOLDER, PROBE_SECONDS, OnProgress, fetch
from models.hub.generators import HubFile
from models.pairs import Pair
from models.reader import PairReader
from models.readers.classifier import AddedReader, Classifier, load_classifier
from models.readers.config import Wiring, read_config
from models.readers.measure import Sample, development_pairs, fit, halves, measure
from models.readers.record import (
    BUNDLED,
    Adopted,
    load_adopted,
    load_bundled,
    place_of,
    read_record,
    write_record,
)
from models.readers.repository import Listing, RemoteFile, look_up

THREADS = 2
"""CPU threads per call while measuring, as in a check by default."""

OnFile = Callable[[str], OnProgress]
"""Called with the name of a fetched file; returns the callback for its progress."""
Say = Callable[[str], None]


def _silent(name: str) -> OnProgress:
    return lambda done, total: None


@dataclass(frozen=True, slots=True)
class _AtHand:
    name: str
    reader: PairReader


def adopt(
    repo: str,
    *,
    folder: Path = FOLDER,
    endpoint: str | None = None,
    say: Say = print,
    on_file: OnFile = _silent,
    pairs: Sequence[Pair] | None = None,
    threads: int = THREADS,
    cancel: threading.Event | None = None,
) -> Adopted:
    """Adopt the classifier of `repo` if it beats the current reader; return its record.

    Both are measured on the same pairs.

    Args:
        repo: OWNER/REPO on the hub.
        folder: where fetched models are.
        endpoint: another hub's address.
        say: called with a line for each step.
        on_file: see `OnFile`.
        pairs: what to measure on instead of the development pairs.
        threads: CPU threads per call while measuring.
        cancel: checked while fetching.

    Raises:
        DownloadError: it cannot be fetched, or the disk is full.
        ModelError: it cannot serve, or does not beat the current reader, which stays in use.
    """
    cancel = cancel or threading.Event()
    listing = look_up(repo, endpoint, PROBE_SECONDS, cancel)
    _tell(listing, folder, say)
    wiring = _fetch_all(listing, folder, on_file, cancel)
    if used := _in_use(listing, folder):
        say(f"{used} is in use already")
        return used
    place = place_of(repo, listing.commit, folder)
    classifier = load_classifier(place, listing.network.name, wiring, threads)
    samples = _samples(development_pairs() if pairs is None else pairs)
    adopted = _compare(listing, classifier, samples, _at_hand(folder, threads, say), place, say)
    write_record(adopted, folder)
    return adopted


def _samples(pairs: Sequence[Pair]) -> tuple[Sample, Sample]:
    return halves(pairs, Embedder(checked_path(WEIGHTS[Role.EMBEDDER]), 1).embed)


def _tell(listing: Listing, folder: Path, say: Say) -> None:
    say(f"{listing.repo} at commit {listing.commit[:12]}; licence: {listing.licence}")
    for file in listing.files:
        say(f"  {file.name}  {file.remote.size / 1e6:,.1f} MB")
    say(f"  {listing.size / 1e6:,.1f} MB in all, to {place_of(listing.repo, listing.commit, folder)}")


def _fetch_all(listing: Listing, folder: Path, on_file: OnFile, cancel: threading.Event) -> Wiring:
    """Fetch what is not there whole, the configuration first.

    So a classifier that cannot serve costs no large download.
    """
    _fetch(listing, listing.config, folder, on_file, cancel)
    wiring = read_config(place_of(listing.repo, listing.commit, folder), listing.repo)
    for file in (listing.tokenizer, listing.network):
        _fetch(listing, file, folder, on_file, cancel)
    return wiring


def _fetch(listing: Listing, file: RemoteFile, folder: Path, on_file: OnFile, cancel: threading.Event) -> None:
    target = place_of(listing.repo, listing.commit, folder) / file.name
    try:
        if target.is_file() and file.remote.checksum_of(target) != file.remote.checksum:
            target.unlink()
    except OSError as exc:
        raise DownloadError(f"cannot read {target}: {exc.strerror or exc}; mend that and run it again") from exc
    fetch(HubFile(listing.repo, file.name), file.remote, target, on_file(file.name), cancel)


def _compare(
    listing: Listing, classifier: Classifier, samples: tuple[Sample, Sample], at_hand: _AtHand, place: Path, say: Say
) -> Adopted:
    """Fit and measure the classifier; return its record.

    Raises:
        ModelError: it does not beat the current reader.
    """
    to_fit, to_compare = samples
    former = measure(at_hand.reader, to_compare, at_hand.name)
    fitted = fit(classifier, to_fit)
    found = measure(AddedReader(classifier, fitted), to_compare, listing.repo)
    say(f"{at_hand.name}: {former}")
    say(f"{listing.repo}: {found}")
    if not found.beats(former):
        raise ModelError(
            f"{listing.repo} is not adopted: of {found.rows} pairs it has {found.accuracy:.3f} right (log loss "
            f"{found.log_loss:.3f}, relevance {found.relevance:.3f}), {at_hand.name} {former.accuracy:.3f} "
            f"({former.log_loss:.3f}, {former.relevance:.3f}); the reader in use stays; what was fetched lies in {place}"
        )
    files = tuple(WeightFile(file.name, file.remote.size, sha256_of(place / file.name)) for file in listing.files)
    return Adopted(
        repo=listing.repo,
        commit=listing.commit,
        licence=listing.licence,
        network=listing.network.name,
        files=files,
        wiring=classifier.wiring,
        fit=fitted,
        figures=found,
        former=at_hand.name,
        former_figures=former,
        day=date.today().isoformat(),
    )


def _in_use(listing: Listing, folder: Path) -> Adopted | None:
    """Return the record in use if it is of this commit, its files now whole."""
    try:
        adopted = read_record(folder)
    except ModelError:
        return None
    return adopted if adopted and (adopted.repo, adopted.commit) == (listing.repo, listing.commit) else None


def _at_hand(folder: Path, threads: int, say: Say) -> _AtHand:
    """Load the reader to beat: the one in use, or if damaged the bundled one."""
    try:
        adopted = read_record(folder)
        if adopted:
            return _AtHand(adopted.repo, load_adopted(adopted, threads, folder))
    except ModelError as exc:
        say(f"{exc}; so this one is compared with {BUNDLED}")
    return _AtHand(BUNDLED, load_bundled(threads))
