"""`python -m lab.benchmarks.world`: checks against an invented web on loopback, without faults and with them.

Every check has an empty store and an empty cache, so that no check profits from another. A verdict under faults may differ from
the one without them only by being Not Enough Evidence, with the reason among its warnings or steps.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from kb.publishers.lists import DomainLists
from kb.publishers.rules import parse_line
from kb.store.evidence_store import EvidenceStore
from lab.world.faults import Faults
from lab.world.server import World
from models.catalogue import WEIGHTS, Role
from models.encoders.embedder import Embedder
from verifier.build import build_search, load_embedder, load_models
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.schema import Stage, Verdict, VerificationResult
from verifier.settings import Settings

_ALLOWED_PAST_DEADLINE = 2.0


@dataclass(frozen=True, slots=True)
class Check:
    """One check: expected and found verdict, and seconds in total and for the search."""

    claim: str
    expected: str
    verdict: str
    seconds: float
    search_seconds: float
    stages: int
    warned: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """The models, loaded once, and the invented web."""

    world: World
    settings: Settings
    embedder: Embedder
    models: Models
    lists: DomainLists

    def check(self, claim: str, expected: str, folder: Path) -> Check:
        """One check with a store and a cache of its own."""
        settings = replace(self.settings, search=replace(self.settings.search, cache_path=folder / "cache"))
        who = self.lists.publisher_of
        checksum = WEIGHTS[Role.EMBEDDER].checksum
        store = EvidenceStore(str(folder / "kb"), self.embedder.embed, checksum, who)
        search = build_search(settings.search, who, self.lists.preferred)
        start = time.perf_counter()
        try:
            result = Verifier(self.models, store, search, settings, None, who).verify(claim)
        except Exception as exc:  # noqa: BLE001  # any crash is what this looks for
            return Check(
                claim, expected, "", time.perf_counter() - start, 0.0, 0, False, f"{type(exc).__name__}: {exc}"
            )
        searches = [step for step in result.steps if step.stage is Stage.SEARCH]
        return Check(
            claim,
            expected,
            str(result.verdict),
            time.perf_counter() - start,
            sum(step.seconds for step in searches),
            len(searches),
            _named(result),
        )


def _named(result: VerificationResult) -> bool:
    """Whether the result says that something of the search failed."""
    told = " ".join([*result.warnings, *(step.message for step in result.steps)])
    return any(word in told for word in ("failed", "unavailable", "could not read", "rate-limited", "unreachable"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks; print one JSON line per setting; return 1 if a promise breaks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checks", type=int, default=200)
    parser.add_argument("--faults", type=float, default=0.3)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that every provider and page takes")
    parser.add_argument("--which", choices=("all", "free"), default="all", help="the providers that are configured")
    parser.add_argument("--out", type=Path, help="write every check as a JSON line")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name, World() as world:
        bench = make_bench(world, Path(name), args.which)
        claims = [(claim.text, str(claim.expected)) for claim in world.claims()]
        random.Random(1).shuffle(claims)  # they come by event, true ones first
        asked = [claims[i % len(claims)] for i in range(args.checks)]
        runs: list[list[Check]] = []
        for number, rate in enumerate((0.0, args.faults)):
            world.town.faults = Faults(rate=rate, seed=1, latency=args.latency)
            runs.append([])
            for at, (claim, expected) in enumerate(asked):
                folder = Path(name) / f"{number}-{at}"
                runs[-1].append(bench.check(claim, expected, folder))
                sys.stderr.write(f"\r{rate:.0%} faults: {at + 1} of {len(asked)} ")
            print(json.dumps({"faults": rate} | _figures(runs[-1], bench.settings)))
    broken = _broken(runs[0], runs[1], bench.settings)
    print(json.dumps({"broken promises": broken}, ensure_ascii=False, indent=1))
    if args.out:
        rows = [
            {"faults": bool(n)} | {f: getattr(c, f) for f in Check.__slots__} for n, run in enumerate(runs) for c in run
        ]
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return 1 if broken else 0


def make_bench(world: World, folder: Path, which: Literal["all", "free"]) -> Bench:
    """Load the models, and write the world's publishers into `folder`."""
    settings = Settings.from_env(world.environment(which) | {"VERIFIER_LOG": "off"})
    lists = DomainLists(folder / "domains.csv")
    for domain, source_type, credibility in world.domains():
        lists.add(parse_line(domain, "allow", source_type, str(credibility)))
    embedder = load_embedder(settings)
    return Bench(world, settings, embedder, load_models(settings, embedder), lists)


def _figures(checks: Sequence[Check], settings: Settings) -> dict[str, object]:
    times = sorted(check.seconds for check in checks)
    searched = sorted(check.search_seconds for check in checks if check.stages)
    thrice = sorted(check.search_seconds for check in checks if check.stages == 3)
    decided = [check for check in checks if check.verdict in {Verdict.TRUE, Verdict.FALSE}]
    return {
        "checks": len(checks),
        "crashed": sum(bool(check.error) for check in checks),
        "as expected": round(sum(check.verdict == check.expected for check in checks) / len(checks), 3),
        "decided": len(decided),
        "right of decided": round(sum(check.verdict == check.expected for check in decided) / max(1, len(decided)), 3),
        "verdicts": dict(Counter(check.verdict for check in checks)),
        "check p50": round(statistics.median(times), 2),
        "longest check": round(times[-1], 2),
        "search p50": round(statistics.median(searched), 2) if searched else None,
        "search p50 of three stages": round(statistics.median(thrice), 2) if thrice else None,
    }


def _broken(calm: Sequence[Check], stormy: Sequence[Check], settings: Settings) -> list[str]:
    """Return the promises that do not hold."""
    found = [f"{check.claim}: {check.error}" for check in (*calm, *stormy) if check.error]
    longest = settings.deadline + _ALLOWED_PAST_DEADLINE
    found += [f"{check.claim}: {check.seconds:.1f} s" for check in (*calm, *stormy) if check.seconds > longest]
    for before, after in zip(calm, stormy, strict=True):
        if after.verdict != before.verdict and after.verdict != Verdict.NOT_ENOUGH_EVIDENCE:
            found.append(f"{after.claim}: {before.verdict} became {after.verdict}")
        elif after.verdict != before.verdict and not after.warned:
            found.append(f"{after.claim}: {before.verdict} became {after.verdict}, and nothing says why")
    return found


if __name__ == "__main__":
    sys.exit(main())
