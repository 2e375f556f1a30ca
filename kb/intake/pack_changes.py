"""Find out whether a pack's files have changed since they were added.

If so, the store may hold passages that they no longer contain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from kb.intake.journal import Journal

_ALL = "*"
"""The journal's entry for all files of a pack, written when the store holds what they say and nothing older."""


class Changes:
    """Compares a pack's files with its journal. Made before any of them is read."""

    def __init__(self, journal: Journal, stamps: Mapping[Path, str], complete: bool) -> None:
        """`stamps` are of the current files; `complete` says that the pack has no others."""
        self._journal = journal
        now = {file.name: stamp for file, stamp in stamps.items()}
        earlier = {name: seen for name, seen in journal.stamps.items() if name != _ALL}
        others = [] if complete else sorted(earlier.keys() - now.keys())
        told = repr((sorted(now.items()), others))
        self._state = hashlib.sha256(told.encode()).hexdigest()[:16]
        self._settled = journal.progress(_ALL, self._state).done
        replaced = any(seen - {now.get(name)} for name, seen in earlier.items())
        all_there = complete or earlier.keys() <= now.keys()
        self.outdated = all_there and not self._settled and (_ALL in journal.stamps or replaced)
        """Whether the store may have passages that none of the files has."""

    def settle(self) -> None:
        """Record that the store holds what the files say, and nothing else that is distinguishable.

        Raises:
            StoreError: the journal cannot be written.
        """
        if not self._settled:
            self._journal.note(_ALL, self._state, 0, True)
