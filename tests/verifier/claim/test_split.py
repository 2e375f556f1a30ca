from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.claim.parsed import parse_claim
from verifier.claim.split import split_claim, statements_of

COMPOUND = Path(__file__).parents[2] / "data" / "compound_claims.jsonl"


def test_each_half_stands_on_its_own() -> None:
    parts = split_claim(parse_claim("The tower is 90 metres tall and was opened by the queen"))
    assert parts == ["The tower is 90 metres tall", "The tower was opened by the queen"]


@pytest.mark.parametrize(
    "claim",
    [
        "Bonnie and Clyde robbed banks",
        "The war lasted from 1914 to 1918",
        "Salt and pepper are cheap",
        "",
        "and",
        "; ;",
    ],
)
def test_what_states_one_thing_stays_whole(claim: str) -> None:
    assert split_claim(parse_claim(claim)) == [claim]


def test_nothing_is_dropped_beyond_the_fifth_part() -> None:
    claim = "; ".join(f"Ben{n} was born in Oslo" for n in range(9))
    assert split_claim(parse_claim(claim)) == [f"Ben{n} was born in Oslo" for n in range(9)]


def test_a_short_claim_is_never_cut() -> None:
    assert split_claim(parse_claim("Ben ate and Ann ran")) == ["Ben ate and Ann ran"]


def test_a_long_claim_ends_soon() -> None:
    assert split_claim(parse_claim("it was and " * 180))


def test_most_claims_written_for_testing_are_cut_into_the_right_number() -> None:
    rows = [json.loads(line) for line in COMPOUND.read_text(encoding="utf-8").splitlines()]
    right = [len(split_claim(parse_claim(row["claim"]))) == len(row["parts"]) for row in rows]
    assert len(rows) == 120 and sum(right) / len(rows) >= 0.95
    single = [row["claim"] for row in rows if len(row["parts"]) == 1]
    assert sum(len(split_claim(parse_claim(claim))) > 1 for claim in single) <= 2


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        # A regular past form that no list knows is the verb where there is no other.
        (
            "Cars accounted for half of the hail losses, and the mill is leaving prices as they are",
            ["Cars accounted for half of the hail losses", "The mill is leaving prices as they are"],
        ),
        ("Colonel Orde besieged Varn while Mia Reuss defended the town", ["Colonel Orde besieged Varn", "Mia Reuss defended the town"]),
        # The subject is that of the clause before the cut.
        ("Ida Berg denies that she copied it and is staying on as rector", ["Ida Berg denies that she copied it", "Ida Berg is staying on as rector"]),
        # A relative clause is about the object before it, with or without an article.
        ("Orso plans further turbines, which will stand on the Lind plain", ["Orso plans further turbines", "Further turbines will stand on the Lind plain"]),
    ],
)  # fmt: skip
def test_a_clause_keeps_its_own_subject(claim: str, parts: list[str]) -> None:
    assert split_claim(parse_claim(claim)) == parts


@pytest.mark.parametrize(
    "claim",
    [
        "The strikers demanded that the increase be withdrawn, but it was never withdrawn",
        "The Rovers won the final, and it was their first cup win ever",
    ],
)
def test_a_pronoun_that_cannot_be_the_subject_keeps_the_claim_whole(claim: str) -> None:
    assert split_claim(parse_claim(claim)) == [claim]


CAPITALS = "Paris France Rome Italy Berlin Germany Madrid Spain Oslo Sweden Vienna Austria Athens Greece".split()


@pytest.mark.parametrize("joint", [". ", "; ", ", ", " and ", "! "])
def test_every_statement_of_a_list_is_a_part(joint: str) -> None:
    said = [f"{city} is the capital of {land}" for city, land in zip(CAPITALS[::2], CAPITALS[1::2], strict=True)]
    assert split_claim(parse_claim(joint.join(said))) == said


def test_numbered_statements_lose_their_numbers_only() -> None:
    claim = "1. Paris is in France. 2. Berlin is in Spain. 3) Rome is in Italy."
    assert split_claim(parse_claim(claim)) == ["Paris is in France", "Berlin is in Spain", "Rome is in Italy"]


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        (
            "The Nile is in Africa. It is 6,650 km long. Its source is Lake Victoria.",
            ["The Nile is in Africa", "The Nile is 6,650 km long", "The Nile's source is Lake Victoria"],
        ),
        (
            "Mr. Smith met Dr. Jones in the U.S. in 1990. He died in 2001.",
            ["Mr. Smith met Dr. Jones in the U.S. in 1990", "Mr. Smith died in 2001"],
        ),
        (
            "The bridge was closed. It is known that the toll rose.",
            ["The bridge was closed", "It is known that the toll rose"],
        ),
        (
            "It is a myth that bats are blind and deaf. Bats can see.",
            ["It is a myth that bats are blind and deaf", "Bats can see"],
        ),
    ],
)
def test_a_sentence_stands_without_the_one_before_it(claim: str, parts: list[str]) -> None:
    assert split_claim(parse_claim(claim)) == parts


@pytest.mark.parametrize("claim", ["Wow! The Earth is flat", "WORST. HALFTIME SHOW. EVER.", "The mine closed. Bravo!"])
def test_a_cry_is_no_statement_of_its_own(claim: str) -> None:
    assert statements_of(claim) == [claim]


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        (
            "The vaccine protects against measles and causes autism",
            ["The vaccine protects against measles", "The vaccine causes autism"],
        ),
        (
            "Aspirin protects against heart attacks and it causes bleeding",
            ["Aspirin protects against heart attacks", "Aspirin causes bleeding"],
        ),
        (
            "The Beatles were formed in Liverpool and released Abbey Road in 1969",
            ["The Beatles were formed in Liverpool", "The Beatles released Abbey Road in 1969"],
        ),
        (
            "The vaccine was approved in March and withdrawn in June",
            ["The vaccine was approved in March", "The vaccine was withdrawn in June"],
        ),
        ("Iceland has no army and its capital is Oslo", ["Iceland has no army", "Iceland's capital is Oslo"]),
        ("Gun bans reduce crime and save lives", ["Gun bans reduce crime", "Gun bans save lives"]),
        ("Snakes don't have legs and can't blink", ["Snakes don't have legs", "Snakes can't blink"]),
    ],
)
def test_the_second_predicate_gets_the_subject_of_the_first(claim: str, parts: list[str]) -> None:
    assert split_claim(parse_claim(claim)) == parts


@pytest.mark.parametrize(
    "claim",
    [
        "The Louvre, robbed in broad daylight in October 2025, is closed",
        "The tower (built in 1950 and opened in 1960) is closed",
        "The rate fell in May, Reuters reported on Monday",
        "If it rains, the river floods the town",
        "London, the capital of England, is larger than Paris",
        "The firm bought and sold ships in Norway",
    ],
)
def test_what_only_looks_like_a_second_statement_is_not_cut_off(claim: str) -> None:
    assert split_claim(parse_claim(claim)) == [claim]
