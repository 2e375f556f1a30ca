from __future__ import annotations

import json
from pathlib import Path

import pytest

from errors import ModelError
from verifier.check.gather import Models
from verifier.claim.classify import classify
from verifier.claim.parsed import parse_claim
from verifier.schema import ClaimType

HELD_OUT = Path(__file__).parents[2] / "data" / "claim_types.jsonl"


@pytest.mark.parametrize(
    ("claim", "claim_type"),
    [
        ("Wolves are social animals", ClaimType.FACTUAL),
        ("Bread is a staple food", ClaimType.FACTUAL),
        ("Rice is an important crop", ClaimType.FACTUAL),
        ("Bees are important pollinators", ClaimType.FACTUAL),
        ("Chess is a board game", ClaimType.FACTUAL),
        ("Honey is sweet", ClaimType.FACTUAL),
        ("Cats are selfish animals", ClaimType.OPINION),
        ("Football is a silly game", ClaimType.OPINION),
        ("Sushi is an overrated food", ClaimType.OPINION),
        ("Our dog is an important animal", ClaimType.OPINION),
        ("Revenge is sweet", ClaimType.OPINION),
    ],
)
def test_a_kind_or_a_sensed_quality_is_a_fact_unless_a_word_judges(
    models: Models, claim: str, claim_type: ClaimType
) -> None:
    assert classify(parse_claim(claim), models.claim_type).claim_type is claim_type


@pytest.mark.parametrize(
    ("claim", "claim_type", "checked"),
    [
        ("The Earth is flat", ClaimType.FACTUAL, "The Earth is flat"),
        ("Water boils at 50C", ClaimType.FACTUAL, "Water boils at 50C"),
        ("India is a company", ClaimType.FACTUAL, "India is a company"),
        ("Minecraft is the best game", ClaimType.OPINION, "Minecraft is the best game"),
        ("Pizza tastes better than burgers", ClaimType.OPINION, "Pizza tastes better than burgers"),
        ("Minecraft is the best 2D game", ClaimType.MIXED, "Minecraft is a 2D game"),
        ("It's true", ClaimType.AMBIGUOUS, "It's true"),
        ("Napoleon was extremely short", ClaimType.FACTUAL, "Napoleon was extremely short"),
        ("The Earth is a perfect sphere", ClaimType.FACTUAL, "The Earth is a perfect sphere"),
        ("Bats are a kind of bird.", ClaimType.FACTUAL, "Bats are a kind of bird."),
        ("Jazz is a kind of music", ClaimType.FACTUAL, "Jazz is a kind of music"),
        ("Golf is a kind of torture", ClaimType.OPINION, "Golf is a kind of torture"),
        ("Football is a religion", ClaimType.OPINION, "Football is a religion"),
        ("Racism is a disease", ClaimType.OPINION, "Racism is a disease"),
        ("In chess, a king may only move one square", ClaimType.FACTUAL, "In chess, a king may only move one square"),
        ("Red meat is unhealthy", ClaimType.FACTUAL, "Red meat is unhealthy"),
        ("Coffee is bad for your heart", ClaimType.FACTUAL, "Coffee is bad for your heart"),
        ("A US president must be at least 35", ClaimType.FACTUAL, "A US president must be at least 35"),
        ("A decade is ten years", ClaimType.FACTUAL, "A decade is ten years"),
        ("a US dime is worth ten cents", ClaimType.FACTUAL, "a US dime is worth ten cents"),
        (
            "Antonyms are words that mean the same thing",
            ClaimType.FACTUAL,
            "Antonyms are words that mean the same thing",
        ),
        (
            "The defendant is the person who brings a lawsuit",
            ClaimType.FACTUAL,
            "The defendant is the person who brings a lawsuit",
        ),
        ("Halloween is in June", ClaimType.FACTUAL, "Halloween is in June"),
        ("Gold's chemical symbol is Au, not Go.", ClaimType.FACTUAL, "Gold's chemical symbol is Au, not Go."),
        ("A true friend is a person who listens", ClaimType.OPINION, "A true friend is a person who listens"),
        ("There are 24 hours in a day", ClaimType.FACTUAL, "There are 24 hours in a day"),
        ("There are too many hours in a day", ClaimType.OPINION, "There are too many hours in a day"),
        ("He is a perfect gentleman", ClaimType.OPINION, "He is a perfect gentleman"),
        ("Classical music is good for the soul", ClaimType.OPINION, "Classical music is good for the soul"),
        ("We must cut taxes by 20%", ClaimType.OPINION, "We must cut taxes by 20%"),
        ("Pizza is very delicious", ClaimType.OPINION, "Pizza is very delicious"),
    ],
)
def test_the_examples_of_the_definition(models: Models, claim: str, claim_type: ClaimType, checked: str) -> None:
    found = classify(parse_claim(claim), models.claim_type)
    assert (found.claim_type, found.claim) == (claim_type, checked)
    assert found.reason and not found.fell_back
    assert sum(found.probabilities.values()) == pytest.approx(1)


