from __future__ import annotations

import pytest

from kb.duplicates import near_duplicate_of, same_facts, same_prefix

TEXT = "The tower in Paris is 330 metres tall."


@pytest.mark.parametrize(
    "other",
    [
        "The tower in Paris is 303 metres tall.",
        "The tower in Paris is not 330 metres tall.",
        "The tower in Lyon is 330 metres tall.",
    ],
)
def test_a_different_number_negation_or_name_is_a_different_statement(other: str) -> None:
    assert not same_facts(TEXT, other)
    assert near_duplicate_of(TEXT, [("id", other, 0.999)]) is None


def test_other_words_for_the_same_are_a_duplicate_only_when_near() -> None:
    other = "In Paris, the tower stands 330 metres tall."
    assert (
        near_duplicate_of(
            TEXT, [("id", "A text about Rome.", 0.99), ("twin", "This tower in Paris is 330 metres high.", 0.981)]
        )
        == "twin"
    )
    assert near_duplicate_of(TEXT, [("id", other, 0.97)]) is None


def test_the_first_hundred_characters_decide_whatever_their_case() -> None:
    start = "word " * 20
    assert same_prefix(start + "one ending", start.upper() + "another ending")
    assert not same_prefix("The bridge is long", "The bridge is longer")
