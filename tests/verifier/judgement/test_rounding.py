"""A claim in the text's figures where it rounds them, and in its own where it does not."""

from __future__ import annotations

import time

import pytest

from verifier.claim.parsed import parse_statement
from verifier.judgement.rounding import is_rounded, with_figures_of


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("Pi is about 3.14", "Pi is about 3.14159.", "Pi is about 3.14159"),
        ("Pi is 3.14", "It begins 3.14159.", "Pi is 3.14159"),
        ("A marathon is 42 km long", "It is 42.195 kilometres (26.2 miles).", "A marathon is 42.195 km long"),
        ("It is 8848 m high", "It is 8,848.86 metres high.", "It is 8,848.86 m high"),
        ("It is 384,000 km away", "It lies 384,400 kilometres away.", "It is 384,400 km away"),
        ("It is 56%", "It is 55.8 per cent.", "It is 55.8%"),
        ("It is -273 degrees Celsius", "It is -273.15 degrees Celsius.", "It is -273.15 degrees Celsius"),
        ("It cost $16.1 billion", "It cost $16.14 billion.", "It cost $16.14 billion"),
        ("It has 1410 million people", "It has about 1.41 billion people.", "It has about 1.41 billion people"),
        ("A mile is 1.6 km long", "It is about 1.609 kilometres.", "A mile is about 1.609 km long"),
        ("It costs $5 a day", "It costs approximately $5 a day.", "It costs about $5 a day"),
        ("Mali has about 23 million people", "Mali has 22.6 million people.", "Mali has about 22.6 million people"),
    ],
)
def test_a_figure_that_is_rounded_is_the_texts(claim: str, text: str, expected: str) -> None:
    assert with_figures_of(parse_statement(claim), text) == expected


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("It is 5 km away", "It is 5.4 kilometres away."),
        ("It is 8,850 metres high", "It is 8,848.86 metres high."),
        ("It is 385,100 km away", "It is 384,400 kilometres away."),
        ("It is 42.195 km long", "It is 42 kilometres long."),
        ("It is more than 42 km long", "It is 42.195 kilometres long."),
        ("It is under 56%", "It is 55.8 per cent."),
        ("It is exactly 42 km long", "It is 42.195 kilometres long."),
        ("All 430 seats are red", "It has about 430 seats."),
        ("It is 42 km long", "It is 42.1 kilometres long, or 41.9 kilometres."),
        ("The EU has 27 member states", "Unemployment in the EU was 27.2 percent."),
        ("There are 50 states", "Turnout was 50.2 percent."),
        ("About 100 countries joined", "99 percent joined."),
        ("Python 3.1 was released in 2009", "Python 3.11 was released in 2022."),
        ("World War 2 began", "About 2 million people fled."),
        ("It opened in 1930", "It weighs 1,930.5 tonnes."),
        ("It opened around 1950", "It opened in 1948."),
        ("It was on 15 April", "It was 15.1 metres deep in April."),
        ("It starts at 10:30", "It lasts 10.05 minutes."),
        ("They won 2-1", "They played about 2 hours."),
        ("No figure", "42.195 kilometres."),
    ],
)
def test_any_other_figure_stays(claim: str, text: str) -> None:
    assert with_figures_of(parse_statement(claim), text) == claim


@pytest.mark.parametrize(
    ("short", "exact", "expected"),
    [
        (8_849, 8_848.86, True),
        (8_848, 8_848.86, True),
        (8_850, 8_849.1, False),
        (3.142, 3.1411, False),
        (1_001_000, 1_000_100, False),
        (385_000, 384_500, True),
        (40_000, 40_075, True),
        (2.68, 2.675, True),
        (16.1e9, 16.14e9, True),
        (1e308, float("inf"), False),
        (0.0, 0.0, False),
    ],
)
def test_what_is_rounded(short: float, exact: float, expected: bool) -> None:
    assert is_rounded(short, exact) is expected


def test_many_figures_are_compared_in_time() -> None:
    claim = parse_statement(" ".join(f"{number}.5 km" for number in range(100, 400)))
    text = " ".join(f"about {number}.51 km" for number in range(100, 200))
    start = time.perf_counter()
    assert "about 100.51 km" in with_figures_of(claim, text)
    assert time.perf_counter() - start < 2
