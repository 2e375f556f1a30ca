"""Count the cores that are free now.

llama.cpp's threads spin while they wait, so one too many costs most of the speed.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_SAMPLE_SECONDS = 0.06
_IDLE, _WAITING = 3, 4
"""Columns of a /proc/stat line, after its name: idle, and idle while a disk works (man 5 proc)."""


def usable_cores() -> int:
    """Count the cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_threads(most: int, root: Path = Path("/")) -> int:
    """Return as many threads, 1 to `most`, as cores were idle for 60 ms.

    Returns `most` if /proc does not say. `root` stands for the file system's root.
    """
    if most <= 1:
        return 1
    before = _times(root)
    time.sleep(_SAMPLE_SECONDS)
    after = _times(root)
    if not before or not after:
        return most
    passed = [later - earlier for earlier, later in zip(before, after, strict=True)]
    share = (passed[_IDLE] + passed[_WAITING]) / max(sum(passed), 1)
    return max(1, min(most, round(share * usable_cores())))


def _times(root: Path) -> list[int]:
    """Read the ticks that all cores spent on each kind of work; empty if unknown."""
    try:
        line = (root / "proc/stat").read_text().partition("\n")[0]
    except OSError:
        return []
    numbers = line.split()[1:]
    return [int(number) for number in numbers] if len(numbers) > _WAITING else []
