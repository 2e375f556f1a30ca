from __future__ import annotations

import time

import pytest

from verifier.claim.parsed import parse_statement
from verifier.judgement.quotation import MAX_QUOTE, quoted_span
from verifier.schema import StanceLabel
from verifier.search.pages import rating_sentence

CLAIM = "The Vasco bridge was closed in 1931"


def quoted(text: str, claim: str = CLAIM) -> str:
    start, end = quoted_span(parse_statement(claim), text)
    return text[start:end]


@pytest.mark.parametrize("rated", [CLAIM, f"{CLAIM}.", f"{CLAIM}. It was sold!", "The bridge? " + CLAIM + "."])
def test_a_rated_claim_is_quoted_with_its_rating(rated: str) -> None:
    text = rating_sentence("Factline", rated, "Incorrect")
    assert quoted(text).endswith("Incorrect")


@pytest.mark.parametrize(
    "denial",
    [
        "That is false",
        "This is not true",
        "The claim is a hoax",
        "Rating: Incorrect",
        "Our verdict: false",
        "False",
        "Pants on Fire",
        "In fact, it never happened",
        "There is no evidence for it",
        "That post has been debunked",
    ],
)
def test_a_sentence_is_quoted_with_the_denial_that_follows(denial: str) -> None:
    assert quoted(f"It rained. {CLAIM}, says a post. {denial}. The sun shone.") == f"{CLAIM}, says a post. {denial}"


@pytest.mark.parametrize("more", ["It rained all day.", "It was opened in 1950.", "The toll is two crowns."])
def test_what_follows_is_not_quoted_where_it_denies_nothing(more: str) -> None:
    assert quoted(f"{CLAIM}. {more}") == CLAIM


def test_a_long_quotation_does_not_end_before_its_denial() -> None:
    filler = "by order of the harbour master and of the council of the old town, " * 4
    text = f"That {CLAIM[0].lower()}{CLAIM[1:]} {filler}was never proven by anybody."
    assert MAX_QUOTE < len(quoted(text)) <= 2 * MAX_QUOTE and quoted(text).endswith("never proven by anybody")
    endless = f"{CLAIM} {filler * 4}was never proven by anybody."
    assert "never proven" in quoted(endless) and len(quoted(endless)) <= 2 * MAX_QUOTE


def test_a_long_quotation_without_a_denial_is_cut_at_a_word() -> None:
    text = f"{CLAIM} {'by order of the council ' * 30}."
    assert len(quoted(text)) <= MAX_QUOTE and text[len(quoted(text))] == " "


def test_a_sentence_that_denies_the_claim_is_not_quoted_for_it() -> None:
    claim, text = "The Mars rover failed", "The Mars rover never failed. In June the Mars rover broke down."
    assert (
        text[slice(*quoted_span(parse_statement(claim), text, StanceLabel.SUPPORTS))]
        == "In June the Mars rover broke down"
    )
    assert text[slice(*quoted_span(parse_statement(claim), text, StanceLabel.REFUTES))] == "The Mars rover never failed"
    alone = "The Mars rover never failed. It rained."
    assert (
        alone[slice(*quoted_span(parse_statement(claim), alone, StanceLabel.SUPPORTS))] == "The Mars rover never failed"
    )


def test_a_sentence_with_the_claims_figure_is_quoted_for_it() -> None:
    claim, text = (
        "A marathon is 42 km long",
        "A marathon is a race of 42.195 kilometres. A marathon is longer than 40 kilometres.",
    )
    start, end = quoted_span(
        parse_statement(claim), text, StanceLabel.SUPPORTS, "A marathon is longer than 40 kilometres."
    )
    assert text[start:end] == "A marathon is a race of 42.195 kilometres"
    start, end = quoted_span(
        parse_statement(claim), text, StanceLabel.REFUTES, "A marathon is longer than 40 kilometres."
    )
    assert text[start:end] == "A marathon is longer than 40 kilometres"
    without = "A marathon is a long race. It is run everywhere."
    start, end = quoted_span(parse_statement(claim), without, StanceLabel.SUPPORTS, "A marathon is a long race.")
    assert without[start:end] == "A marathon is a long race"


@pytest.mark.parametrize("unit", ["a", "no ", "that is ", "rating ", ". ", "false. ", "the x is "])
def test_fifty_thousand_characters_take_less_than_two_seconds(unit: str) -> None:
    text, start = unit * (50_000 // len(unit)), time.process_time()
    assert quoted_span(parse_statement(CLAIM), text)
    assert time.process_time() - start < 2
