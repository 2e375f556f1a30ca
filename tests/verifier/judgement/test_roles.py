from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.roles import are_roles_swapped
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel

SWAPPED = [
    ("Ukraine invaded Russia in 2022", "Russia launched a full-scale invasion of Ukraine on 24 February 2022."),
    ("Ukraine invaded Russia in 2022", "It was Russia that invaded Ukraine, not Ukraine that invaded Russia."),
    ("Ukraine invaded Russia in 2022", "Ukraine, which was invaded by Russia, asked for help."),
    ("Ukraine invaded Russia in 2022", "Russian troops began a full-scale invasion of Ukraine."),
    ("The Sun goes around the Earth", "Earth takes about 365.25 days to travel once around the Sun."),
    ("Brask Foods sued Orwin Media", "Orwin Media sued Brask Foods over the name."),
]
NOT_SWAPPED = [
    ("Russia invaded Ukraine in 2022", "Russia launched a full-scale invasion of Ukraine on 24 February 2022."),
    ("Russia invaded Ukraine in 2022", "Ukraine was invaded by Russia."),
    ("Russia invaded Ukraine in 2022", "Ukraine says that Russia invaded it."),
    ("The Earth goes around the Sun", "Earth takes about 365.25 days to travel once around the Sun."),
    ("Germany exports cars to France", "France imports cars from Germany."),
    ("Ottawa is Canada's capital", "The capital of Canada is Ottawa."),
    ("France borders Spain", "Spain borders France."),
    ("Shah Jahan built the Taj Mahal", "The Taj Mahal is a mausoleum built by order of the emperor Shah Jahan."),
    ("Russia invaded Ukraine", "It rained."),
    ("", "Russia invaded Ukraine."),
]


@pytest.mark.parametrize(("claim", "sentence"), SWAPPED)
def test_a_deed_told_the_other_way_round_refutes(claim: str, sentence: str) -> None:
    assert are_roles_swapped(parse_statement(claim), sentence)
    stance, note = stance_of(parse_claim(claim), sentence, Says("SUPPORTS"))
    assert stance.label is StanceLabel.REFUTES and stance.supports == 0 and note == "it says so the other way round"


@pytest.mark.parametrize(("claim", "sentence"), NOT_SWAPPED)
def test_a_deed_told_from_either_side_is_left_to_the_model(claim: str, sentence: str) -> None:
    assert not are_roles_swapped(parse_statement(claim), sentence)
