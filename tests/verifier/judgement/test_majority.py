from __future__ import annotations

import pytest

from tests.fakes import Says
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.judgement.majority import has_most
from verifier.judgement.stance import stance_of
from verifier.schema import StanceLabel

_AIR = "Earth's air is about 78% nitrogen and 21% oxygen"


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        ("Nitrogen makes up most of Earth's atmosphere", _AIR, True),
        ("The Earth's atmosphere is mostly nitrogen", _AIR, True),
        ("The Earth's atmosphere is mostly oxygen", _AIR, False),
        ("Water covers most of the Earth", "About 71% of the surface of the Earth is water and 29% is land.", True),
        ("Land covers most of the Earth", "About 71% of the surface of the Earth is water and 29% is land.", False),
        ("Oxygen makes up most of the air", "Oxygen makes up only about 21 percent of the air.", False),
        ("Most of the Earth's water is fresh water", "Only about 2.5% of Earth's water is fresh water.", False),
        ("Most of the Earth's water is salt water", "More than 97% of Earth's water is salt water.", True),
        ("Most of the Earth's water is fresh water", "Less than 3% of Earth's water is fresh water.", False),
        ("More than two thirds of the ground is clay", "About 71% of the ground is clay and 9% is sand.", True),
        ("More than 80% of the ground is clay", "About 71% of the ground is clay and 9% is sand.", False),
        ("Less than half of the ground is clay", "More than 71% of the ground is clay.", False),
        ("Less than half of the ground is clay", "Less than 50% of the ground is clay.", True),
        ("Bronze is mainly copper", "Bronze is an alloy of about 88% copper and 12% tin.", True),
    ],
)
def test_a_share_tells_whether_something_is_most(claim: str, sentence: str, expected: bool) -> None:
    assert has_most(parse_statement(claim), sentence) is expected


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Nitrogen makes up most of Earth's atmosphere", "Nitrogen makes up 78% of the air on Titan."),
        ("Most of the Earth's water is fresh water", "Lake Baikal holds 20% of the unfrozen fresh water on Earth."),
        ("Most of the Earth's water is fresh water", "Up to 60% of a person's water is fresh water."),
        ("Most of the city's voters are women", "More than 30% of the city's voters are women."),
        ("Most of the city's voters are women", "Less than 80% of the city's voters are women."),
        ("Most of the city's voters are women", "The share of the city's voters who are women rose by 8%."),
        ("Most of the city's voters are women", "Exactly 50% of the city's voters are women."),
        ("More than two thirds of the ground is clay", "More than 60% of the ground is clay."),
        ("Less than half of the ground is clay", "Less than 71% of the ground is clay."),
        ("Two thirds of the ground is clay", "About 71% of the ground is clay."),
        ("More than two thirds of the ground is clay", "About 71% of the ground is sand."),
        ("Oslo is the capital of Norway", "Some 13% of Norway's people live in Oslo."),
    ],
)
def test_what_is_no_share_of_it_tells_nothing(claim: str, sentence: str) -> None:
    assert has_most(parse_statement(claim), sentence) is None


def test_a_hostile_text_takes_no_time() -> None:
    claim = parse_statement("Most of the Earth's water is fresh water")
    for text in ("Earth's water is " * 3_000 + "5%", "5% of " * 5_000, "water earth 9% " + "a " * 20_000):
        assert has_most(claim, text) in {None, False}


def test_a_share_settles_the_claim_as_a_fact_and_not_as_a_rumour() -> None:
    claim = parse_claim("Most of the Earth's water is fresh water")
    found, _ = stance_of(claim, "Only about 2.5% of Earth's water is fresh water.", Says("SUPPORTS"))
    assert found.label is StanceLabel.REFUTES and found.supports == 0
    told, _ = stance_of(
        claim, "Some 90% of Earth's water is fresh water, a viral post claims.", Says("NOT ENOUGH INFO")
    )
    assert told.label is StanceLabel.NEUTRAL
