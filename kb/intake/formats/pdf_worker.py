"""Read one PDF in its own process, which may exhaust time or memory without harm.

It writes one JSON object per line: first {"title", "pages"}, then {"page", "text"} for each page. A file that cannot be
read ends it with an error; what was written before still counts.
"""

from __future__ import annotations

import json
import sys

MAX_MEMORY = 2_000_000_000
"""Bytes of address space."""
MAX_PAGE = 100_000
"""Characters of one page."""
LOCKED = 3
"""The exit status for a file that needs a password."""


def main(path: str, max_pages: int) -> int:
    """Read the file at `path`; return the exit status."""
    _limit_memory()
    from pypdf import PdfReader

    reader = PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        return LOCKED
    title = reader.metadata.title if reader.metadata else None
    _write({"title": str(title or "")[:300], "pages": len(reader.pages)})
    for number in range(min(len(reader.pages), max_pages)):
        _write({"page": number + 1, "text": reader.pages[number].extract_text()[:MAX_PAGE]})
    return 0


def _limit_memory() -> None:
    if sys.platform != "win32":  # Windows has no such limit; the caller's timeout still applies
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _write(row: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
