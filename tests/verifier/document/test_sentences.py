from __future__ import annotations

import random
import time

import pytest

from errors import InputError
from verifier.document.sentences import MAX_CHARACTERS, Shape, spans

PIECES = (
    "The bridge opened in 1932.",
    "Dr. Smith lives in the U.S.",
    "is it true?",
    "\n",
    "\n\n",
    "\r\n",
    "\u2028",
    " ",
    "\t",
    "- ",
    "1. ",
    "> ",
    "# ",
    "| a | b |",
    "```",
    "x = f(1);",
    '"Yes. No," she said.',
    "\u200b",
    "\u05e9\u05dc\u05d5\u05dd. \u05de\u05d4?",
    "\u8fd9\u662f\u7b2c\u4e00\u53e5\u3002",
    "\U0001f389",
    "\ud83d",
    "...",
    "=====",
    "a) ",
)


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in spans(text)]


def anything(chance: random.Random) -> str:
    """A text of pieces that are hard to cut, and of characters of any script."""
    parts = [
        chance.choice(PIECES)
        if chance.random() < 0.7
        else "".join(chr(chance.choice((chance.randrange(0x250), chance.randrange(0x11_0000)))) for _ in range(8))
        for _ in range(chance.randrange(30))
    ]
    return "".join(parts)


@pytest.mark.parametrize("seed", range(20))
def test_spans_and_the_gaps_between_them_rebuild_the_text_and_no_letter_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        check_spans(anything(chance))


def check_spans(text: str) -> None:
    rebuilt, at = "", 0
    for span in spans(text):
        assert at <= span.start < span.end
        gap = text[at : span.start]
        assert sum(sign.isalpha() for sign in gap) == gap.count("a)"), repr(gap)
        rebuilt += gap + text[span.start : span.end]
        at = span.end
    assert rebuilt + text[at:] == text
    assert not any(sign.isalpha() for sign in text[at:].replace("a)", ""))


def test_sentences_of_a_paragraph() -> None:
    text = "Dr. Smith lives in the U.S. capital.  The bridge opened in 1932! Did it? Yes."
    assert cut(text) == ["Dr. Smith lives in the U.S. capital.", "The bridge opened in 1932!", "Did it?", "Yes."]


def test_a_paragraph_that_was_wrapped_is_read_across_its_lines() -> None:
    text = (
        "The bridge over the Velm was opened by\n"
        "Maria Olsen on 4 March 1932, and it is\n"
        "still the longest of the country. Many\n"
        "People drive over it.\n\n"
        "The tunnel is younger."
    )
    assert len(cut(text)) == 3 and cut(text)[0].endswith("the country.") and cut(text)[2] == "The tunnel is younger."


def test_lines_without_full_stops_are_sentences_of_their_own() -> None:
    lines = ["The bridge opened in 1932", "Olsen designed it", "Nobody had ever seen a longer bridge in that country"]
    assert cut("\n".join(lines)) == lines


def test_lists_headings_tables_and_code_are_told_apart() -> None:
    text = (
        "# The bridge\n\nThe facts\n=========\n\n- It opened in 1932.\n- It is long\n2) It is\n   red.\n\n"
        "| year | cars |\n| 1932 | 400 |\n\n```\nopen(bridge)\nclose(bridge)\n```\n\n> Olsen built it.\nimport bridge\n"
    )
    found = [(text[span.start : span.end], span.shape) for span in spans(text)]
    assert [words for words, shape in found if shape is Shape.PROSE] == [
        "It opened in 1932.",
        "It is long",
        "It is\n   red.",
        "Olsen built it.",
    ]
    assert [words for words, shape in found if shape is Shape.HEADING] == ["The bridge", "The facts"]
    assert [words for words, shape in found if shape is Shape.TABLE] == ["| year | cars |", "| 1932 | 400 |"]
    assert [words.split()[0] for words, shape in found if shape is Shape.CODE] == ["```", "import"]


def test_a_poem_keeps_its_sentences_across_lines() -> None:
    poem = "The river runs below the bridge,\nand nobody has seen it stop.\nThe bridge is old,\nThe river older."
    assert cut(poem) == [poem[:61], poem[62:]]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("\u8fd9\u662f\u7b2c\u4e00\u53e5\u3002\u8fd9\u662f\u7b2c\u4e8c\u53e5\uff01", 2),
        ("\u0647\u0644 \u0647\u0630\u0627 \u0635\u062d\u064a\u062d\u061f \u0646\u0639\u0645.", 2),
        ("The bridge\u200b opened.\u200b \ufeffThe tunnel \u200ddid not.", 2),
        ("The bridge opened. Die Br\u00fccke ist alt. Le pont est vieux.", 3),
        ("", 0),
        (" \n\t\u200b ... !!! \n--- ", 0),
    ],
)
def test_other_scripts_invisible_signs_and_empty_texts(text: str, count: int) -> None:
    assert len(spans(text)) == count


def test_one_sentence_of_20_000_characters_is_one_span() -> None:
    assert [(span.start, span.end) for span in spans("word " * 4_000)] == [(0, 19_999)]


def test_a_million_characters_take_seconds_and_more_are_refused_by_name_of_the_limit() -> None:
    start = time.perf_counter()
    for part in ("The bridge over the Velm opened in 1932. ", "and so on\n", "f(a(", "| ", "a\t \t", "> ", ";{ ", '"('):
        text = (part * (MAX_CHARACTERS // len(part) + 1))[:MAX_CHARACTERS]
        assert len(spans(text)) <= MAX_CHARACTERS
    assert time.perf_counter() - start < 20
    with pytest.raises(InputError, match="2,000,000 characters, at most 1,000,000"):
        spans("a" * 2_000_000)
