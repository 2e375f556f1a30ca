"""`python -m models`: check every weight against the catalogue, and print the sizes and checksums of the files.

`python -m models bench FILE.gguf`: how fast a generator loads, reads and writes here, by the number of threads.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from errors import ModelError
from models.catalogue import WEIGHTS
from models.files import checked_path, file_path, sha256_of


def check() -> int:
    """Returns 0 when every weight is whole, else 2."""
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


def bench(path: Path) -> int:
    """Returns 0 when the generator at `path` was measured, else 2."""
    from models.bench import report

    try:
        for line in report(path):
            print(line, flush=True)
    except ModelError as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 2
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command that `arguments` name; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m models", description="Check the bundled weights.")
    commands = parser.add_subparsers(dest="command")
    measured = commands.add_parser("bench", help="measure how fast a generator loads, reads and writes")
    measured.add_argument("path", type=Path, metavar="FILE.gguf", help="the GGUF file of an instruct model")
    options = parser.parse_args(arguments)
    return bench(options.path) if options.command == "bench" else check()


if __name__ == "__main__":
    sys.exit(main())
