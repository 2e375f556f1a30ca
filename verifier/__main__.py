"""Run the command line.

Commands: verify, text, batch, mcp, classify, stance, evaluate, why, watch, log, added, search-cache.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from errors import exit_status
from verifier.cli import checks, models, past, texts, watch

_EXAMPLES = """examples:
  python -m verifier verify "The Earth is flat"
  python -m verifier verify "The bridge opened in 1932" --evidence notes.jsonl --json
  python -m verifier text article.pdf --out article.html
  python -m verifier batch claims.csv --out results.jsonl --no-web
"""


def parser() -> argparse.ArgumentParser:
    """Make the parser of all commands and their arguments."""
    top = argparse.ArgumentParser(
        prog="python -m verifier", description="Check claims on this machine.", epilog=_EXAMPLES
    )
    top.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = top.add_subparsers(dest="command", required=True)
    for room in (checks, texts, models, past, watch):
        room.add_commands(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Return 0, or 2 after an error, which is printed in one line.
    """
    args = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    return exit_status(lambda: args.run(args), "stopped")


if __name__ == "__main__":
    sys.exit(main())
