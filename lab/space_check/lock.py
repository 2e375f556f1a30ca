"""Choose what pip installs for the app: the lock with hashes, or the bare pins.

It runs before anything is installed, so it uses only Python's own library: `python3 -m lab.space_check.lock` prints
pip's arguments. The lock fits every platform that the packages are published for. It does not fit wheels of one's own
(a folder of wheels carried to a machine without a network, an index with other builds of PyTorch): their hashes are not
known here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

LOCK, PINS = "requirements.lock", "requirements.txt"
OLDEST, NEWEST = (3, 11), (3, 14)
"""Versions of CPython for which every locked package is published."""
_OWN = re.compile(r"(?:find-links|extra-index-url|no-index)\s*=", re.IGNORECASE)
_OWN_VARIABLES = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX")


def unfit(root: Path, environment: Mapping[str, str], config: str, version: tuple[int, int]) -> str:
    """Why the lock is not used here; "" where it is.

    Args:
        root: the repository.
        environment: the process's.
        config: what `pip config list` prints.
        version: of this Python.
    """
    if not (root / LOCK).is_file():
        return f"there is no {LOCK}; make it with: make lock"
    if not OLDEST <= version <= NEWEST:
        return f"{LOCK} is made for Python {_told(OLDEST)} to {_told(NEWEST)}, this is {_told(version)}"
    own = [name for name in _OWN_VARIABLES if environment.get(name)]
    if own or _OWN.search(config):
        return f"pip is set to take packages from a place of your own, whose hashes are not in {LOCK}"
    return ""


def arguments(reason: str) -> str:
    """The lines for pip."""
    return f"-r {PINS}" if reason else f"--require-hashes -r {LOCK}"


def _told(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def main() -> None:
    """Print pip's arguments, and on standard error why the lock is not used, if so."""
    told = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    reason = unfit(Path.cwd(), os.environ, told.stdout, sys.version_info[:2])
    if reason:
        sys.stderr.write(f"installed without hashes: {reason}\n")
    sys.stdout.write(f"{arguments(reason)}\n")


if __name__ == "__main__":
    main()
