"""Numbers of a claim in the writing of its text."""

from __future__ import annotations

import pytest

from models.separators import with_same_separators
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
    assert with_same_separators(claim, text) == expected


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
