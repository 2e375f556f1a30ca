from __future__ import annotations

import time

import pytest

from verifier.document.speech import Speech, saying, speech_in, tells_of


@pytest.mark.parametrize(
    ("sentence", "said", "speaker"),
    [
        ("According to Olsen, the bridge is red.", "The bridge is red.", "Olsen"),
        ("The bridge is red, according to the council of Ardmore.", "The bridge is red.", "the council of Ardmore"),
        ('"The bridge is red," Olsen said.', "The bridge is red.", "Olsen"),
        ("\u201cThe bridge is red,\u201d said Maria Olsen, the mayor.", "The bridge is red.", "Maria Olsen, the mayor"),
        ('Olsen said: "The bridge is red."', "The bridge is red.", "Olsen"),
        ("The mayor said on Monday that the bridge opened in 1932.", "The bridge opened in 1932.", "The mayor"),
        ("Olsen said the bridge opened in 1932.", "The bridge opened in 1932.", "Olsen"),
        ("The bridge opened in 1932, officials said on Monday.", "The bridge opened in 1932.", "officials"),
        ("Olsen told reporters that the bridge is red.", "The bridge is red.", "Olsen"),
        ("Maria Olsen, who designed it, said that it is red.", "It is red.", "Maria Olsen"),
        ('"The bridge is red."', "The bridge is red.", ""),
    ],
)
def test_what_is_said_and_by_whom(sentence: str, said: str, speaker: str) -> None:
    assert speech_in(sentence) == Speech(said, speaker)


@pytest.mark.parametrize(
    "sentence",
    [
        "The bridge is red.",
        "The company reported a loss of 3 million euros.",
        "The mayor wrote a book about the bridge.",
        "It is said that the bridge is red.",
        "Olsen denied that the bridge is red.",
        "Olsen never said that the bridge is red.",
        "I said that it is red.",
        "The new claims that were made are false.",
        "The report notes the risk of floods.",
        "",
        "said",
    ],
)
def test_what_an_author_states_is_no_speech(sentence: str) -> None:
    assert speech_in(sentence) is None


def test_hostile_sentences_take_no_time() -> None:
    start = time.perf_counter()
    for part in (
        "a, said ",
        '"a" said ',
        "according to a, ",
        "he said on ",
        "told a b c d ",
        "that said, ",
        "a said that ",
        '", ',
    ):
        speech_in((part * 2_000)[:2_000])
    assert time.perf_counter() - start < 3


def test_that_somebody_said_it_is_a_statement_where_the_speaker_has_a_name() -> None:
    speech = Speech("The bridge is red.", "she")
    assert saying(speech, "Maria Olsen", "The bridge is red.") == "Maria Olsen said that the bridge is red."
    assert saying(speech, "the mayor, Maria Olsen", "Velm is old.") == "The mayor, Maria Olsen said that Velm is old."
    assert saying(speech, "the mayor", "Velm is old.") == saying(Speech("It is red.", ""), "", "It is red.") == ""


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Olsen told reporters that the bridge is red.", True),
        ("According to Maria Olsen it is red.", True),
        ("Maria Olsen opened the bridge.", False),
        ("Berg said that the bridge is red.", False),
    ],
)
def test_only_what_tells_what_the_speaker_said_counts(text: str, tells: bool) -> None:
    assert tells_of("Maria Olsen, the mayor", text) is tells
