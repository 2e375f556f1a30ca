"""Write the starter pack from a folder of figures in the public domain.

python -m lab.starter_generator --data DIR

The pack is kb/starter/statements.jsonl.gz and its vectors.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from errors import exit_status


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    top = argparse.ArgumentParser(prog="python -m lab.starter_generator", description="Write the starter pack.")
    top.add_argument("--data", type=Path, required=True, metavar="DIR", help="holds factbook/ and world_stats/")
    return top


def _write(data: Path) -> None:
    from kb.starter.pack import write_statements, write_vectors
    from lab.starter_generator.build import statements
    from models.catalogue import WEIGHTS, Role
    from verifier.build import load_embedder
    from verifier.settings import Settings

    found = statements(data)
    write_statements(found)
    texts = [statement.text for statement in found]
    write_vectors(texts, load_embedder(Settings.from_env()).embed(texts), WEIGHTS[Role.EMBEDDER].checksum)
    kinds = Counter(statement.kind.value for statement in found)
    print(f"{len(found)} statements: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 after an error, printed in one line."""
    args = parser().parse_args(arguments)
    return exit_status(lambda: _write(args.data), "stopped")


if __name__ == "__main__":
    sys.exit(main())
