"""Whole checks of claims that compare two things: two figures and code decide, and both are quoted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from kb.record import NewEvidence
from kb.starter.seed import seed
from kb.store.evidence_store import EvidenceStore
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.schema import Tier, Verdict
from verifier.settings import Settings

CLAIMS = Path(__file__).parents[2] / "data" / "comparison_claims.jsonl"
BRAZIL, ARGENTINA = "Brazil covers 8,515,770 square kilometres.", "Argentina covers 2,780,400 square kilometres."
GIVEN = [NewEvidence(BRAZIL, "https://a.example/1"), NewEvidence(ARGENTINA, "https://b.example/2")]


def test_two_figures_decide_and_both_are_quoted(models: Models, settings: Settings) -> None:
    verifier = Verifier(models, None, None, settings)
    result = verifier.verify("Brazil has a larger area than Argentina", given=GIVEN)
    assert (result.verdict, result.tier) == (Verdict.TRUE, Tier.HIGH)
    assert [citation.quote.rstrip(".") for citation in result.citations] == [BRAZIL[:-1], ARGENTINA[:-1]]
    assert "the area of Brazil is 8,515,770 square kilometres, that of Argentina 2,780,400" in result.reasoning
    for claim in ("Brazil is smaller than Argentina", "It is a myth that Brazil has a larger area than Argentina"):
        assert verifier.verify(claim, given=GIVEN).verdict is Verdict.FALSE


def test_a_missing_figure_is_named_and_decides_nothing(models: Models, settings: Settings) -> None:
    result = Verifier(models, None, None, settings).verify("Brazil has a larger area than Argentina", given=GIVEN[:1])
    assert any("no figure for the area of Argentina was found" in step.message for step in result.steps)
    assert not any("Compared two figures" in step.message for step in result.steps)


def test_written_comparisons_over_the_starter_facts(models: Models, store: EvidenceStore, settings: Settings) -> None:
    seed(store, starter=True)
    verifier = Verifier(models, store, None, settings)
    counts: Counter[str] = Counter()
    for line in CLAIMS.read_text(encoding="utf-8").splitlines()[::8]:
        row = json.loads(line)
        result = verifier.verify(row["claim"])
        decided = any("Compared two figures" in step.message for step in result.steps)
        right = result.verdict == row["expected"]
        how = "compared" if decided else "read"
        counts[f"{how} right" if right else f"{how} wrong: {row['claim']}"] += 1
    assert counts["compared right"] >= 22 and not any(name.startswith("compared wrong") for name in counts), counts
