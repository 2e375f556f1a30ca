"""Measure the invented web's reference works: claims decided by them alone, and requests per check.

    python -m lab.benchmarks.reference

Only Wikipedia and Wikidata are asked, and the store is empty. Every claim is checked twice: the second check must send
no request. The output is a line of JSON, and the claims that went wrong.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lab.benchmarks.world import Bench, make_bench
from lab.world.facts import Expected, WorldClaim
from lab.world.server import World


def main(arguments: Sequence[str] | None = None) -> int:
    """Check every claim twice and print the figures; return 1 if one misses its promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="check each n-th claim")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name, World() as world:
        bench = make_bench(world, Path(name), "free")
        providers = replace(bench.settings.search.providers, duckduckgo=False, gdelt=False, feeds=())
        bench = replace(
            bench, settings=replace(bench.settings, search=replace(bench.settings.search, providers=providers))
        )
        claims = world.reference_claims()[:: args.every]
        rows = [_row(bench, world, claim, Path(name) / str(number)) for number, claim in enumerate(claims)]
    figures = _figures(rows)
    print(json.dumps(figures))
    for claim, verdict, requests, again in rows:
        if verdict != claim.expected or again or requests > 6:
            print(f"{claim.expected} -> {verdict}, {requests} requests, then {again}: {claim.text}")
    return int(figures["decided"] < 0.85 or figures["most requests"] > 6 or bool(figures["requests of second checks"]))


_Row = tuple[WorldClaim, str, int, int]


def _row(bench: Bench, world: World, claim: WorldClaim, folder: Path) -> _Row:
    """Check a claim twice, with one cache and an empty store each time.

    Returns the first verdict, and the requests of both checks.
    """
    world.town.reset()
    folder.mkdir()
    check = bench.check(claim.text, claim.expected, folder)
    first = _requests(world)
    (folder / "kb").rename(folder / "kb-of-first")
    bench.check(claim.text, claim.expected, folder)
    return claim, check.verdict or check.error, first, _requests(world) - first


def _requests(world: World) -> int:
    total = world.requests()["total"]
    assert isinstance(total, int)
    return total


def _figures(rows: Sequence[_Row]) -> dict[str, float]:
    settled = [row for row in rows if row[0].expected is not Expected.NOT_ENOUGH_EVIDENCE]
    ends = Counter((row[0].expected, row[1]) for row in rows)
    opposite = ends[Expected.TRUE, "False"] + ends[Expected.FALSE, "True"]
    return {
        "claims": len(rows),
        "decided": round(sum(row[0].expected == row[1] for row in settled) / len(settled), 3),
        "the opposite": opposite,
        "open claims decided": sum(row[1] in {"True", "False"} for row in rows if row not in settled),
        "mean requests": round(sum(row[2] for row in rows) / len(rows), 2),
        "most requests": max(row[2] for row in rows),
        "requests of second checks": sum(row[3] for row in rows),
    }


if __name__ == "__main__":
    raise SystemExit(main())
