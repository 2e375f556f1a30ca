"""Write a file atomically: readers find the old or the new file, never a part.

This holds even after a power cut.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = 50
"""Characters of the file's name that the new one's name keeps: the whole may have 255 bytes."""
FRESH = ".new"
"""Ending of a file's name while it is written; a killed process leaves such a file behind."""


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a file to write that replaces `path` when the block ends.

    It gets the permissions of `path`, and is deleted if the block fails.

    Raises:
        OSError: it cannot be written; the old file stays.
    """
    fresh = path.with_name(f".{path.name[:_NAME]}.{os.getpid()}-{threading.get_ident()}{FRESH}")
    try:
        yield fresh
        with fresh.open("rb+") as written:
            os.fsync(written.fileno())
        if path.exists():
            with suppress(OSError):  # some file systems have no permissions
                shutil.copymode(path, fresh)
        os.replace(fresh, path)
    finally:
        with suppress(OSError):
            fresh.unlink()
