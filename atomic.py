"""Write a file atomically: a reader finds the old file or the new one, never a part, also after a power cut."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = 50
"""Characters of the file's name that the name of the new one keeps: the whole may have 255 bytes."""
FRESH = ".new"
"""How the name of a file ends while it is written; one that a kill leaves stays behind."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a file to write that takes the place of `path` when the block ends, with its permissions, and is deleted when the block fails.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    fresh = path.with_name(f".{path.name[:_NAME]}.{os.getpid()}-{threading.get_ident()}{FRESH}")
    try:
        yield fresh
        with fresh.open("rb+") as written:
            os.fsync(written.fileno())
        if path.exists():
            with suppress(OSError):  # some file systems know no permissions
                shutil.copymode(path, fresh)
        os.replace(fresh, path)
    finally:
        with suppress(OSError):
            fresh.unlink()