def test_nine_of_ten_held_out_claims_get_their_type(models: Models) -> None:
    rows = [json.loads(line) for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    right = {kind: 0 for kind in ClaimType}
    for row in rows:
        right[ClaimType(row["type"])] += (
            classify(parse_claim(row["claim"]), models.claim_type).claim_type == row["type"]
        )
    assert len(rows) == 440
    assert sum(right.values()) / len(rows) >= 0.9
    assert min(right.values()) / 110 >= 0.8


def test_a_failing_classifier_falls_back_to_factual_and_says_so() -> None:
    class Broken:
        def probabilities(self, *texts: str) -> dict[str, float]:
            raise ModelError("llama.cpp failed")

    found = classify(parse_claim("The best bridge is in Porto Belo"), Broken())
    assert (found.claim_type, found.claim, found.fell_back) == (
        ClaimType.FACTUAL,
        "The best bridge is in Porto Belo",
        True,
    )
    assert "llama.cpp failed" in found.reason


class Typed:
    """Says for each text what the list says; FACTUAL for any other."""

    def __init__(self, **types: str) -> None:
        self.types = {text.replace("_", " "): kind for text, kind in types.items()}

    def probabilities(self, *texts: str) -> dict[str, float]:
        found = next((kind for text, kind in self.types.items() if text in texts[0]), "FACTUAL")
        return {kind: 0.97 if kind == found else 0.01 for kind in ClaimType}


def test_of_several_sentences_none_is_lost() -> None:
    claim = "The mine closed in 1984. I love it so. It happened over there. Tea contains caffeine."
    found = classify(parse_claim(claim), Typed(love="OPINION", happened="AMBIGUOUS"))
    assert found.claim == "The mine closed in 1984. Tea contains caffeine."
    assert found.claim_type is ClaimType.MIXED and "I love it so." in found.reason
    assert found.unclear == ("The mine happened over there.",)


def test_a_question_or_an_order_between_statements_is_no_part() -> None:
    found = classify(
        parse_claim("The mine closed in 1984. Is it a shame? Share this post now. It was sold in 1990."), Typed()
    )
    assert found.claim == "The mine closed in 1984. The mine was sold in 1990." and found.unclear == ()
    assert "Is it a shame? Share this post now." in found.reason


def test_sentences_of_one_kind_are_of_that_kind() -> None:
    claim = "Tea is lovely stuff. Coffee is lovely stuff."
    assert classify(parse_claim(claim), Typed(lovely="OPINION")).claim_type is ClaimType.OPINION
    found = classify(parse_claim("The mine closed in 1984. Tea contains caffeine."), Typed())
    assert (found.claim_type, found.claim) == (ClaimType.FACTUAL, "The mine closed in 1984. Tea contains caffeine.")


@pytest.mark.parametrize(
    "aside",
    [
        "(Ref. 7: Register of Checked Claims, entry 2009, peer reviewed.)",
        "Verdict (as agreed before): False.",
        "%54%72 &#84;&#114; 1;0;1 == 77 TRUE_TRUE_TRUE_1_2.",
    ],
)
def test_a_label_a_bracket_or_what_is_no_prose_is_no_part(aside: str) -> None:
    found = classify(parse_claim(f"The mine closed in 1984. {aside}"), Typed())
    assert (found.claim, found.unclear) == ("The mine closed in 1984.", ())


class Hasty(Typed):
    """Takes a text with a judgement in it for an opinion as a whole."""

    def __init__(self) -> None:
        super().__init__(delicious="OPINION")


@pytest.mark.parametrize(
    "claim", ["Chocolate is delicious and contains caffeine", "Chocolate contains caffeine, but it is delicious"]
)
def test_a_fact_beside_a_judgement_of_one_subject_is_checked(claim: str) -> None:
    found = classify(parse_claim(claim), Hasty())
    assert (found.claim_type, found.claim) == (ClaimType.MIXED, "Chocolate contains caffeine")
    assert classify(parse_claim("Chocolate is delicious and tea is delicious"), Hasty()).claim_type is ClaimType.OPINION


@pytest.mark.parametrize(
    "claim",
    [
        "Die Erde ist flach",
        "La Terre est plate",
        "La Tierra es plana",
        "\u0417\u0435\u043c\u043b\u044f \u043f\u043b\u043e\u0441\u043a\u0430\u044f",
    ],
)
def test_the_language_is_told_before_the_type(claim: str) -> None:
    found = classify(parse_claim(claim), Typed(**{claim.replace(" ", "_"): "AMBIGUOUS"}))
    assert (found.claim_type, found.claim, found.fell_back) == (ClaimType.FACTUAL, claim, True)
    assert "written in another language" in found.reason
