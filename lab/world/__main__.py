"""Serve the invented web until Ctrl-C, and say how to point the verifier at it.

python -m lab.world
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

from errors import exit_status
from lab.world.facts import Expected
from lab.world.faults import Fault, Faults
from lab.world.server import World

FOLDER = Path(__file__).parents[2] / "data" / "world"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.world", description="An invented web with search engines, on this machine."
    )
    parser.add_argument("--port", type=int, default=8800, help="the port to listen on (8800; 0 is any)")
    parser.add_argument(
        "--faults", type=float, default=0.0, metavar="RATE", help="share of answers that go wrong, 0 to 1"
    )
    parser.add_argument(
        "--kinds", nargs="+", type=Fault, default=list(Fault), metavar="KIND", help=f"which: {', '.join(Fault)}"
    )
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS", help="pause before every answer")
    parser.add_argument("--seed", type=int, default=0, help="which requests go wrong")
    parser.add_argument("--free", action="store_true", help="print only the settings of services that need no key")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help=f"for the evidence and answers of this web (default: {FOLDER})"
    )
    options = parser.parse_args()
    return exit_status(lambda: _serve(options), "stopped")


def _serve(options: argparse.Namespace) -> None:
    faults = Faults(options.faults, tuple(options.kinds), options.seed, options.latency)
    with World(options.port, faults) as world:
        print(f"# {len(world.town.web.pages)} pages on {world.url}; put these lines into .env:")
        place = world.settle(options.folder.resolve())
        for name, value in (world.environment("free" if options.free else "all") | place).items():
            print(f"{name}={value}")
        print(f"# What a check writes stays in {options.folder}; delete it to begin again.")
        print("# Claims to try:")
        for event, expected in enumerate(Expected):  # each about another event
            text = [claim.text for claim in world.claims() if claim.expected is expected][event]
            print(f'#   python -m verifier verify "{text}"  # {expected}')
        print("# Ctrl-C stops.", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    raise SystemExit(main())
