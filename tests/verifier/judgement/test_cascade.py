from __future__ import annotations

from dataclasses import replace

import pytest

from errors import InputError
from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from lab.evaluation.cascade import Read, Row, chosen, read_both, report, rows_of, trust_of
from models.llm.generator import Json
from tests.fakes import ScriptedGenerator
from verifier.check.gather import Models
from verifier.evaluation.cases import Case
from verifier.evidence.retrieve import from_texts
from verifier.judgement.cascade import NOTE, fused, unsure
from verifier.llm.assistant import Assistant
from verifier.schema import Advice, Evidence, Judgement, Stance, Tier, Verdict
from verifier.settings import Settings


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
    read = replace(EVIDENCE[0], readings=(Stance(0.3, 0.1, 0.6), Stance(0.2, 0.1, 0.7)))
    assert fused([read], Advice(Verdict.TRUE, (0,)), trust=0.75)[0].readings is None


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
    judgement = Judgement(verdict, confidence, Tier.LOW, rated_by=rated_by)
    assert unsure(judgement, 0.8) is expected and not unsure(judgement, 0.0)


CASES = [
    Case(
        "1",
        "The ferry to Orso sank in the harbour",
        Verdict.TRUE,
        given=(NewEvidence("In the harbour of Orso the ferry went down."),),
    ),
    Case(
        "2",
        "The ferry to Orso is painted green",
        Verdict.FALSE,
        given=(NewEvidence("The ferry to Orso is painted white."),),
    ),
    Case(
        "3",
        "The ferry to Orso was built in 1960",
        Verdict.NOT_ENOUGH_EVIDENCE,
        given=(NewEvidence("The ferry to Orso is an old ship with two decks."),),
    ),
    Case("4", "The ferry sank and the harbour was closed", Verdict.TRUE, given=(NewEvidence("The ferry sank."),)),
]
RIGHT: list[Json] = [
    {"pieces": [1], "answer": "supported"},
    {"pieces": [1], "answer": "refuted"},
    {"pieces": [], "answer": "open"},
]


def read_by(answers: list[Json], models: Models, seeded: EvidenceStore, settings: Settings) -> list[Read]:
    generator = ScriptedGenerator(answers)
    return read_both(CASES, models, seeded, Assistant(lambda: generator), settings)


def test_a_model_that_is_right_is_trusted_and_one_that_is_wrong_is_not(
    models: Models, seeded: EvidenceStore, settings: Settings
) -> None:
    good = read_by(RIGHT, models, seeded, settings)
    assert [each.case.id for each in good] == ["1", "2", "3"]  # the fourth states two things
    assert trust_of(good) == pytest.approx(4 / 6)
    rows = rows_of(good, 0.9)
    assert rows[0].asked == 0 and [row.right for row in rows] == sorted(row.right for row in rows)
    assert rows[-1].right == 1.0
    bad = read_by([*RIGHT[1:], RIGHT[0]], models, seeded, settings)
    assert trust_of(bad) == pytest.approx(1 / 6)
    assert report(bad).endswith("VERIFIER_LLM=off: it gains nothing here")


def test_the_lowest_threshold_that_is_nearly_as_good_is_chosen() -> None:
    rows = [Row(0.0, 0.0, 0.7), Row(0.5, 0.2, 0.798), Row(0.8, 0.5, 0.80), Row(1.0, 1.0, 0.79)]
    assert chosen(rows) is rows[1]


def test_without_a_case_there_is_nothing_to_fit() -> None:
    with pytest.raises(InputError, match="give other cases"):
        report([])
