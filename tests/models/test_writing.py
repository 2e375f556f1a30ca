"""A claim in the writing of its text: the separators of numbers, the spelling of words."""

from __future__ import annotations

import pytest

from models.writing import ended, written_as
from verifier.check.gather import Models


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("It melts at 1412 degrees", "It melts at 1,412 degrees.", "It melts at 1,412 degrees"),
        ("It melts at 1,412 degrees", "It melts at 1412 degrees.", "It melts at 1412 degrees"),
        ("12345678 people live there", "It has 12,345,678 people", "12,345,678 people live there"),
        ("It melts at 1412 degrees", "It melts at 1,413 degrees.", "It melts at 1412 degrees"),
        ("It opened in 1950", "It is 1,950 metres long", "It opened in 1950"),
        ("It is 1,412.5 m high", "It is 1412.5 m high", "It is 1412.5 m high"),
        ("It is 0.1412 m high", "It has 1,412 rooms", "It is 0.1412 m high"),
        ("No number", "1,412", "No number"),
        ("1412 or 1,412", "1412 and 1,412", "1412 or 1,412"),
    ],
)
def test_a_number_is_written_as_in_the_text(claim: str, text: str, expected: str) -> None:
    assert written_as(claim, text) == expected


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("Blood is red because of hemoglobin", "Its haemoglobin is red.", "Blood is red because of haemoglobin"),
        ("Anaemia is catching", "anemia is not catching", "Anemia is catching"),
        ("A METER IS LONG", "a metre is 100 centimetres", "A METRE IS LONG"),
        ("He traveled to the color center", "She travelled to colour centres", "He travelled to the colour center"),
        ("Sulphur was organised", "They organized sulfur", "Sulfur was organized"),
        ("Both colour and color", "Colour or color", "Both colour and color"),
        ("Four hours", "four hors", "Four hours"),
        ("The filing of steel", "the filling of teeth", "The filing of steel"),
        ("Nothing alike", "", "Nothing alike"),
    ],
)
def test_a_word_is_spelt_as_in_the_text(claim: str, text: str, expected: str) -> None:
    assert written_as(claim, text) == expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It sank", "It sank."),
        ("It sank.", "It sank."),
        ("Did it sink?", "Did it sink?"),
        ('He said "yes."', 'He said "yes."'),
        ("(It sank!)", "(It sank!)"),
        ("It sank \u2026", "It sank \u2026"),
    ],
)
def test_a_claim_ends_with_a_full_stop(claim: str, expected: str) -> None:
    assert ended(claim) == expected


def test_a_full_stop_changes_nothing_that_is_read(models: Models) -> None:
    text = "The ferry from Orso sank in the harbour of Velm in 1987."
    with_stop, without = (
        (models.stance.probabilities(claim, text), float(models.reranker.scores(claim, [text])[0]))
        for claim in ("The ferry sank in Velm.", "The ferry sank in Velm")
    )
    assert with_stop == without


def test_the_models_read_both_spellings_alike(models: Models) -> None:
    text = "Human blood is red because of haemoglobin, an iron-containing protein."
    ours, theirs = (
        models.stance.probabilities(f"Blood is red because of {name}", text) for name in ("haemoglobin", "hemoglobin")
    )
    assert ours == theirs and ours["SUPPORTS"] > ours["REFUTES"]


def test_the_models_read_both_writings_alike(models: Models) -> None:
    text = "Orvium is a metal. It melts at 1,412 degrees Celsius."
    plain, separated = (
        models.stance.probabilities(f"Orvium melts at {figure} degrees Celsius", text) for figure in ("1412", "1,412")
    )
    assert plain == separated and plain["SUPPORTS"] > plain["REFUTES"]
    scores = [
        models.reranker.scores(f"Orvium melts at {figure} degrees Celsius", [text])[0] for figure in ("1412", "1,412")
    ]
    assert scores[0] == scores[1]
