"""`python -m models`: check every weight against the catalogue; print file sizes and checksums.

With arguments, run one of the commands in `models/commands.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from errors import ModelError
from models.catalogue import WEIGHTS
from models.files import checked_path, file_path, sha256_of


def check() -> int:
    """Check every weight; return 0 if all are whole, else 2."""
    failed = 0
    for role, weight in WEIGHTS.items():
        try:
            checked_path(weight)
            state = "ok"
        except ModelError as exc:
            state, failed = f"error: {exc}", 2
        print(f"{role}: {state}")
        for entry in weight.files:
            path = file_path(weight, entry)
            if path.exists():
                print(f"  {entry.name}  {path.stat().st_size}  {sha256_of(path)}")
    return failed


def main(arguments: Sequence[str] = ()) -> int:
    """Run the command named in `arguments`, or check the weights; return the exit status."""
    if not arguments:
        return check()
    from models.commands import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
