from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim
from verifier.judgement.compare import Agreement
from verifier.judgement.held import held_by_figures, is_called_a_myth
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


@pytest.mark.parametrize("label", ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The Mars rover failed", "The Mars rover never failed."),
        ("The bridge is not closed to lorries", "The bridge is closed to lorries."),
    ],
)
def test_the_claims_own_words_with_a_denial_more_or_less_are_no_support(claim: str, text: str, label: str) -> None:
    assert stance_of(parse_claim(claim), text, Says(label))[0].supports == 0


@pytest.mark.parametrize(
    ("sentence", "called"),
    [
        ("That people before Columbus thought the Earth was flat is a misconception", True),
        ("The idea that hair grows faster once it is cut is an old wives' tale.", True),
        ("It is a common myth that the Great Wall can be seen from the Moon.", True),
        ("It is a medical myth that people use only a tenth of their brains.", True),
        ("It is not a myth that the Great Wall is long.", False),
        ("The book is about the myths of ancient Greece.", False),
        ("The Earth is flat.", False),
    ],
)
def test_what_a_sentence_calls_a_myth_it_does_not_support(sentence: str, called: bool) -> None:
    assert is_called_a_myth("The Earth is flat", sentence) is called
    assert not is_called_a_myth("That the Earth is flat is a myth", sentence)
