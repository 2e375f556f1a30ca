"""The packs known by name: files of a data set on the hub.

Sizes are rounded; the hub states the exact ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kb.intake.pack_files import LICENCE


@dataclass(frozen=True, slots=True)
class KnownPack:
    """A pack on the hub: repository, files, number of articles, and approximate GB to fetch."""

    name: str
    repo: str
    files: tuple[str, ...]
    articles: int
    gb: float
    note: str
    licence: str = LICENCE


KNOWN: tuple[KnownPack, ...] = (
    KnownPack(
        "simple-wikipedia",
        "wikimedia/wikipedia",
        ("20231101.simple/train-00000-of-00001.parquet",),
        241_787,
        0.16,
        "Wikipedia in simple English",
    ),
    KnownPack(
        "wikipedia-leads",
        "wikimedia/wikipedia",
        tuple(f"20231101.en/train-{n:05}-of-00041.parquet" for n in range(41)),
        6_407_814,
        11.6,
        "Wikipedia in English",
    ),
)


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a known pack: its name, bytes still to fetch, and fetcher.

    `fetch` takes a function that receives the bytes fetched and the total, and returns the file's path.
    """

    name: str
    size: int
    fetch: Callable[[Callable[[int, int], None]], Path]


def find_known(name: str) -> KnownPack | None:
    """Return the known pack of that name, or None."""
    return next((pack for pack in KNOWN if pack.name == name), None)
