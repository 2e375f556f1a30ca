"""Measure one of the bundled models, or another in its place, on held-out data.

python -m lab.evaluation stance --data DIR [--model FOLDER|FILE] [--split dev|test] [--limit N]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from errors import exit_status
from lab.evaluation.figures import as_table, write_csv
from lab.evaluation.suites import SUITES, Request, evaluate
from verifier.settings import Settings


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    top = argparse.ArgumentParser(
        prog="python -m lab.evaluation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("suite", choices=SUITES)
    top.add_argument("--data", type=Path, help="folder with pairs/, ranking/, ... (see docs/models.md)")
    top.add_argument("--model", type=Path, help="a reader's folder or a GGUF file in place of the bundled model")
    top.add_argument(
        "--split", choices=("dev", "test"), default="test", help="stance, languages, retellings: which part"
    )
    top.add_argument(
        "--limit",
        type=int,
        help="stance, worth, tasks, retellings: at most this many rows of each set; languages: of each language",
    )
    top.add_argument("--out", type=Path, metavar="FILE", help="write the figures to this CSV file too")
    top.add_argument("--diagram", type=Path, help="stance, type: write a reliability diagram to this PNG")
    top.add_argument(
        "--answers", type=Path, metavar="FILE", help="tasks: answers are kept here, and not asked for again"
    )
    return top


def _measure(args: argparse.Namespace) -> None:
    request = Request(args.suite, args.data, args.model, args.split, args.limit, args.diagram, args.answers)
    figures = evaluate(request, Settings.from_env())
    if args.out:
        write_csv(figures, str(args.model or "bundled"), args.out)
    print(as_table(figures))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after printing an error in one line."""
    args = parser().parse_args(arguments)
    return exit_status(lambda: _measure(args), "stopped")


if __name__ == "__main__":
    sys.exit(main())
