"""Measure whole checks without one part of the pipeline, to see what it is worth.

python -m lab.evaluation.ablation reranker --cases FILE
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from unittest.mock import patch

from verifier.__main__ import main as verifier_main
from verifier.check import gather
from verifier.check.gather import Models
from verifier.claim.parsed import ParsedClaim, Statement
from verifier.evidence import rerank
from verifier.interfaces import Embedder, Reranker
from verifier.judgement import verdict
from verifier.judgement.signals import NAMES, Signals
from verifier.judgement.verdict import Circumstances
from verifier.judgement.votes import Vote
from verifier.schema import Evidence, Judgement
from verifier.settings import RetrievalSettings

PARTS = ("reranker", "credibility", "decomposition", "signals", "all-evidence")


@contextmanager
def without(part: str, models: Models | None = None) -> Iterator[None]:
    """Leave one of `PARTS` out of all checks of this process within the context.

    Without the reranker, relevance is the cosine of the embedder in `models`, or else of the bundled one.
    """
    judge, best, features_of = verdict.judge, rerank.best, verdict.features_of

    def alike(claim: Statement, pieces: Sequence[Evidence], _reranker: Reranker) -> list[Evidence]:
        return by_likeness(claim.text, pieces, models.embedder if models else _bundled())

    def unranked(
        pieces: Sequence[Evidence], embedder: Embedder, settings: RetrievalSettings, limit: int
    ) -> list[Evidence]:
        return best(pieces, embedder, replace(settings, credibility_weight=0.0), limit)

    def trusting(claim: ParsedClaim, pieces: Sequence[Evidence], around: Circumstances) -> Judgement:
        return judge(claim, [replace(piece, credibility=1.0) for piece in pieces], around)

    def strongest(votes: Sequence[Vote]) -> tuple[float, ...]:
        s1, _, r1, _, _ = features_of(votes)
        return (s1, 0.0, 0.0, 0.0, 0.0) if s1 >= r1 else (0.0, 0.0, r1, 0.0, 0.0)

    patches: dict[str, list[AbstractContextManager[object]]] = {
        "reranker": [patch.object(gather, "score", alike)],
        "credibility": [patch.object(gather, "best", unranked), patch.object(gather, "judge", trusting)],
        "decomposition": [patch.dict("os.environ", {"VERIFIER_DECOMPOSE": "off"})],
        "signals": [patch.object(Signals, "values", lambda self: (0.0,) * len(NAMES))],
        "all-evidence": [patch.object(verdict, "features_of", strongest)],
    }
    with ExitStack() as stack:
        for each in patches[part]:
            stack.enter_context(each)
        yield


def by_likeness(claim: str, pieces: Sequence[Evidence], embedder: Embedder) -> list[Evidence]:
    """Rate relevance by cosine, stretched to about the scale of the reranker."""
    if not pieces:
        return []
    vectors = embedder.embed([claim, *(piece.text for piece in pieces)])
    cosines = vectors[1:] @ vectors[0]
    return [replace(piece, relevance=float(10 * cosine - 4)) for piece, cosine in zip(pieces, cosines, strict=True)]


def _bundled() -> Embedder:
    from verifier.build import load_embedder
    from verifier.settings import Settings

    return load_embedder(Settings.from_env())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the evaluation without a part. Returns its exit code."""
    top = argparse.ArgumentParser(
        prog="python -m lab.evaluation.ablation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("part", choices=PARTS)
    top.add_argument(
        "--cases", required=True, help="as of `python -m verifier evaluate`, whose other options may follow"
    )
    args, rest = top.parse_known_args(arguments)
    with without(args.part):
        return verifier_main(["evaluate", "--cases", args.cases, *rest])


if __name__ == "__main__":
    sys.exit(main())
