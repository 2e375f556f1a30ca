"""Whether the files of a pack have changed since they were added, so that the store may have what they no longer say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from kb.intake.journal import Journal

_ALL = "*"
"""The journal's entry for the files of a pack together, written when the store has what they say and nothing older."""


class Changes:
    """Whether a pack's files differ from what the store has of it, by its journal. Made before any of them is read."""

    def __init__(self, journal: Journal, stamps: Mapping[Path, str], complete: bool) -> None:
        """`stamps` are of the files as they are now; `complete` says that the pack consists of these and no others."""
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
        """Note that the store has what the files say, and nothing else that can be told apart.

        Raises:
            StoreError: the journal cannot be written.
        """
        if not self._settled:
            self._journal.note(_ALL, self._state, 0, True)
