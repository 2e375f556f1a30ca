from __future__ import annotations

import sys
from collections import Counter
from types import CodeType, FrameType

import pytest

from kb.record import NewEvidence
from verifier.check.pipeline import Verifier
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.text.framing import unframed
from verifier.text.language import InEnglish
from verifier.text.measures import measured_figures
from verifier.text.names import names_of

CLAIM = "The Eiffel Tower in Paris was completed in 1899"


def test_a_claim_is_parsed_into_what_the_stages_ask_of_it() -> None:
    claim = parse_claim("It is a myth that the capital of Australia is Sydney, with 5 million people")
    assert claim.denied and claim.statement.text == "The capital of Australia is Sydney, with 5 million people"
    assert claim.whole.text == claim.text != claim.statement.text
    assert claim.statement.names == ("Australia", "Sydney") and claim.statement.name_words == {"australia", "sydney"}
    assert [found.figure.shown for found in claim.statement.figures] == ["5 million people"]
    assert claim.statement.weights["austr"] == 3 and claim.statement.weights["sydne"] == 2
    assert claim.english is InEnglish.YES and claim.foreign == "" and claim.sentences == (claim.text,)


def test_what_nothing_frames_is_its_own_statement() -> None:
    claim = parse_claim(CLAIM)
    assert claim.statement is claim.whole and not claim.denied
    assert parse_statement("").names == () == parse_statement("").figures


@pytest.mark.parametrize(
    ("claim", "subject"),
    [
        ("Snakes don't have any bones", "Snakes"),
        ("In chess, the queen isn't allowed to jump", "the queen"),
        ("Penguins can\u2019t fly", "Penguins"),
    ],
)
def test_a_contraction_is_a_verb(claim: str, subject: str) -> None:
    assert parse_statement(claim).subject == subject


def test_another_language_is_told_once() -> None:
    claim = parse_claim("Der Turm in Paris ist 330 Meter hoch und aus Eisen")
    assert (claim.foreign, claim.english) == ("de", InEnglish.NO)


def test_no_stage_parses_a_claim_again(verifier: Verifier) -> None:
    functions = (unframed, names_of, measured_figures, parse_claim, parse_statement)
    watched: dict[CodeType, str] = {function.__code__: function.__name__ for function in functions}
    calls = Counter[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in watched and CLAIM in frame.f_locals.values():
            calls[watched[frame.f_code]] += 1

    texts = ["The Eiffel Tower was completed in 1889.", "Paris: the tower of Eiffel was opened to visitors in 1889."]
    sys.setprofile(note)
    try:
        verifier.verify(CLAIM, given=[NewEvidence(text) for text in texts])
    finally:
        sys.setprofile(None)
    assert calls == Counter({name: 1 for name in watched.values()})
