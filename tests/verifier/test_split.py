from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.claim.split import split_claim

COMPOUND = Path(__file__).parents[1] / "data" / "compound_claims.jsonl"


def test_each_half_stands_on_its_own() -> None:
    parts = split_claim("The tower is 90 metres tall and was opened by the queen")
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
    assert split_claim(claim) == [claim]


def test_nothing_is_dropped_beyond_the_fifth_part() -> None:
    claim = "; ".join(f"Ben{n} was born in Oslo" for n in range(9))
    assert split_claim(claim) == [f"Ben{n} was born in Oslo" for n in range(9)]


def test_a_short_claim_is_never_cut() -> None:
    assert split_claim("Ben ate and Ann ran") == ["Ben ate and Ann ran"]


def test_a_long_claim_ends_soon() -> None:
    assert split_claim("it was and " * 180)


def test_most_claims_written_for_testing_are_cut_into_the_right_number() -> None:
    rows = [json.loads(line) for line in COMPOUND.read_text(encoding="utf-8").splitlines()]
    right = [len(split_claim(row["claim"])) == len(row["parts"]) for row in rows]
    assert len(rows) == 120 and sum(right) / len(rows) >= 0.8
    single = [row["claim"] for row in rows if len(row["parts"]) == 1]
    assert sum(len(split_claim(claim)) > 1 for claim in single) <= 2
