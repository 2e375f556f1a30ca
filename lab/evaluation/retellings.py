"""Measure how often retellings, and their mirrors, are taken for support.

A retelling only retells, asks, plans, imagines or denies a claim. Its mirror supports the same claim in similar words:
a reader that trusts nothing does no better here than one that trusts all.
"""

from __future__ import annotations

import json
from pathlib import Path

from tqdm import tqdm

from kb.record import NewEvidence
from lab.evaluation.figures import Figure
from verifier.check.pipeline import Verifier
from verifier.schema import StanceLabel, Verdict, VerificationResult

WRITTEN = Path(__file__).parents[2] / "tests" / "data" / "retellings.jsonl"
"""One object a line: claim, passage, stance (SUPPORTS for a mirror), split."""


def evaluate(verifier: Verifier, split: str, limit: int | None = None, path: Path = WRITTEN) -> list[Figure]:
    """Return the shares of both kinds that are read as support and called True.

    Each text is all of the evidence.

    Raises:
        FileNotFoundError: the texts are not there.
    """
    rows = read_retellings(split, path)
    figures: list[Figure] = []
    for name, mirrors in (("retold", False), ("mirrors", True)):
        chosen = [row for row in rows if (row["stance"] == "SUPPORTS") is mirrors][:limit]
        results = [
            verifier.verify(row["claim"], given=[NewEvidence(row["passage"])]) for row in tqdm(chosen, desc=name)
        ]
        read = sum(_supported(result) for result in results) / len(results)
        called = sum(result.verdict is Verdict.TRUE for result in results) / len(results)
        figures.append(Figure("retellings", name, len(results), "read as support", read))
        figures.append(Figure("retellings", name, len(results), "called True", called))
    return figures


def read_retellings(split: str, path: Path = WRITTEN) -> list[dict[str, str]]:
    """The rows of a split, in their order.

    Raises:
        FileNotFoundError: the texts are not there.
    """
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["split"] == split]


def _supported(result: VerificationResult) -> bool:
    return any(piece.stance and piece.stance.label is StanceLabel.SUPPORTS for piece in result.evidence)
