from __future__ import annotations

from dataclasses import replace

import pytest

from kb.record import NewEvidence
from verifier.evidence.retrieve import from_texts
from verifier.judgement.aggregate import aggregate, merge, unanswered
from verifier.schema import Evidence, Judgement, Stance, Tier, Verdict

TRUE, FALSE, HALF = Verdict.TRUE, Verdict.FALSE, Verdict.PARTIALLY_TRUE
MISLEADING, OPEN = Verdict.MISLEADING, Verdict.NOT_ENOUGH_EVIDENCE


def part(verdict: Verdict, confidence: float = 0.8, tier: Tier = Tier.HIGH, *notes: str) -> Judgement:
    return Judgement(verdict, confidence, tier, notes)


def piece(text: str, supports: float = 0.0, refutes: float = 0.0) -> Evidence:
    (found,) = from_texts([NewEvidence(text)])
    return replace(found, stance=Stance(supports, refutes, 1 - supports - refutes))


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([MISLEADING], MISLEADING),
        ([MISLEADING, TRUE, TRUE], MISLEADING),
        ([FALSE, MISLEADING], MISLEADING),
        ([HALF, MISLEADING, OPEN], MISLEADING),
        ([TRUE, FALSE], HALF),
        ([TRUE, FALSE, OPEN], HALF),
        ([HALF], HALF),
        ([HALF, TRUE], HALF),
        ([HALF, FALSE], HALF),
        ([HALF, OPEN], HALF),
        ([TRUE], TRUE),
        ([TRUE, TRUE, TRUE], TRUE),
        ([FALSE], FALSE),
        ([FALSE, FALSE], FALSE),
        ([FALSE, OPEN], FALSE),
        ([TRUE, OPEN], OPEN),
        ([TRUE, TRUE, TRUE, OPEN], OPEN),
        ([OPEN, OPEN], OPEN),
    ],
)
def test_the_whole_follows_from_the_parts_in_any_order(parts: list[Verdict], whole: Verdict) -> None:
    assert aggregate([part(verdict) for verdict in parts]).verdict is whole
    assert aggregate([part(verdict) for verdict in reversed(parts)]).verdict is whole


@pytest.mark.parametrize(
    ("parts", "confidence"),
    [
        ([part(TRUE, 0.9), part(TRUE, 0.8)], 0.72),
        ([part(TRUE, 0.9), part(FALSE, 0.5)], 0.45),
        ([part(HALF, 0.5), part(OPEN, 0.1)], 0.5),
        ([part(FALSE, 0.6), part(FALSE, 0.9)], 0.54),
        ([part(FALSE, 0.6), part(OPEN, 0.95)], 0.3),
        ([part(MISLEADING, 0.7), part(TRUE, 0.99), part(MISLEADING, 0.6)], 0.7),
        ([part(TRUE, 0.9), part(OPEN, 0.6), part(OPEN, 0.7)], 0.7),
        ([part(TRUE, 0.7)], 0.7),
    ],
)
def test_confidences_multiply_a_gap_halves_them_and_the_surest_part_decides_where_one_is_enough(
    parts: list[Judgement], confidence: float
) -> None:
    assert aggregate(parts).confidence == pytest.approx(confidence)


@pytest.mark.parametrize(
    ("parts", "tier"),
    [
        ([part(TRUE, 0.9, Tier.HIGH), part(TRUE, 0.9, Tier.MEDIUM)], Tier.MEDIUM),
        ([part(TRUE, 0.9, Tier.LOW), part(FALSE, 0.9, Tier.HIGH)], Tier.LOW),
        ([part(TRUE, 0.9, Tier.HIGH), part(TRUE, 0.9, Tier.HIGH)], Tier.HIGH),
        ([part(MISLEADING, 0.9, Tier.MEDIUM), part(TRUE, 0.9, Tier.LOW)], Tier.MEDIUM),
        ([part(FALSE, 0.9, Tier.HIGH), part(OPEN, 0.9, Tier.LOW)], Tier.LOW),
    ],
)
def test_the_tier_is_the_lowest_of_the_parts_that_decide_and_of_the_confidence(
    parts: list[Judgement], tier: Tier
) -> None:
    assert aggregate(parts).tier is tier


def test_gaps_are_noted_first_and_every_note_is_kept_once() -> None:
    parts = [part(TRUE, 0.9, Tier.HIGH, "one", "two"), part(OPEN, 0.5, Tier.LOW, "two", "three"), part(OPEN)]
    assert aggregate(parts).notes == ("for 2 of its 3 parts there is not enough evidence", "one", "two", "three")
    assert aggregate(parts[:1]).notes == ("one", "two")


def test_evidence_of_all_parts_is_one_list_with_the_positions_of_each_part() -> None:
    a, b, c = piece("a"), piece("b"), piece("c")
    merged, positions = merge([[a, b], [c, a], [], [b]])
    assert [found.text for found in merged] == ["a", "b", "c"]
    assert positions == [[0, 1], [2, 0], [], [1]]


def test_a_text_for_two_parts_keeps_the_stance_of_which_it_says_more() -> None:
    weak, strong = piece("a", supports=0.4, refutes=0.1), piece("a", supports=0.05, refutes=0.9)
    for parts in ([[weak], [strong]], [[strong], [weak]]):
        merged, positions = merge(parts)
        assert merged == [strong] and positions == [[0], [0]]
    assert merge([[replace(weak, stance=None)], [weak]])[0] == [weak]


def test_nothing_merges_to_nothing() -> None:
    assert merge([]) == ([], [])
    assert merge([[], []]) == ([], [[], []])


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([TRUE, OPEN], True),
        ([OPEN, OPEN], True),
        ([TRUE, TRUE], False),
        ([FALSE, OPEN], False),
        ([HALF, OPEN], False),
        ([MISLEADING, OPEN], False),
    ],
)
def test_parts_are_unanswered_where_some_are_open_and_none_speaks_against(
    verdicts: list[Verdict], expected: bool
) -> None:
    assert unanswered([part(verdict) for verdict in verdicts]) is expected


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([TRUE], OPEN),
        ([TRUE, TRUE], OPEN),
        ([TRUE, FALSE], HALF),
        ([FALSE, FALSE], FALSE),
        ([OPEN], OPEN),
        ([MISLEADING], MISLEADING),
    ],
)
def test_a_claim_is_never_true_where_a_part_was_not_checked(parts: list[Verdict], whole: Verdict) -> None:
    found = aggregate([part(verdict) for verdict in parts], unchecked=2)
    assert found.verdict is whole and found.told.endswith("two were not checked")


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ([FALSE, OPEN], "one part is false, one is not settled"),
        ([TRUE, TRUE, FALSE], "two parts are true, one is false"),
        ([TRUE, TRUE], "two parts are true"),
        ([OPEN, MISLEADING, HALF], "one part is true in part, one is misleading, one is not settled"),
    ],
)
def test_the_whole_says_what_became_of_its_parts(parts: list[Verdict], told: str) -> None:
    assert aggregate([part(verdict) for verdict in parts]).told == told
