from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from verifier.claim.parsed import parse_claim
from verifier.claim.plan import Complexity, make_plan

DATA = Path(__file__).parents[2] / "data"
CLAIMS = [
    json.loads(line)["claim"]
    for name in ("claims.jsonl", "news_claims.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]


def test_every_claim_has_two_to_four_distinct_queries_of_which_the_first_is_the_claim() -> None:
    assert len(CLAIMS) > 1500
    for claim in CLAIMS:
        queries = make_plan(parse_claim(claim)).queries
        assert 2 <= len(queries) <= 4, claim
        assert len({query.lower().strip() for query in queries}) == len(queries), claim
        assert queries[0] == " ".join(claim.split()) or "#" in claim


def test_the_queries_go_from_the_claim_to_the_frames_of_a_fact_check() -> None:
    plan = make_plan(parse_claim("The mayor of London sold the Tower Bridge to a bank in 2019"))
    assert plan.queries == (
        "The mayor of London sold the Tower Bridge to a bank in 2019",
        '"Tower Bridge" mayor London sold bank 2019',
        "fact check mayor London sold Tower Bridge bank 2019",
        "mayor London sold Tower Bridge bank 2019 false or true",
    )
    assert plan.entities == ("London", "Tower Bridge") and plan.figures == ("2019",)


@pytest.mark.parametrize("claim", ["Is it?", "It is what it is", "They are out there"])
def test_a_claim_of_small_words_alone_is_asked_for_as_it_stands(claim: str) -> None:
    assert make_plan(parse_claim(claim)).queries == (claim, f"fact check {claim}", f"{claim} false or true")


@pytest.mark.parametrize(
    ("claim", "plain"),
    [
        ("\U0001f6a8 BREAKING: @BBCNews says #Vaccines kill \U0001f631", "BREAKING: BBCNews says Vaccines kill"),
        ("\u2b50\ufe0f Star \u2705 and \U0001f1fa\U0001f1f8 flag \u2600\ufe0f", "Star and flag"),
        ("The \U0001f468\u200d\U0001f469\u200d\U0001f467 family left at \u23f0 noon", "The family left at noon"),
        ("1\ufe0f\u20e3 reason to leave", "1 reason to leave"),
        ("It is a #1 hit in C#", "It is a #1 hit in C#"),
        ("Write to me@example.com", "Write to me@example.com"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 is Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 is Persian"),
    ],
)  # fmt: skip
def test_emojis_mentions_and_hash_signs_go_and_their_words_stay(claim: str, plain: str) -> None:
    assert make_plan(parse_claim(claim)).queries[0] == plain


@pytest.mark.parametrize(
    ("claim", "query"),
    [
        ("He said \u201cwe will never sell\u201d on Monday", '"we will never sell" said Monday'),
        ('The mayor of London said "I resign" to Sky News', '"I resign" mayor London said Sky News'),
        ("Joe Biden sold Air Force One", '"Joe Biden" sold Air Force One'),
        ("Europe joined the European Union", '"European Union" Europe joined'),
        ("Liz Truss's husband left in 2023", '"Liz Truss" husband left 2023'),
    ],
)
def test_a_quoted_phrase_or_else_the_first_long_name_is_looked_for_word_for_word(claim: str, query: str) -> None:
    assert make_plan(parse_claim(claim)).queries[1] == query


@pytest.mark.parametrize(
    ("claim", "entities"),
    [
        ("Nigeria's capital is Lagos", ("Nigeria", "Lagos")),
        ("James' capital is Lagos", ("James", "Lagos")),
        ("Liz Truss's capital is Lagos", ("Liz Truss", "Lagos")),
        ("It's true that Lagos grew", ("Lagos",)),
        ("Vaccines cause autism", ()),
    ],
)
def test_a_possessive_at_the_start_is_an_entity(claim: str, entities: tuple[str, ...]) -> None:
    assert make_plan(parse_claim(claim)).entities == entities


@pytest.mark.parametrize(
    "claim",
    [
        "Joe Biden is currently in Rome",
        "Hong Kong is still a British colony",
        "The bridge is now closed",
        "The bridge is no longer open",
        "Barack Obama is the president of the US",
        "Trump is not the US president",
        "Macron isn't the president of Spain",
        "Olaf Scholz is Germany's chancellor",
        "The president of France is Emmanuel Macron",
        "Rishi Sunak is prime minister",
        "World population passed 8 billion",
        "Unemployment rose by a tenth",
        "Brazil has not yet won a medal",
        "The tunnel hasn't opened yet.",
        "The tunnel has yet to open",
        "Taxes rose this year",
    ],
)
def test_what_may_change_is_bound_to_its_time(claim: str) -> None:
    assert make_plan(parse_claim(claim)).time_bound


@pytest.mark.parametrize(
    "claim",
    [
        "Water boils at 100 degrees Celsius at sea level",
        "The UN was founded in 1945",
        "Rishi Sunak was prime minister in 2023",
        "Boris Johnson was the mayor of London",
        "The Earth's population passed eight billion in 2022",
        "Velm's unemployment rate was 8.1 per cent in December 2025.",
        "The price fell, yet it rose again",
        "Columbus landed in what is now the United States in 1492",
        "The Lion King is a film",
        "The snow knows nothing",
    ],
)
def test_what_stays_as_it_was_is_not_bound_to_its_time(claim: str) -> None:
    assert not make_plan(parse_claim(claim)).time_bound


@pytest.mark.parametrize(
    ("claim", "lasting"),
    [
        ("Oslo is the capital of Norway", True),
        ("Norway has a population of 5.5 million", True),  # bound to its time, which an encyclopaedia names
        ("Ann Bell is the mayor of Orso", False),
        ("Norway is currently led by a king", False),
    ],
)
def test_reference_works_are_asked_about_what_lasts(claim: str, lasting: bool) -> None:
    assert make_plan(parse_claim(claim)).lasting is lasting


def test_few_of_the_claims_about_lasting_facts_are_bound_to_their_time() -> None:
    bound = [claim for claim in CLAIMS if make_plan(parse_claim(claim)).time_bound]
    assert 10 <= len(bound) <= 0.03 * len(CLAIMS)


@pytest.mark.parametrize(
    ("claim", "complexity"),
    [
        ("The Earth is flat", Complexity.LOW),
        ("word " * 18, Complexity.LOW),
        ("word " * 19, Complexity.HIGH),
        ("She met Macron, Scholz, Biden and Trump", Complexity.LOW),
        ("She met Macron, Scholz, Biden and Trump in 2019", Complexity.HIGH),
    ],
)
def test_many_words_or_many_names_and_figures_make_a_claim_complex(claim: str, complexity: Complexity) -> None:
    assert make_plan(parse_claim(claim)).complexity is complexity


@pytest.mark.parametrize(
    "unit",
    ["'", "a'", "a ", "$", '"', '"a', "is a ", "the king of ", "n't a ", "#", "@a", "\U0001f631", " ", "9-", "a.b-"],
)
def test_a_plan_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    make_plan(parse_claim(unit * (20_000 // len(unit))))
    assert time.process_time() - start < 3
