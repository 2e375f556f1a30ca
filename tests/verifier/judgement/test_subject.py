from __future__ import annotations

import pytest

from verifier.claim.parsed import parse_statement
from verifier.judgement.closest import closest_sentence
from verifier.judgement.subject import is_namesake, is_other_subject, named_after


def nearest(claim: str, text: str) -> str:
    return text[slice(*closest_sentence(parse_statement(claim), text))]


@pytest.mark.parametrize("claim", ["The capital of Australia is Sydney", "Sydney is the capital of Australia"])
@pytest.mark.parametrize(
    "other",
    ["Wellington is the capital of New Zealand.", "Sydney is the capital of New South Wales.", "The capital is old."],
)
def test_the_sentence_about_the_claims_own_country_is_the_closest(claim: str, other: str) -> None:
    own = "Canberra is the capital of Australia."
    assert nearest(claim, f"{other} {own}") == nearest(claim, f"{own} {other}") == own


def test_a_name_says_more_than_a_common_word() -> None:
    text = "The capital of New Zealand is Wellington. Australia is governed from Canberra."
    assert nearest("The capital of Australia is Sydney", text) == "Australia is governed from Canberra."


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Einstein was born in Ulm", "The Einstein Museum was opened in Bern in 1990."),
        ("Van Gogh was born in 1853", "The Van Gogh museum was opened in 1973."),
        ("Nobel was born in 1833", "The Nobel Prize was first awarded in 1901."),
        ("Kennedy died in 1963", "Kennedy Airport was opened in 1948."),
    ],
)
def test_what_is_named_after_the_subject_is_not_the_subject(claim: str, sentence: str) -> None:
    assert named_after(parse_statement(claim), sentence) and is_other_subject(parse_statement(claim), sentence)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Einstein was born in Ulm", "Einstein was born in Ulm in 1879."),
        ("The Van Gogh Museum was opened in 1973", "The Van Gogh Museum was opened in 1973."),
        ("Possession won the Booker Prize", "A. S. Byatt's novel Possession won the Booker Prize."),
        ("Nobel was born in 1833", "Nobel's house stands in Stockholm."),
        ("The bridge is open", "It is open."),
        ("Water freezes at 0 degrees Fahrenheit", "Pure water freezes at 0 degrees Celsius."),
        ("Water freezes at 0 degrees Fahrenheit", "The freezing point of water is 0 degrees Celsius."),
    ],
)
def test_the_subject_itself_is_no_other(claim: str, sentence: str) -> None:
    assert not is_other_subject(parse_statement(claim), sentence)


def test_another_name_at_the_start_of_a_sentence_is_another_subject() -> None:
    assert is_other_subject(parse_statement("France has 68 million inhabitants"), "Germany has 83 million inhabitants.")


@pytest.mark.parametrize(
    ("claim", "sentence", "other"),
    [
        ("World War II ended in 1945", "World War I began in 1914 and ended in 1918.", True),
        ("World War II ended in 1945", "The First World War ended in 1918.", True),
        ("World War II ended in 1945", "The Second World War ended in 1945.", False),
        ("Apollo 13 landed on the Moon", "Apollo 11 landed on the Moon.", True),
        ("Henry VIII had six wives", "Henry VII had one wife.", True),
        ("World War II was longer than World War I", "World War I lasted four years.", False),
        ("Type 1 is the most common kind", "Type 2 is the most common kind.", False),
        ("The treaty ended World War II", "The treaty of 1919 ended World War I.", False),
        ("April 15 was a Monday", "April 10 was a Wednesday.", False),
        ("The ship sank in 1912", "The ship was built in 1911.", False),
        ("Sudan became independent in 1956", "South Sudan became independent of Sudan in 2011.", True),
        ("South Sudan became independent in 2011", "South Sudan became independent of Sudan in 2011.", False),
        ("Sudan is the largest country there", "South Sudan is the largest country there.", False),
        ("Sudan became independent in 1956", "Sudan and South Sudan have been apart since 2011.", False),
    ],
)
def test_a_namesake_with_another_number_is_another(claim: str, sentence: str, other: bool) -> None:
    assert is_namesake(parse_statement(claim), sentence) is other
