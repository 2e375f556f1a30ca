"""Measure how many (claim, text) pairs the reader reads a second on this machine.

python -m lab.benchmarks.reader [--threads 1 2]

It reads the pairs one by one, and as many at once as there are threads. Each figure is the median of five runs over 64
pairs that were never read before.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable

from lab.benchmarks.bench import median_of
from models.catalogue import WEIGHTS, Role
from models.files import checked_path
from models.reader import Reader

PAIRS = 64
LENGTHS = {"40 tokens": 15, "90 tokens": 65, "190 tokens": 165}
"""Name of each length, and how many filler words make a pair that long."""
_YEARS = itertools.count()


def fresh_texts(words: int) -> list[str]:
    """Make `PAIRS` texts of so many words, none twice: a reader remembers what it read."""
    return [f"In year {next(_YEARS)} " + "the river rose again " * (words // 4) for _ in range(PAIRS)]


def pairs_per_second(read: Callable[[list[str]], None], words: int) -> float:
    """`PAIRS` over the median time of a run."""

    def seconds() -> float:
        chosen = fresh_texts(words)
        start = time.perf_counter()
        read(chosen)
        return time.perf_counter() - start

    return PAIRS / median_of(seconds)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    folder = checked_path(WEIGHTS[Role.READER])
    claim = "The river rose higher than in the year before."
    print("| threads | pair | one at a time | together |\n|---|---|---|---|")
    for threads in parser.parse_args().threads:
        reader = Reader(folder, threads)

        def one_by_one(texts: list[str], reader: Reader = reader) -> None:
            for text in texts:
                reader.read([(claim, text)])

        def together(texts: list[str], reader: Reader = reader) -> None:
            reader.read([(claim, text) for text in texts])

        for name, words in LENGTHS.items():
            alone, at_once = (pairs_per_second(read, words) for read in (one_by_one, together))
            print(f"| {threads} | {name} | {alone:.0f} | {at_once:.0f} |")


if __name__ == "__main__":
    main()
