from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.beside import tells_of_something_else
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel

BESIDE = [
    ("The Danube flows through Vienna", "The Danube rises in Germany and flows into the Black Sea."),
    ("Brask Foods exports cheese to Velm", "Brask Foods exports butter to Ostrania."),
    ("The Sun is a planet", "The Earth and the other planets of the solar system revolve around the Sun."),
    ("Minecraft is a 2D game", "Minecraft is a video game created by the Swedish programmer Markus Persson."),
    ("Africa is a country", "Nigeria is the most populous country in Africa."),
    ("Bread is a staple food", "Rice is the staple food of more than half of the people of the world."),
]
OF_THE_CLAIM = [
    ("The Danube flows through Vienna", "The Danube flows through Vienna and Budapest."),
    ("The Danube flows through Madrid", "The Danube does not flow through Spain."),
    ("Mozart was born in Vienna", "Mozart was born in Salzburg."),
    ("Brask Foods exports only to Velm", "Brask Foods exports butter only to Ostrania."),
    ("The Sun is a planet", "The Sun is a star, and planets revolve around it."),
    ("Velm gained its freedom from Ostrania", "Velm gained its freedom from Orlow in 1960."),
    ("Columbus discovered Australia", "Columbus discovered an island of the Bahamas."),
    ("Minecraft is a 2D game", "Minecraft is a 3D game."),
    ("Orlow is a Velmish town", "Orlow is a town in Ostrania."),
    ("It rained", "It snowed."),
    ("Wolves are social animals", "The wolf is a social animal."),
    ("The ISS is a space station", "The International Space Station is the largest space station."),
    ("Bread is a staple food", "It is a staple food."),
    ("Bread is a staple food", "A staple food is bread."),
    ("Bread is the staple food of Orlow", "Rice is the staple food of Orlow."),
    ("There is a town in Orlow", "Velm is a town."),
    ("The currency of Orlow is the won", "The currency of Orlow is the yen."),
]


@pytest.mark.parametrize(("claim", "sentence"), BESIDE)
@pytest.mark.parametrize("said", ["SUPPORTS", "REFUTES"])
def test_something_else_of_the_subject_settles_nothing(claim: str, sentence: str, said: str) -> None:
    assert tells_of_something_else(parse_statement(claim), sentence, sentence)
    stance, note = stance_of(parse_claim(claim), sentence, Says(said))
    assert stance.label is StanceLabel.NEUTRAL and note == "it tells of something else"


@pytest.mark.parametrize(("claim", "sentence"), OF_THE_CLAIM)
def test_what_may_settle_it_is_left_to_the_model(claim: str, sentence: str) -> None:
    assert not tells_of_something_else(parse_statement(claim), sentence, sentence)


def test_a_text_that_names_the_claims_object_elsewhere_is_left_to_the_model() -> None:
    claim, sentence = parse_statement("Booth shot Lincoln"), "Booth shot him at Ford's Theatre."
    assert tells_of_something_else(claim, sentence, sentence)
    assert not tells_of_something_else(claim, sentence, f"{sentence} Lincoln died.")
