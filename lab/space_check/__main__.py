"""Say whether this repository would run as a Hugging Face Space, without asking the hub.

python -m lab.space_check [--folder DIR] [--quick]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from errors import InputError, exit_status
from lab.space_check import as_table, failed
from lab.space_check.card import check_card
from lab.space_check.files import check_files, check_installed
from lab.space_check.start import check_start
from verifier.settings import ROOT


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    top = argparse.ArgumentParser(
        prog="python -m lab.space_check", description="Say whether this folder would run as a Hugging Face Space."
    )
    top.add_argument("--folder", type=Path, help="another copy of this repository")
    top.add_argument(
        "--quick", action="store_true", help="read the files only: do not start the app, which takes a minute"
    )
    return top


def _check(args: argparse.Namespace) -> None:
    root = (args.folder or ROOT).resolve()
    if not (root / "app.py").is_file():
        raise InputError(f"{root} is no copy of this repository: it has no app.py")
    checks = check_card(root) + check_files(root)
    checks += [] if args.quick else [check_installed(root), *check_start(root)]
    print(as_table(checks))
    if failed(checks):
        raise InputError(f"{failed(checks)} of {len(checks)} points failed; what to do stands under each")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after an error, printed in one line."""
    args = parser().parse_args(arguments)
    return exit_status(lambda: _check(args), "stopped")


if __name__ == "__main__":
    sys.exit(main())
