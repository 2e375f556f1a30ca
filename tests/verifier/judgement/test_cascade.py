from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kb.record import NewEvidence
from lab.evaluation.cascade import Read, Row, chosen, rows_of
from lab.evaluation.readings import Readings, Text, chances, difference, fit_calibration
from models.llm.generator import Generator
from models.metrics import expected_calibration_error
from verifier.claim.parsed import parse_claim
from verifier.evaluation.cases import Case
from verifier.evidence.retrieve import from_texts
from verifier.judgement.cascade import MAX_WORDS, NOTE, excerpts, fused, of_claim, unsure
from verifier.judgement.verdict import Circumstances, judge
from verifier.llm.likelihood import Calibration
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


def test_advice_is_pooled_with_the_stances_of_what_was_read() -> None:
    found = fused(EVIDENCE, Advice((Stance(0.8, 0.1, 0.1),), left_out=1), weight=1.0)
    # 0.3 x 0.8 : 0.1 x 0.1 : 0.6 x 0.1
    assert stances(found) == [(0.774, 0.032, 0.194), (0.1, 0.6, 0.3)]
    assert found[0].note == NOTE and found[1] is EVIDENCE[1]
    both = fused(EVIDENCE, Advice((Stance(0.8, 0.1, 0.1), Stance(0.04, 0.0, 0.96))), weight=0.5)
    assert stances(both)[0] == (0.548, 0.065, 0.387)  # roots of the chances
    assert both[1].note == f"it asks the question; {NOTE}"
    read = replace(EVIDENCE[0], readings=(Stance(0.3, 0.1, 0.6), Stance(0.2, 0.1, 0.7)))
    assert fused([read], Advice((Stance(0.8, 0.1, 0.1),)), weight=1.0)[0].readings is None


def test_an_advice_of_no_weight_or_of_no_opinion_changes_no_stance() -> None:
    sure, none = Stance(0.98, 0.01, 0.01), Stance(1 / 3, 1 / 3, 1 / 3)
    assert stances(fused(EVIDENCE, Advice((sure, sure)), weight=0)) == stances(EVIDENCE)
    assert stances(fused(EVIDENCE, Advice((none, none)), weight=1)) == stances(EVIDENCE)


def test_advice_on_a_statement_counts_the_other_way_for_a_claim_that_denies_it() -> None:
    advice = Advice((Stance(0.8, 0.15, 0.05),))
    assert of_claim(parse_claim("It is a myth that bats are blind"), advice).stances == (Stance(0.15, 0.8, 0.05),)
    assert of_claim(parse_claim("Bats are blind"), advice) is advice


def test_an_excerpt_is_the_closest_sentence_and_what_fits_around_it() -> None:
    first, last = "The ferry was built in 1960 by two brothers.", "It was raised in May."
    text = f"{'Tickets are sold on board every day. ' * 20}{first} The ferry to Orso sank in the harbour. {last}"
    (found,) = excerpts(parse_claim("The ferry to Orso sank in the harbour"), from_texts([NewEvidence(text)]))
    assert f"{first} The ferry to Orso sank in the harbour." in found and found in text
    assert 15 < len(found.split()) <= MAX_WORDS


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


def text(stance: tuple[float, ...], reading: tuple[float, ...], truth: int) -> Text:
    return Text(np.array(stance), np.array([reading, reading]), truth)


def test_a_calibration_undoes_what_a_model_prefers() -> None:
    sure = ((0.9, 0.05, 0.05), (0.5, 0.45, 0.05), (0.55, 0.05, 0.4))  # each leans to the first answer
    texts = [text((0.3, 0.3, 0.4), sure[truth], truth) for truth in (0, 1, 2) * 6]
    texts += [text((0.3, 0.3, 0.4), sure[0], 2), text((0.3, 0.3, 0.4), sure[1], 0)]
    fitted = fit_calibration(texts)
    assert fitted.bias[0] == min(fitted.bias)
    truth = [each.truth for each in texts]
    assert (chances(texts, fitted)[1].argmax(1) == truth).mean() == pytest.approx(0.9)
    assert expected_calibration_error(chances(texts, fitted)[1], np.array(truth)) < expected_calibration_error(
        chances(texts, Calibration(1.0))[1], np.array(truth)
    )


def read(confidence: float, ours: Stance, reading: tuple[float, ...], expected: Verdict) -> Read:
    claim = parse_claim("The ferry to Orso sank in the harbour")
    (found,) = from_texts([NewEvidence("The ferry to Orso sank in the harbour.")])
    evidence = [replace(found, stance=ours, relevance=3.0)]
    around = Circumstances()
    alone = replace(judge(claim, evidence, around), confidence=confidence)
    return Read(Case("1", claim.text, expected), claim, evidence, around, alone, [np.array([reading, reading])])


def test_a_threshold_is_worth_what_is_asked_below_it_and_gets_right() -> None:
    open_ = Stance(0.3, 0.02, 0.68)
    helped = read(0.55, open_, (0.98, 0.01, 0.01), Verdict.TRUE)
    assert helped.alone.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    sure = read(0.95, Stance(0.98, 0.01, 0.01), (0.01, 0.98, 0.01), Verdict.TRUE)
    assert sure.alone.verdict is Verdict.TRUE
    rows = rows_of([helped, sure], Calibration(1.0), 1.0)
    assert [(row.asked, row.right) for row in rows] == [(0.0, 0.5), *[(0.5, 1.0)] * (len(rows) - 1)]


def test_the_lowest_threshold_that_is_nearly_as_good_is_chosen() -> None:
    rows = [Row(0.0, 0.0, 0.7), Row(0.5, 0.2, 0.798), Row(0.8, 0.5, 0.80), Row(1.0, 1.0, 0.79)]
    assert chosen(rows) is rows[1]


def test_a_gain_has_an_interval_by_claims() -> None:
    gain, low, high = difference([False] * 10 + [True] * 30, [True] * 10 + [True] * 30)
    assert gain == 0.25 and 0.1 < low < 0.2 < 0.3 < high < 0.42
    assert difference([True, False], [True, False]) == (0.0, 0.0, 0.0)


def test_what_a_model_said_is_not_asked_again(tiny: Path, tmp_path: Path) -> None:
    path, loaded = tmp_path / "readings.jsonl", list[int]()

    def load() -> Generator:
        loaded.append(1)
        return Generator(tiny, 1)

    first = Readings(path, load)("The ferry sank", "It sank.")
    again = Readings(path, load)("The ferry sank", "It sank.")
    assert loaded == [1] and first.shape == (2, 3) and np.allclose(first, again, atol=1e-6)
    assert np.allclose(first.sum(axis=1), 1)
