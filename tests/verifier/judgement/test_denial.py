from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.compare import compare
from verifier.judgement.denial import denies_another
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel

ANOTHER = [
    ("Mozart was born in Salzburg", "Mozart was not born in Vienna."),
    ("India became independent in 1947", "Independence did not come in 1945 or in 1950."),
    ("The Danube flows through Vienna", "The Danube does not flow through Prague."),
    ("The tower has 12 floors", "The tower doesn't have 14 floors."),
    ("Birds are descended from dinosaurs", "Birds are not descended from pterosaurs."),
    ("Koalas eat eucalyptus leaves", "Koalas do not eat meat."),
    ("John Lennon was a member of the Beatles", "Mick Jagger was never a member of the Beatles."),
    ("Valentina Tereshkova was the first woman in space", "Sally Ride was not the first woman in space."),
]
SAME = [
    ("Mozart was born in Vienna", "Mozart was not born in Vienna."),
    ("Mozart was born in Vienna", "Mozart was not born in Vienna but in Salzburg."),
    ("Mozart was born in Salzburg", "Mozart was not born in Vienna, he was born in Salzburg."),
    ("Sydney is the capital of Australia", "Canberra, not Sydney, is the capital of Australia."),
    ("Pluto is a planet", "It is not a planet like Earth."),
    ("Sydney is the capital of Australia", "The city of Sydney is not the capital of Australia."),
    ("Sydney is the capital of Australia", "Canberra is not a part of Sydney."),
    ("The vaccine contains mercury", "The vaccine does not contain mercury, the WHO said."),
]
LIMITS = [
    ("The bridge opened in 1947", "The bridge did not open until 1950."),
    ("The tower has 12 floors", "The tower has no more than 10 floors."),
]


@pytest.mark.parametrize(("claim", "sentence"), ANOTHER)
def test_the_denial_of_another_value_neither_supports_nor_refutes(claim: str, sentence: str) -> None:
    assert denies_another(parse_statement(claim), sentence)
    for label in ("SUPPORTS", "REFUTES"):
        stance, note = stance_of(parse_claim(claim), sentence, Says(label))
        assert stance.label is StanceLabel.NEUTRAL and note == "it denies another name or figure than the claim gives"
        assert stance.supports + stance.refutes + stance.neutral == pytest.approx(1)


@pytest.mark.parametrize(("claim", "sentence"), SAME + LIMITS)
def test_the_denial_of_the_claims_own_value_or_a_limit_still_counts(claim: str, sentence: str) -> None:
    assert not denies_another(parse_statement(claim), sentence)


def test_a_claim_that_denies_is_left_to_the_model() -> None:
    assert not denies_another(parse_statement("Mozart was not born in Salzburg"), "Mozart was not born in Vienna.")


def test_a_denied_figure_is_no_rival_of_the_claims_but_a_limit_is() -> None:
    for claim, sentence in [ANOTHER[1], ANOTHER[3]]:
        assert not compare(parse_statement(claim), sentence, sentence).other
    for claim, sentence in LIMITS:
        assert compare(parse_statement(claim), sentence, sentence).other
