from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim
from verifier.judgement.compare import Agreement
from verifier.judgement.held import held_by_figures
from verifier.judgement.stance import stance_of
from verifier.schema import Stance, StanceLabel

FOR, AGAINST = Stance(0.95, 0.03, 0.02), Stance(0.03, 0.95, 0.02)
OTHER, UNLIKE = Agreement((), (("2024", "2025"),)), Agreement(("2020",), (), ("$5 million",))


def test_another_figure_is_never_support_and_may_refute() -> None:
    assert held_by_figures(FOR, OTHER, False).label is StanceLabel.NEUTRAL
    assert held_by_figures(AGAINST, OTHER, False).label is StanceLabel.REFUTES


@pytest.mark.parametrize("stance", [FOR, AGAINST])
def test_the_figure_of_another_quantity_is_neither_support_nor_contradiction(stance: Stance) -> None:
    assert held_by_figures(stance, UNLIKE, False).label is StanceLabel.NEUTRAL


def test_what_is_denied_in_so_many_words_still_refutes() -> None:
    assert held_by_figures(AGAINST, UNLIKE, True).label is StanceLabel.REFUTES


def test_without_a_rule_a_stance_stays_and_all_sum_to_one() -> None:
    assert held_by_figures(FOR, Agreement(("2024",)), False) == FOR
    for figures in (OTHER, UNLIKE):
        for stance in (FOR, AGAINST):
            held = held_by_figures(stance, figures, False)
            assert held.supports + held.refutes + held.neutral == pytest.approx(1)


@pytest.mark.parametrize("label", ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
def test_no_note_says_another_figure_beside_support(label: str) -> None:
    text = "The law on tolls passed in 2025."
    stance, note = stance_of(parse_claim("The law on tolls passed in 2024"), text, Says(label))
    assert note == "it says 2025, the claim 2024" and stance.label is not StanceLabel.SUPPORTS
    denied, note = stance_of(parse_claim("It is a myth that the law on tolls passed in 2024"), text, Says(label))
    assert note == "it says 2025, what the claim denies 2024" and denied.label is not StanceLabel.REFUTES
