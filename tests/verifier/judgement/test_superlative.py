from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.stance import stance_of
from verifier.judgement.superlative import Rank, rank_told
from verifier.schema import StanceLabel

MOON = "In July 1969, in the Apollo 11 mission, US astronaut Neil Armstrong became the first person to step on the Moon, followed by Buzz Aldrin."
EVEREST = "Mount Everest, on the border between Nepal and China, is the highest mountain above sea level, at about 8,849 metres."
HELD = [
    ("Neil Armstrong was the first person to walk on the Moon", MOON),
    ("Everest is the tallest mountain in the world", EVEREST),
    (
        "Russia is the largest country by area",
        "With about 17.1 million square kilometres, the Russian Federation is the biggest country on Earth.",
    ),
    ("2024 was the hottest year ever recorded", "As of early 2025, 2024 was the warmest year on record."),
    (
        "Yuri Gagarin was the first human in space",
        "The first human in space was the Soviet cosmonaut Yuri Gagarin, who orbited the Earth.",
    ),
    (
        "George Washington was the first US president",
        "George Washington was the first president of the United States, from 1789 to 1797.",
    ),
    ("Mercury is the closest planet to the Sun", "Mercury is the smallest planet and the planet closest to the Sun."),
    ("Amsterdam is the capital of the Netherlands", "The capital of the Netherlands is Amsterdam."),
    ("Hedda Brandt was the first mayor of Orlow", "Hedda Brandt, the first mayor of Orlow, opened the bridge."),
]
HELD_BY_ANOTHER = [
    ("Buzz Aldrin was the first person on the Moon", MOON),
    ("The Hague is the capital of the Netherlands", "Amsterdam is the capital of the Netherlands."),
    ("K2 is the highest mountain in the world", EVEREST),
    ("Canada is the largest country in the world", "Canada is the second largest country in the world."),
    ("The Atlantic is the largest ocean on Earth", "The Pacific Ocean is the largest and deepest ocean on Earth."),
    (
        "The elephant is the fastest land animal",
        "The cheetah is the fastest land animal, with speeds above 100 kilometres per hour.",
    ),
]
OF_ANOTHER_KIND = [
    ("Mercury is the closest planet to the Sun", "Proxima Centauri is the closest star to the Sun."),
    ("Russia is the largest country by area", "Alaska, the 49th US state since 1959, is the largest state by area."),
    (
        "Russia is the largest country by area",
        "Its 9.98 million square kilometres make Canada the second largest country.",
    ),
    ("Valentina Tereshkova was the first human in space", "Valentina Tereshkova was the first woman in space."),
    ("Brask is the oldest town in Velm", "Orlow is the oldest town in Ostrania."),
]
NOT_PLAIN = [
    ("Rio is the capital of Brazil", "Rio de Janeiro was the capital of Brazil until 1960."),
    (
        "La Paz is the capital of Bolivia",
        "Sucre is the constitutional capital of Bolivia, and La Paz is the seat of its government.",
    ),
    ("Russia is the largest country by area", "Russia is not the largest country by area."),
    (
        "Alexei Leonov was the first person to walk in space",
        "Yuri Gagarin was the first human in space, on 12 April 1961.",
    ),
    ("The Sahara is the largest desert", "The Sahara is the largest hot desert in the world."),
    (
        "The tallest mountain in North America is in Alaska",
        "Denali in Alaska is the tallest mountain in North America.",
    ),
    (
        "The Chrysler Building is the tallest building in New York",
        "In 1930 the Woolworth Building was the tallest building in New York.",
    ),
    ("Orlow is a town", "Orlow is the largest town."),
    ("", "Orlow is the largest town."),
]

HELD += [
    ("Brasilia is the capital of Brazil", "The capital of Brazil is Bras\u00edlia."),
    ("Africa is the second largest continent", "Africa is the second-largest continent."),
    ("Everest is the tallest mountain", EVEREST),
    ("Oxygen is the most common element in the crust", "Oxygen is the most abundant element in the crust of Earth."),
    ("The Sahara is the largest hot desert", "The Sahara in Africa is the largest hot desert in the world."),
]
HELD_BY_ANOTHER += [
    ("Africa is the largest continent", "Africa is the second largest continent."),
    ("Africa is the second largest continent", "Africa is the largest continent."),
    ("Europe is the second largest continent", "Africa is the second largest continent."),
    ("Oxygen is the most common element in the universe", "Hydrogen is the most abundant element in the universe."),
]
OF_ANOTHER_KIND += [
    ("Africa is the second largest continent", "Asia is the largest continent."),
    ("Africa is the second largest continent", "Australia is the smallest continent."),
    ("Asia is the largest continent", "Australia is the smallest continent."),
    ("Lagos is the largest city in the world", "Lagos is the largest city in Nigeria."),
    ("Lagos is the largest city in the world", "Lagos is the largest Nigerian city."),
    ("Oxygen is the most common element in the universe", "Oxygen is the most abundant element in the crust."),
]
NOT_PLAIN += [
    (
        "The Velm Trench is the deepest place in the sea",
        "The deepest place in the sea is Orlow Deep, in the Velm Trench.",
    ),
    ("Elephants are the largest land animals", "African elephants are the largest land animals on Earth."),
    ("Aconcagua is the highest mountain", "Aconcagua is the highest mountain in South America."),
    ("Oxygen is the most common element", "Oxygen is the most abundant element in the crust of Earth."),
]


@pytest.mark.parametrize(("claim", "sentence"), HELD)
def test_who_holds_the_rank_supports(claim: str, sentence: str) -> None:
    assert rank_told(parse_statement(claim), sentence) is Rank.HELD
    stance, _ = stance_of(parse_claim(claim), sentence, Says("REFUTES"))
    assert stance.label is StanceLabel.SUPPORTS and stance.refutes == 0


@pytest.mark.parametrize(("claim", "sentence"), HELD_BY_ANOTHER)
def test_a_rank_of_another_refutes(claim: str, sentence: str) -> None:
    assert rank_told(parse_statement(claim), sentence) is Rank.HELD_BY_ANOTHER
    stance, note = stance_of(parse_claim(claim), sentence, Says("SUPPORTS"))
    assert stance.label is StanceLabel.REFUTES and note == "it says so of another"


@pytest.mark.parametrize(("claim", "sentence"), OF_ANOTHER_KIND)
def test_another_rank_settles_nothing(claim: str, sentence: str) -> None:
    assert rank_told(parse_statement(claim), sentence) is Rank.OF_ANOTHER_KIND
    stance, note = stance_of(parse_claim(claim), sentence, Says("REFUTES"))
    assert stance.label is StanceLabel.NEUTRAL and note == "it tells of another rank than the claim does"


@pytest.mark.parametrize(("claim", "sentence"), NOT_PLAIN)
def test_what_is_not_plain_is_left_to_the_model(claim: str, sentence: str) -> None:
    assert rank_told(parse_statement(claim), sentence) is None


def test_a_rank_that_is_only_told_is_left_to_the_model() -> None:
    told = '"Karlin is the most successful club in Vosk," it says on scarves in the fan shop.'
    stance, note = stance_of(parse_claim("Karlin is the most successful club in Vosk"), told, Says("NOT ENOUGH INFO"))
    assert stance.label is StanceLabel.NEUTRAL and note == "it reports what somebody said"
