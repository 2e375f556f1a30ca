from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from verifier.check.gather import Models
from verifier.claim.extract import factual_part, readings

HELD_OUT = Path(__file__).parents[2] / "data" / "claim_types.jsonl"


def part_of(claim: str, models: Models) -> str:
    return factual_part(claim, lambda text: models.claim_type.probabilities(text)["FACTUAL"])


def words(text: str) -> list[str]:
    return re.findall(r"[\w%$.,'-]*\w", text.lower())


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("Minecraft is the best 2D game", "Minecraft is a 2D game"),
        ("Thankfully, unemployment fell to 3.9% in May", "Unemployment fell to 3.9% in May"),
        ("The Senate shamefully voted 52-48 to cut food aid", "The Senate voted 52-48 to cut food aid"),
        (
            "Unemployment fell to 3.9% in May, which proves the president is a genius",
            "Unemployment fell to 3.9% in May",
        ),
        ("Paris is the capital of France and the most romantic city on Earth", "Paris is the capital of France"),
        ("Mozart, who wrote 41 symphonies, is overrated.", "Mozart wrote 41 symphonies"),
    ],
)
def test_the_judgement_goes_and_the_fact_stays(models: Models, claim: str, part: str) -> None:
    assert part_of(claim, models).rstrip(".") == part


def test_errors_are_preserved(models: Models) -> None:
    assert part_of("The wonderful city of Paris is the capital of Germany", models).endswith(
        "is the capital of Germany"
    )


def test_held_out_claims_keep_their_facts_and_none_gets_a_number_or_a_name(models: Models) -> None:
    rows = [json.loads(line) for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    mixed = [row for row in rows if row["type"] == "MIXED"]
    exact = 0
    for row in mixed:
        part = words(part_of(row["claim"], models))
        exact += part == words(row["factual_part"])
        assert set(part) - set(words(row["claim"])) <= {"a", "an", "is"}, row["claim"]
    assert exact / len(mixed) >= 0.6


def test_where_no_reading_is_factual_the_claim_stays() -> None:
    assert factual_part("The best 2D game, sadly", lambda text: 0.0) == "The best 2D game, sadly"


def test_readings_are_bounded_and_differ_from_the_claim() -> None:
    claim = "The best " + ", the worst and the ugliest thing, ".join(f"bridge {n}" for n in range(40))
    found = readings(claim)
    assert 0 < len(found) <= 120 and claim not in found


@pytest.mark.parametrize(
    "clause", ["the worst and the ugliest bridge, ", "I love a, ", "so ugly, the bad the ", "The best a; "]
)
def test_a_claim_of_many_clauses_takes_a_moment(clause: str) -> None:
    """Two hundred clauses have twenty thousand readings; the time counted is that of this thread, on any machine."""
    before = time.thread_time()
    readings((clause * 200)[:2_000])
    assert time.thread_time() - before < 5


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("one-day", "a"),
        ("European", "a"),
        ("unique", "a"),
        ("unimportant", "an"),
        ("uninvited", "an"),
        ("Uralic", "a"),
        ("urban", "an"),
        ("user", "a"),
        ("ugly", "an"),
        ("hour-long", "an"),
        ("house", "a"),
        ("11-year", "an"),
        ("online", "an"),
        ("onerous", "an"),
    ],
)
def test_the_article_goes_by_the_sound(word: str, article: str) -> None:
    found = readings(f"Finland has the most wonderful {word} festival in July.")
    assert f"Finland has {article} {word} festival in July." in found
