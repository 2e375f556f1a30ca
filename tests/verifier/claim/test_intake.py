from __future__ import annotations

import pytest

from errors import InputError
from verifier.claim.intake import clean_claim


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  The \t Earth\n\nis   flat ", "The Earth is flat"),
        ("Ｔｈｅ ﬁrst", "The first"),
        ("Water\x00 boils\x07 at 50C", "Water boils at 50C"),
        ("The \u202eEarth\u202c is \u200fflat\u200e\ufeff", "The Earth is flat"),
        ("The sun is 10⁶ km² wide", "The sun is 10^6 km2 wide"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("x < y and y > z holds", "x < y and y > z holds"),
        ("'; DROP TABLE evidence; --", "'; DROP TABLE evidence; --"),
        ("O'Brien's \"record\"", "O'Brien's \"record\""),
        ("See https://a.example/x: the Earth is flat", "See https://a.example/x: the Earth is flat"),
        ("地球は平らだ", "地球は平らだ"),
    ],
)
def test_a_claim_is_cleaned_and_nothing_else(raw: str, clean: str) -> None:
    assert clean_claim(raw) == clean


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("", "empty"),
        (" \t\n ", "empty"),
        ("\x00\x01\x1b", "empty"),
        ("\u202e\u200f\u200b\ufeff", "empty"),
        ("🎉🎉🔥", "no letters"),
        ("12345 !!!", "no letters"),
        ("a" * 2_001, "2,001 characters, at most 2,000"),
        ("a " * 1_000_000, "at most 2,000"),
        ("ﷺ" * 200, "at most 2,000"),
        ("https://www.example.org/story?id=1", "only a web address"),
        ("example.org/story", "only a web address"),
        ("ftp://10.0.0.1/x", "only a web address"),
        ("b" * 1_900, "one word of 1,900 letters"),
        ("<script>alert(1)</script>", "contains HTML"),
        ("The <b>Earth</b> is flat", "contains HTML"),
        ('<img src=x onerror="alert(1)">Hello', "contains HTML"),
    ],
)
def test_what_is_no_claim_is_refused_in_one_line(raw: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        clean_claim(raw)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


def test_two_thousand_characters_are_a_claim() -> None:
    assert len(clean_claim("word " * 399 + "words")) == 2_000
