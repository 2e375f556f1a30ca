"""Record how far an import has come, so that a stopped one can go on.

The journal is a small file inside the store's folder. One line is added after each batch stored; the file is deleted
when the import is done. A lost line costs only time: adding is idempotent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errors import StoreError
from kb.store.place import is_folder

FOLDER = "imports"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one source has come. `stamp` shows whether its file is still the same."""

    stamp: str
    rows: int
    done: bool


class Journal:
    """The journal of one import: the same names, the same reader, the same store."""

    def __init__(self, uri: str, job: Sequence[str]) -> None:
        """`job`: what makes two imports the same one.

        A store that is no local folder has no journal, so its imports start over.
        """
        name = hashlib.sha256("\n".join(job).encode()).hexdigest()[:16]
        self._path = Path(uri) / FOLDER / f"{name}.jsonl" if is_folder(uri) else None
        self._known: dict[str, Progress] = {}
        self._stamps: dict[str, set[str]] = {}

    def load(self) -> int:
        """Read the journal of a stopped import; return how many rows it had stored.

        Raises:
            StoreError: the journal cannot be read.
        """
        try:
            text = self._path.read_text(encoding="utf-8") if self._path and self._path.exists() else ""
        except (OSError, UnicodeDecodeError) as exc:
            raise StoreError(f"cannot read the journal {self._path}: {exc}; delete it, and import again") from exc
        for line in text.splitlines():
            try:
                row = json.loads(line)
                key, progress = str(row["key"]), Progress(str(row["stamp"]), int(row["rows"]), bool(row["done"]))
            except (ValueError, KeyError, TypeError):  # cut short when the process was killed
                continue
            self._known[key] = progress
            self._stamps.setdefault(key, set()).add(progress.stamp)
        return sum(progress.rows for progress in self._known.values())

    def progress(self, key: str, stamp: str) -> Progress:
        """Return how far a source had come: zero if it is new or has changed."""
        known = self._known.get(key)
        return known if known and known.stamp == stamp else Progress(stamp, 0, False)

    @property
    def stamps(self) -> dict[str, set[str]]:
        """Each source -> the stamps that it has had so far."""
        return {key: set(stamps) for key, stamps in self._stamps.items()}

    def note(self, key: str, stamp: str, rows: int, done: bool) -> None:
        """Record how far a source has come.

        Raises:
            StoreError: the journal cannot be written.
        """
        if not self._path:
            return
        line = json.dumps({"key": key, "stamp": stamp, "rows": rows, "done": done})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as exc:
            raise StoreError(f"cannot write the journal {self._path}: {exc.strerror or exc}") from exc

    def forget(self) -> None:
        """Delete the journal: the import is done, or starts over.

        Raises:
            StoreError: the journal cannot be deleted.
        """
        self._known, self._stamps = {}, {}
        try:
            if self._path:
                self._path.unlink(missing_ok=True)
        except OSError as exc:
            raise StoreError(f"cannot delete the journal {self._path}: {exc.strerror or exc}") from exc
