"""Sources whose texts are made here, and a process that refreshes a store until it is killed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path

from errors import RefreshBusy
from kb.record import Collection, NewEvidence, Origin
from kb.store.evidence_store import EvidenceStore
from kb.upkeep.job_state import JobFile, state_folder
from kb.upkeep.news import Brought, Known, Stopped
from kb.upkeep.refresh import Refresh, RefreshPolicy
from tests.kb.stores import EMBEDDER, spread

KEEP = timedelta(days=30)
PORTION = 40
"""Texts that each refresh of the process brings."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A source of given texts."""

    items: tuple[NewEvidence, ...]
    name: str = "texts"

    def read(self, known: Known, stopped: Stopped) -> Brought:
        return Brought(tuple(item for item in self.items if not known(item.source)))


@dataclass(frozen=True, slots=True)
class Down:
    """A source that cannot be reached."""

    name: str = "down"

    def read(self, known: Known, stopped: Stopped) -> Brought:
        return Brought(problems=("https://down.example cannot be fetched: no answer",), failed=True)


def news(run: int, number: int = PORTION) -> tuple[NewEvidence, ...]:
    """Texts of one refresh; its number is their title."""
    return tuple(
        NewEvidence(
            f"In run {run} the committee of town {run * 1000 + n} has opened its bridge.",
            f"https://site{n % 7}.example/{run}/{n}-the-bridge-is-open",
            f"run {run}",
            Origin.WEB,
            Collection.CURRENT,
        )
        for n in range(number)
    )


def kept(uri: object, keep: timedelta | None = KEEP) -> EvidenceStore:
    return EvidenceStore(str(uri), spread, EMBEDDER, keep=keep)


def refresh_of(store: EvidenceStore, *sources: Texts | Down, policy: RefreshPolicy | None = None) -> Refresh:
    state = JobFile(state_folder(store.uri, Path("unused")), "refresh")
    return Refresh(store, sources, state, policy or RefreshPolicy())


def titles(store: EvidenceStore) -> Iterator[str]:
    yield from (row["title"] for row in store._table.search().select(["title"]).limit(None).to_list())


def refresh_for_ever(uri: str) -> None:
    """Refresh with new texts each time, of which the last ones expire at once. Ends only by being killed."""
    store = kept(uri, timedelta(milliseconds=1))
    for run in count(os.getpid() * 1_000):
        try:
            refresh_of(store, Texts(news(run))).run()
        except RefreshBusy:
            time.sleep(0.01)
            continue
        sys.stdout.write(f"{run}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    refresh_for_ever(sys.argv[1])
