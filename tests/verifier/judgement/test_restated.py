from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.restated import has_same_words, is_stated
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel

STATED = [
    ("Light travels faster than sound", "Light travels far faster than sound, nearly a million times faster in air."),
    ("The Mona Lisa hangs in the Louvre", "Leonardo da Vinci's Mona Lisa hangs in the Louvre in Paris."),
    ("Orlow exports timber to Velm", "Since the war, Orlow exports timber to Velm, and buys coal."),
    ("Canada has two official languages", "Canada has two official languages: English and French."),
]
NOT_STATED = [
    ("Spiders have six legs", "A spider has eight legs, while an insect has six legs."),
    ("Canada is the largest country", "Canada is the second largest country."),
    ("Orlow is a planet", "Orlow is a planet hunter."),
    ("Bees make honey", "Some bees make honey."),
    ("Bees make honey", "Bees never make honey."),
    ("It rained", "It rained."),
]


@pytest.mark.parametrize(("claim", "sentence"), STATED)
def test_the_claims_words_in_order_support_it(claim: str, sentence: str) -> None:
    assert is_stated(parse_statement(claim), sentence)
    stance, _ = stance_of(parse_claim(claim), sentence, Says("REFUTES"))
    assert stance.label is StanceLabel.SUPPORTS and stance.refutes == 0


@pytest.mark.parametrize(("claim", "sentence"), NOT_STATED)
def test_words_between_that_change_it_state_something_else(claim: str, sentence: str) -> None:
    assert not is_stated(parse_statement(claim), sentence)


def test_a_statement_that_is_only_told_is_left_to_the_model() -> None:
    told = "Light travels faster than sound, a viral video claims."
    stance, _ = stance_of(parse_claim("Light travels faster than sound"), told, Says("NOT ENOUGH INFO"))
    assert stance.label is StanceLabel.NEUTRAL


def test_same_words_allow_half_as_many_more() -> None:
    claim = parse_statement("The bridge over the Tarn reopened")
    assert has_same_words(claim, "The old bridge over the Tarn never reopened")
    assert not has_same_words(claim, "The Tarn has a bridge that reopened")
