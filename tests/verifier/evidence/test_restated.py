from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.evidence.restated import said_outright
from verifier.judgement.closest import closest_sentence
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel

STATED = [
    ("Light travels faster than sound", "Light travels far faster than sound, nearly a million times faster in air."),
    ("The Mona Lisa hangs in the Louvre", "Leonardo da Vinci's Mona Lisa hangs in the Louvre in Paris."),
    ("Orlow exports timber to Velm", "Since the war, Orlow exports timber to Velm, and buys coal."),
    ("Canada has two official languages", "Canada has two official languages: English and French."),
    ("Orlow is landlocked", "Orlow is landlocked: it has no sea coast."),
    ("Steel is an alloy of iron and carbon", "Steel is an alloy of iron and carbon and not a chemical element."),
]
STATED += [
    (
        "Columbus reached the Americas in 1492",
        "Christopher Columbus reached the Americas in October 1492, when he landed.",
    ),
    ("Blood is red because of hemoglobin", "Blood is red because of haemoglobin (a protein), which carries oxygen."),
    ("Venus is hotter than Mercury", "Mercury is cooler than Venus."),
    ("A whale is not a fish", "Whales aren't fish."),
    ("A banana is a berry", "Bananas are botanically berries."),
    ("Bats are mammals, not birds", "Bats are mammals, not birds."),
    ("Orlow lies on the Velm, not on the coast", "Orlow lies on the Velm, not on the coast, and has a mill."),
]
RULED_OUT = [
    ("Mercury is hotter than Venus", "Venus is hotter than Mercury, although Mercury is closer to the Sun."),
    ("A mile is longer than two kilometers", "A mile is shorter than two kilometres."),
    (
        "The Confederacy won the American Civil War",
        "The Confederacy lost the American Civil War, and slavery was abolished.",
    ),
    ("Sharks are mammals", "A shark is a fish, not a mammal."),
    ("Glass is a liquid", "Glass is not a liquid."),
    ("Glass is not a liquid", "Glass is a liquid."),
    ("Bees make honey", "Bees never make honey."),
    ("Africa is a country", "Africa is a continent, not a country."),
    ("The Suez Canal is in Turkey", "The Suez Canal is in Egypt and not in Turkey."),
    ("Spanish is the official language of Brazil", "Portuguese, not Spanish, is the official language of Brazil."),
    ("Humans have two hearts", "Humans do not have two hearts; an octopus has three."),
    ("Snakes have eyelids", "Snakes have no eyelids, and all snakes eat other animals."),
    ("Aristotle was the teacher of Plato", "Plato was the teacher of Aristotle, not the other way round."),
]
RULED_OUT += [("Being cold gives you a cold", "Being cold does not give a person a cold.")]
NOT_STATED = [
    ("Anyone can become president", "Someone can become president."),
    ("Spiders have six legs", "A spider has eight legs, while an insect has six legs."),
    ("Canada is the largest country", "Canada is the second largest country."),
    ("Orlow is a planet", "Orlow is a planet hunter."),
    ("Bees make honey", "Some bees make honey."),
    ("It rained", "It rained."),
    ("Africa is a continent with many people", "Africa is a continent, not a country."),
    ("Africa is a hot continent", "Africa is a continent, not a country."),
    ("Bees make honey and wax", "Bees make honey, not money."),
    ("Fish can breathe", "Fish cannot breathe out of water."),
    ("Sharks are fish", "Sharks are not mammals."),
    ("York is in England", "New York is in England only by mistake."),
    ("Dogs have two bones more than cats", "Dogs are larger than cats."),
    ("Bats are mammals, not birds", "Fruit bats are mammals, not birds."),
    ("Bats are mammals, not birds", "Bats are mammals, not birds of prey."),
]


@pytest.mark.parametrize(("claim", "sentence"), STATED)
def test_the_claims_words_in_order_support_it(claim: str, sentence: str) -> None:
    assert said_outright(parse_statement(claim), sentence) is True
    stance, _ = stance_of(parse_claim(claim), sentence, Says("REFUTES"))
    assert stance.label is StanceLabel.SUPPORTS and stance.refutes == 0


@pytest.mark.parametrize(("claim", "sentence"), RULED_OUT)
def test_a_denial_and_a_plain_opposite_rule_it_out(claim: str, sentence: str) -> None:
    assert said_outright(parse_statement(claim), sentence) is False
    stance, _ = stance_of(parse_claim(claim), sentence, Says("SUPPORTS"))
    assert stance.label is StanceLabel.REFUTES and stance.supports == 0


@pytest.mark.parametrize(("claim", "sentence"), NOT_STATED)
def test_words_between_that_change_it_state_something_else(claim: str, sentence: str) -> None:
    assert said_outright(parse_statement(claim), sentence) is None


def test_a_statement_that_is_only_told_is_left_to_the_model() -> None:
    told = "Light travels faster than sound, a viral video claims."
    stance, _ = stance_of(parse_claim("Light travels faster than sound"), told, Says("NOT ENOUGH INFO"))
    assert stance.label is StanceLabel.NEUTRAL


@pytest.mark.parametrize(
    ("claim", "sentence", "label"),
    [
        ("Bees make honey", "It is a myth that bees make honey.", StanceLabel.REFUTES),
        ("Bees do not make honey", "It is a myth that bees do not make honey.", StanceLabel.REFUTES),
        ("Bees make honey", "It is false that bees do not make honey.", StanceLabel.SUPPORTS),
        ("Bees make honey", "It is a fact that bees make honey.", StanceLabel.SUPPORTS),
        ("Bats are mammals", "It is a myth that bats are blind; bats are mammals.", StanceLabel.NEUTRAL),
    ],
)
def test_a_frame_that_denies_the_claims_words_rules_it_out(claim: str, sentence: str, label: StanceLabel) -> None:
    stance, _ = stance_of(parse_claim(claim), sentence, Says("NOT ENOUGH INFO"))
    assert stance.label is label


def test_a_sentence_that_settles_the_claim_is_the_one_that_is_read() -> None:
    text = "Venus is hotter than Mercury. Mercury is the planet closest to the Sun, and Venus is the hottest planet."
    claim = parse_statement("Mercury is hotter than Venus")
    start, end = closest_sentence(claim, text)
    assert text[start:end] == "Venus is hotter than Mercury."
