"""Calculations are told from statements with numbers in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.pairs import read_rows
from verifier.claim.calculation import is_calculation, is_of_other_numbers
from verifier.claim.parsed import parse_statement

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize(
    "claim",
    [
        "Nine times seven is 56.",
        "2 + 2 = 5",
        "7x8=56",
        "12 x 12 is 144",
        "15 percent of 200 is 35.",
        "The square root of 81 is 9",
        "100 divided by four equals twenty-five",
        "The sum of 3 and 4 is not 8",
        "3 squared makes nine",
        "Half of 50% is 25%",
        "(2 + 3) * 4 = 20",
    ],
)
def test_numbers_with_what_is_done_to_them_are_a_calculation(claim: str) -> None:
    assert is_calculation(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "",
        "A dozen is 12.",
        "Twelve is 12",
        "2024 was the warmest year on record",
        "Water is two parts hydrogen to one part oxygen",
        "Seven times as many people live in Lagos as in Oslo.",
        "Twenty-one is a prime number",
        "There are 24 hours in a day",
        "7 times 8",
        "The product of the three is unknown",
    ],
)
def test_what_speaks_of_anything_else_is_none(claim: str) -> None:
    assert not is_calculation(claim)


@pytest.mark.parametrize(
    ("claim", "text", "other"),
    [
        ("Nine times seven is 56.", "Seven times eight is 56.", True),
        ("Nine times seven is 56.", "The product of 9 and 7 is 63.", False),
        ("The square root of 64 is 6", "The square root of 64 is 8, since 8 times 8 is 64.", False),
        ("The square root of 64 is 6", "The square root of 36 is 6.", True),
        ("Nine planets orbit the Sun", "The Sun has eight planets.", False),
    ],
)
def test_a_text_counts_that_calculates_with_the_same_numbers(claim: str, text: str, other: bool) -> None:
    assert is_of_other_numbers(parse_statement(claim), text) is other


def test_few_claims_of_the_test_sets_are_calculations() -> None:
    claims = [
        row["claim"] for path in DATA.glob("*claims.jsonl") for row in read_rows(path.with_suffix("")) if "claim" in row
    ]
    found = [claim for claim in claims if is_calculation(claim)]
    assert len(claims) > 4_000 and 0 < len(found) < 10
