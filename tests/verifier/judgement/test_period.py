from __future__ import annotations

import pytest

from verifier.claim.parsed import parse_statement
from verifier.judgement.period import is_in_period, tells_other_end

_WAR = "The First World War was fought from 1914 to 1918."


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("World War I started in 1918", False),
        ("World War I began in 1914.", True),
        ("World War I ended in 1918", True),
        ("World War I ended in 1914", False),
        ("World War I ended in 1916", None),
        ("The Spanish flu started in 1918", None),
        ("World War I was fought in 1918", None),
    ],
)
def test_the_years_of_a_period_are_its_beginning_and_its_end(claim: str, expected: bool | None) -> None:
    assert is_in_period(parse_statement(claim), _WAR) is expected


def test_a_denied_period_tells_nothing() -> None:
    assert (
        is_in_period(parse_statement("World War I began in 1914"), "World War I did not last from 1914 to 1920.")
        is None
    )


@pytest.mark.parametrize(
    ("claim", "sentence", "other"),
    [
        ("World War I started in 1918", "The fighting of World War I ended in November 1918.", True),
        ("World War I ended in 1914", "World War I began in 1914.", True),
        ("World War I ended in 1918", "World War I ended in 1918.", False),
        ("World War I ended in 1918", "World War I began in 1914 and ended in 1918.", False),
        ("World War I was fought in Europe", "World War I ended in 1918.", False),
    ],
)
def test_the_end_says_nothing_of_the_beginning(claim: str, sentence: str, other: bool) -> None:
    assert tells_other_end(parse_statement(claim), sentence) is other
