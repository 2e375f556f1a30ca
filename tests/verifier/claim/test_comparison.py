"""Which claims compare two things by one quantity, and what they say of them."""

from __future__ import annotations

import pytest

from verifier.claim.comparison import Comparison, Quantity, comparison_of

AREA, POPULATION, LENGTH, HEIGHT = Quantity.AREA, Quantity.POPULATION, Quantity.LENGTH, Quantity.HEIGHT


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("Brazil has a larger area than Argentina.", Comparison("Brazil", "Argentina", (AREA,), True)),
        ("Canada is smaller than Russia", Comparison("Canada", "Russia", (AREA, Quantity.DIAMETER), False)),
        ("The Netherlands is smaller in area than Denmark", Comparison("Netherlands", "Denmark", (AREA,), False)),
        ("The population of Spain is larger than that of Italy", Comparison("Spain", "Italy", (POPULATION,), True)),
        ("More people live in Japan than in Vietnam", Comparison("Japan", "Vietnam", (POPULATION,), True)),
        ("India has fewer inhabitants than China", Comparison("India", "China", (POPULATION,), False)),
        ("The Nile is longer than the Thames", Comparison("Nile", "Thames", (LENGTH,), True)),
        ("K2 is lower than Mount Everest", Comparison("K2", "Mount Everest", (HEIGHT,), False)),
        ("France is twice as populous as Spain", Comparison("France", "Spain", (POPULATION,), True, 2.0)),
        ("Chile is about 2.5 times as large as Italy", Comparison("Chile", "Italy", (AREA, Quantity.DIAMETER), True, 2.5)),
        ("Sweden has half the population of Norway", Comparison("Sweden", "Norway", (POPULATION,), True, 0.5)),
        (
            "Google was founded years after Microsoft was",
            Comparison(
                "Google",
                "Microsoft",
                (Quantity.BEGINNING,),
                True,
                deeds=("founded", "established", "created", "formed", "started", "launched"),
            ),
        ),
        (
            "Neptune was discovered before Uranus",
            Comparison("Neptune", "Uranus", (Quantity.BEGINNING,), False, deeds=("discovered",)),
        ),
        ("Oxford is older than Leeds", Comparison("Oxford", "Leeds", (Quantity.BEGINNING,), False)),
    ],
)  # fmt: skip
def test_a_comparison_is_read(claim: str, asked: Comparison) -> None:
    assert comparison_of(claim) == asked


@pytest.mark.parametrize(
    "claim",
    [
        "Brazil is a large country",
        "It is colder than Moscow",
        "Lead is heavier than gold",  # no names
        "Paris is larger than Paris",
        "Norway is larger than when the treaty with Sweden was signed in Karlstad, which ended the union",
        "The bridge cost more than the Tower",
        "Rome is several times as large as Milan",
        "Rome was founded before the king died",
        "Mozart was happy before Vienna",
        "",
    ],
)
def test_what_compares_no_two_names_is_left_to_the_reader(claim: str) -> None:
    assert comparison_of(claim) is None


def test_each_of_the_two_is_asked_for_its_figure() -> None:
    asked = comparison_of("Brazil has a larger area than Argentina")
    assert asked and asked.questions(AREA) == ("area of Brazil", "area of Argentina")
    asked = comparison_of("Alta was built before Breda")
    assert asked and asked.questions(Quantity.BEGINNING) == ("Alta was built in", "Breda was built in")
