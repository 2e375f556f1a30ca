from __future__ import annotations

import pytest

from verifier.claim.parsed import parse_statement
from verifier.judgement.compare import compare
from verifier.text.figures import figures


@pytest.mark.parametrize(
    ("text", "per_hour", "shown"),
    [
        ("It moves at 300,000 km per second.", 1.08e9, "300,000 km per second"),
        ("It moves 12 metres a minute.", 720, "12 metres a minute"),
        ("It moves 90 kilometres in an hour.", 90, "90 kilometres in an hour"),
        ("It moves at 10 m/s.", 36_000, "10 m/s"),
    ],
)
def test_a_speed_is_told_in_the_distance_of_an_hour(text: str, per_hour: float, shown: str) -> None:
    (found,) = figures(text)
    assert found.value == pytest.approx(per_hour) and found.shown == shown
    assert all(noun.endswith("/h") for noun in found.nouns)


def test_a_distance_is_no_speed() -> None:
    for text in ("It is 300 km long.", "It is 5 km per ticket.", "It has 12 stops per hour."):
        (found,) = figures(text)
        assert not any(noun.endswith("/h") for noun in found.nouns)


def test_speeds_of_other_times_differ_and_other_units_agree() -> None:
    text = "Light travels about 300,000 kilometres in a second."
    per_hour = compare(parse_statement("Light travels about 300,000 km per hour"), text, text)
    assert per_hour.other == (("300,000 km per hour", "300,000 kilometres in a second"),)
    miles = compare(parse_statement("Light travels about 186,000 miles per second"), text, text)
    assert miles.same == ("186,000 miles per second",)
