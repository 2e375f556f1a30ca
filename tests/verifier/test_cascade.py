from __future__ import annotations

from dataclasses import replace

import pytest

from kb.record import NewEvidence
from verifier.evidence.retrieve import from_texts
from verifier.judgement.cascade import NOTE, fused, unsure
from verifier.schema import Advice, Evidence, Judgement, Stance, Tier, Verdict


def piece(stance: Stance, note: str = "") -> Evidence:
    (found,) = from_texts([NewEvidence("The ferry sank in the harbour.")])
    return replace(found, stance=stance, note=note)


EVIDENCE = [piece(Stance(0.3, 0.1, 0.6)), piece(Stance(0.1, 0.6, 0.3), "it asks the question")]


def stances(evidence: list[Evidence]) -> list[tuple[float, ...]]:
    return [
        (round(p.stance.supports, 3), round(p.stance.refutes, 3), round(p.stance.neutral, 3))
        for p in evidence
        if p.stance
    ]


def test_advice_weighs_on_the_pieces_that_it_names() -> None:
    found = fused(EVIDENCE, Advice(Verdict.TRUE, (0,)), trust=0.75)
    # 0.3 x 0.75 : 0.1 x 0.125 : 0.6 x 0.125
    assert stances(found) == [(0.72, 0.04, 0.24), (0.1, 0.6, 0.3)]
    assert found[0].note == NOTE and found[1] is EVIDENCE[1]


def test_advice_that_leaves_it_open_weighs_on_all() -> None:
    found = fused(EVIDENCE, Advice(Verdict.NOT_ENOUGH_EVIDENCE, ()), trust=0.75)
    assert stances(found) == [(0.075, 0.025, 0.9), (0.04, 0.24, 0.72)]
    assert found[1].note == f"it asks the question; {NOTE}"


def test_a_sure_stance_stands_against_the_advice() -> None:
    sure = [piece(Stance(0.97, 0.02, 0.01))]
    ((supports, refutes, _),) = stances(fused(sure, Advice(Verdict.FALSE, (0,)), trust=0.75))
    assert supports > 0.85 > refutes


def test_an_answer_of_no_worth_changes_nothing() -> None:
    assert stances(fused(EVIDENCE, Advice(Verdict.TRUE, (0, 1)), trust=1 / 3)) == stances(EVIDENCE)


@pytest.mark.parametrize(
    ("verdict", "confidence", "rated_by", "expected"),
    [
        (Verdict.TRUE, 0.9, None, False),
        (Verdict.TRUE, 0.7, None, True),
        (Verdict.NOT_ENOUGH_EVIDENCE, 0.95, None, True),
        (Verdict.PARTIALLY_TRUE, 0.9, None, True),
        (Verdict.PARTIALLY_TRUE, 0.5, 0, False),
    ],
)
def test_a_second_reading_is_for_the_unsure(
    verdict: Verdict, confidence: float, rated_by: int | None, expected: bool
) -> None:
    assert unsure(Judgement(verdict, confidence, Tier.LOW, rated_by=rated_by), 0.8) is expected
