from __future__ import annotations

import pytest

from verifier.document.kinds import Kinds
from verifier.document.phrases import phrases_of
from verifier.document.topic import Topic


def about(sentence: str, subject: str = "") -> Topic:
    topic = Topic()
    topic.note(subject, phrases_of(sentence), Kinds())
    return topic


@pytest.mark.parametrize(
    ("sentence", "subject", "behind"),
    [
        ("The Velm Bridge is the longest bridge.", "Velm Bridge", "the Velm Bridge"),
        ("Norway hosted the first northern games.", "Norway", "Norway, the first northern games"),
        ("On 12 May the council closed the library in Mill Lane.", "", "the library in Mill Lane"),
        ("No animal has denser fur than the sea otter.", "", "the sea otter"),
        ("Penicillin was found by Ida Berg.", "penicillin", "penicillin"),
        ("Rain fell in Velm.", "", ""),
    ],
)
def test_a_text_is_about_its_subject_and_what_else_it_names(sentence: str, subject: str, behind: str) -> None:
    assert about(sentence, subject).behind("Two judges disagreed.") == behind


def test_what_a_sentence_names_itself_is_not_put_behind_it() -> None:
    topic = about("The sea otter has dense fur.", "sea otter")
    assert topic.is_subject("the sea otter") and not topic.is_subject("")
    assert topic.behind("Sea otters eat fish.") == "" and topic.meant("It eats an otter.", False, Kinds()) == ""
    assert topic.meant("It eats fish.", False, Kinds()) == "the sea otter"
    assert topic.meant("They eat fish.", True, Kinds()) == ""


def test_only_the_first_sentences_say_what_a_text_is_about() -> None:
    topic = about("Rain fell.")
    for _ in range(3):
        topic.note("", (), Kinds())
    topic.note("Norway", phrases_of("Norway is cold."), Kinds())
    assert topic.first == ""
