from __future__ import annotations

import pytest

from verifier.claim.wordings import Wording, wordings_of

RULED_OUT = [
    ("Mercury is hotter than Venus", "Venus is hotter than Mercury"),
    ("Mercury is hotter than Venus.", "Mercury is colder than Venus"),
    ("Dogs have more bones than cats", "Dogs have fewer bones than cats"),
    ("Peru is north of Panama", "Peru is south of Panama"),
    ("Troy fell before Rome was founded", "Troy fell after Rome was founded"),
    ("The North won the war", "The North lost the war"),
    ("A whale is a fish", "A whale is a mammal"),
    ("Sharks are mammals", "Sharks are fish"),
    ("Malaria is caused by a virus", "Malaria is caused by a parasite"),
    ("Sound travels faster in air than in water", "Sound travels faster in water than in air"),
    (
        "Water boils at a lower temperature at sea level than on a hill",
        "Water boils at a higher temperature at sea level than on a hill",
    ),
    ("Acid has a pH above 7", "Acid has a pH below 7"),
    ("Aristotle was the teacher of Plato", "Plato was teacher of Aristotle"),
    ("Aristotle was the teacher of Plato", "Aristotle was student of Plato"),
]
SAYS_THE_SAME = [
    ("Venus is hotter than Mercury", "Mercury is cooler than Venus"),
    ("Light travels much faster than sound", "sound travels much slower than Light"),
    ("Panama is north of Peru", "Peru is south of Panama"),
    ("Sound travels faster in water than in air", "Sound travels slower in air than in water"),
    ("Plato was a student of Socrates", "Socrates was teacher of Plato"),
]
NO_OTHER = [
    "The northern lights are caused by solar wind",
    "Sharks are not mammals",
    "It rained rather than snowed",
    "Left-wing parties won the left bank",
    "Paris is in France",
]


@pytest.mark.parametrize(("claim", "wording"), RULED_OUT)
def test_an_exchange_that_rules_the_claim_out(claim: str, wording: str) -> None:
    assert Wording(wording, False) in wordings_of(claim)


@pytest.mark.parametrize(("claim", "wording"), SAYS_THE_SAME)
def test_a_comparison_told_from_the_other_side_says_the_same(claim: str, wording: str) -> None:
    assert Wording(wording, True) in wordings_of(claim)


@pytest.mark.parametrize("claim", NO_OTHER)
def test_what_has_no_plain_opposite_keeps_its_own_words(claim: str) -> None:
    assert [wording.text for wording in wordings_of(claim) if wording.text == claim or wording.holds] == [claim]
    assert not any("right-wing" in wording.text or "fish" in wording.text for wording in wordings_of(claim))


def test_a_claim_of_four_thousand_letters_takes_no_time() -> None:
    for hostile in ("than " * 800, "a is larger " * 330, "won lost " * 440, "x " * 2_000):
        assert len(wordings_of(hostile)) < 4_000
