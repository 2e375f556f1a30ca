"""What a sentence says of the claim's own subject, of all that it says."""

from __future__ import annotations

import time

import pytest

from kb.record import NewEvidence
from verifier.check.gather import Models
from verifier.claim.parsed import parse_claim, parse_statement
from verifier.evidence.retrieve import from_texts
from verifier.judgement.closest import without_others
from verifier.judgement.own_clause import is_of_own_subject, own_clause
from verifier.judgement.stance import judge_stances


def test_of_a_contrast_the_clause_of_the_claims_subject_is_read() -> None:
    spiders = parse_statement("Spiders have six legs")
    contrast = "A spider has eight legs and no antennae, while an insect has six legs."
    assert own_clause(spiders, contrast) == "A spider has eight legs and no antennae"
    assert without_others(spiders, f"Spiders are arachnids. {contrast}").endswith("no antennae")
    years = "A common year has 365 days, and a leap year has 366 days."
    assert own_clause(parse_statement("A leap year has 365 days"), years) == "a leap year has 366 days."
    for whole in (
        "The spider has eight legs, and it spins.",
        "It rained; nobody came.",
        "Spiders hunt, while spiders of the house wait.",
    ):
        assert own_clause(spiders, whole) == whole


def test_a_contrast_decides_by_its_own_clause(models: Models) -> None:
    pieces = from_texts(
        [NewEvidence("A common year has 365 days, and a leap year has 366 days.", "https://a.example/1")]
    )
    (judged,) = judge_stances(parse_claim("A leap year has 365 days"), pieces, models.stance)
    assert judged.stance is not None and judged.stance.supports == 0 and judged.stance.refutes > 0.5
    assert judged.note == "it says 366 days, the claim 365 days" and judged.closest == pieces[0].text


def test_what_a_sentence_sets_aside_is_left_out_unless_the_claim_tells_of_it() -> None:
    sentence = "Python is named after Monty Python, not after the snake."
    assert (
        own_clause(parse_statement("Python is named after Monty Python"), sentence)
        == "Python is named after Monty Python."
    )
    assert own_clause(parse_statement("Python is named after a snake"), sentence) == sentence
    mosquitoes = "Mosquitoes, not tsetse flies, spread malaria."
    assert own_clause(parse_statement("Malaria is spread by mosquitoes"), mosquitoes) == "Mosquitoes spread malaria."
    assert own_clause(parse_statement("Tsetse flies spread malaria"), mosquitoes) == mosquitoes
    moses = "Noah and not Moses built the ark."
    assert own_clause(parse_statement("Moses built the ark"), moses) == moses
    whales = "Whales are mammals, not fish: they breathe air with lungs."
    assert own_clause(parse_statement("Whales are fish"), whales) == whales
    ice = "Dry ice is solid carbon dioxide and not frozen water."
    assert own_clause(parse_statement("Dry ice is frozen carbon dioxide"), ice) == "Dry ice is solid carbon dioxide."
    assert own_clause(parse_statement("Dry ice is frozen water"), ice) == ice


def test_what_is_denied_of_one_and_said_of_another_is_read_as_two_statements() -> None:
    volcanoes = "Mount Vesuvius is not on Sicily; Mount Etna is."
    assert own_clause(parse_statement("Mount Etna is on Sicily"), volcanoes) == "Mount Etna is on Sicily."
    assert own_clause(parse_statement("Mount Vesuvius is on Sicily"), volcanoes) == "Mount Vesuvius is not on Sicily."
    assert own_clause(parse_statement("Naples is on Sicily"), volcanoes) == volcanoes


def test_of_a_list_that_gives_its_verb_once_the_claims_own_statement_is_read() -> None:
    capitals = "Tbilisi is the capital of Georgia, Yerevan of Armenia and Baku of Azerbaijan."
    assert (
        own_clause(parse_statement("Yerevan is the capital of Georgia"), capitals)
        == "Yerevan is the capital of Armenia."
    )
    assert (
        own_clause(parse_statement("Tbilisi is the capital of Armenia"), capitals)
        == "Tbilisi is the capital of Georgia."
    )
    courts = (
        "The French Open is played on clay, Wimbledon on grass, and the Australian Open and the US Open on hard courts."
    )
    assert (
        own_clause(parse_statement("The French Open is played on grass"), courts)
        == "The French Open is played on clay."
    )
    for claim, whole in (
        ("Smith lived in Texas", "Smith lived in Paris, Texas in 1990."),
        ("Ann lives in Rome", "Ann lives in Rome, Ben works in Paris and Carl in Berlin."),
        ("Rome is in Veneto", "Rome is in Lazio and Venice is in Veneto."),
    ):
        assert own_clause(parse_statement(claim), whole) == whole


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ("The ferry to Orso did not sink.", True),
        ("It did not sink.", True),
        ("No ferry.", True),
        ("The barge from Orso did not sink.", False),
        ("Neither is part of the ferry to Orso.", False),
    ],
)
def test_a_denial_is_of_the_claims_subject_or_of_another(sentence: str, own: bool) -> None:
    assert is_of_own_subject(parse_statement("The ferry to Orso sank in the harbour"), sentence) is own


@pytest.mark.parametrize("hostile", ["The A of ", "A is on B, ", "A of, ", "the The ", "not a; ", ", not a"])
def test_a_hostile_sentence_takes_no_time(hostile: str) -> None:
    claim = parse_statement("The French Open is played on grass")
    start = time.perf_counter()
    for length in (390, 10_000):
        own_clause(claim, hostile * (length // len(hostile)) + " and C on D")
    assert time.perf_counter() - start < 1
