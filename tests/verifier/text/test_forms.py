from __future__ import annotations

import pytest

from verifier.text.forms import are_forms_of_one, words_of


def test_words_are_listed_as_they_are_compared() -> None:
    assert words_of("It can't rain, isn't it?") == ["it", "can", "not", "rain", ",", "is", "not", "it", "?"]
    assert words_of("He landed on 12 October 1492 in colour.") == ["he", "landed", "in", "1492", "in", "color", "."]
    assert words_of("Haemoglobin, sulphur, hours") == ["hemoglobin", ",", "sulfur", ",", "hours"]


@pytest.mark.parametrize(
    ("word", "other", "one"),
    [
        ("banana", "bananas", True),
        ("berry", "berries", True),
        ("kilometers", "kilometre", True),
        ("is", "are", True),
        ("is", "was", False),
        ("as", "a", False),
        ("sun", "sunny", False),
        ("1492", "14921", False),
    ],
)
def test_forms_of_one_word(word: str, other: str, one: bool) -> None:
    assert are_forms_of_one(word, other) is one
