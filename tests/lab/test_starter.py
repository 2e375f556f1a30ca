"""Rows of the starter facts and rows that were written: what they say, and what they leave open."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from lab.training.beside import beside_pairs, contrasted_pairs, stated_pairs
from lab.training.mixes import Makings
from lab.training.moved import moved_pairs
from lab.training.reader import CODES
from lab.training.starter import starter_pairs, starter_passages
from lab.training.written import fact_claims, text_claims
from models.encoders.embedder import Embedder
from models.pairs import NOT_ENOUGH_INFO, NOT_SUPPORTED, SUPPORTS, normalised, read_rows

DATA = Path(__file__).parents[1] / "data"
PASSAGES = [
    "The Mona Lisa hangs in the Louvre. Leonardo da Vinci painted the Mona Lisa. It is on a panel of poplar.",
    "Copper is a metal. Copper turns green in air.",
    "One sentence alone.",
]


def test_sentences_of_one_passage_settle_nothing_for_each_other() -> None:
    pairs = beside_pairs(PASSAGES, random.Random(1))
    assert len(pairs) == 4 and {pair.label for pair in pairs} == {NOT_ENOUGH_INFO}
    for pair in pairs:
        (passage,) = (text for text in PASSAGES if pair.claim in text)
        assert pair.evidence.split(".")[0] in passage and pair.claim not in pair.evidence
        assert not pair.claim.startswith("It ")
    stated = stated_pairs(PASSAGES, 3, random.Random(1))
    assert all(pair.label == SUPPORTS and pair.claim in pair.evidence for pair in stated) and len(stated) == 3


def test_the_starter_facts_give_thousands_of_rows() -> None:
    passages = starter_passages()
    assert len(beside_pairs(passages, random.Random(0))) > 5_000
    assert {pair.label for pair in contrasted_pairs(passages, 200, 0)} >= {SUPPORTS, "R"}


def test_what_is_moved_to_another_subject_is_not_said_by_its_texts(embedder: Embedder) -> None:
    passages = [
        "Sharks are fish with skeletons of cartilage. Sharks breathe with gills under water.",
        "Dolphins are mammals that live in the sea. Dolphins breathe with lungs through a blowhole.",
        "The whale shark eats plankton and small fish. It is not a whale.",
        "The sperm whale dives for squid in deep water.",
    ]
    vectors = embedder.embed(passages)
    pairs = moved_pairs(passages, vectors, embedder.embed, 10, random.Random(2))
    assert pairs and {pair.label for pair in pairs} == {NOT_SUPPORTED}
    written = " ".join(passages)
    for pair in pairs:
        assert f"{pair.claim}." not in written and pair.evidence in written
    claims = {pair.claim for pair in pairs}
    assert any(claim.startswith(("Sharks ", "Dolphins ")) for claim in claims)
    assert not any(claim.startswith(("Sharks dives", "Dolphins eats")) for claim in claims)
    assert moved_pairs(passages, vectors, embedder.embed, 10, random.Random(2)) == pairs


def claims_of_test_sets() -> set[str]:
    """The claims of all test sets."""
    rows = (row for path in DATA.glob("*.jsonl") for row in read_rows(path.with_suffix("")))
    return {normalised(row["claim"]) for row in rows if "claim" in row}


def test_claims_for_facts_stand_beside_their_fact_and_in_no_test_set() -> None:
    passages = starter_passages()
    pairs = fact_claims(passages)
    labels = Counter(pair.label for pair in pairs)
    assert len(pairs) > 15_000 and min(labels.values()) > 0.3 * len(pairs) and set(labels) == set(CODES)
    assert {pair.evidence for pair in pairs} <= set(passages)
    assert not claims_of_test_sets() & {normalised(pair.claim) for pair in pairs}
    assert fact_claims([passages[0] + " It is old."]) == []


def test_claims_for_texts_are_of_all_labels_and_in_no_test_set() -> None:
    pairs = text_claims()
    labels = Counter(pair.label for pair in pairs)
    assert len(pairs) > 20_000 and min(labels.values()) > 0.3 * len(pairs) and set(labels) == set(CODES)
    assert len({pair.evidence for pair in pairs}) > 3_000
    assert not claims_of_test_sets() & {normalised(pair.claim) for pair in pairs}
    assert all(pair.claim.strip() == pair.claim and pair.claim != pair.evidence for pair in pairs)


def test_a_run_gets_what_it_asks_for_of_the_starter_facts(embedder: Embedder) -> None:
    assert starter_pairs(Makings(), embedder.embed, 0) == ([], [])
    pairs, beside = starter_pairs(
        Makings(beside=50, stated=20, contrasted=30, moved=10, written=True), embedder.embed, 0
    )
    sources = Counter(pair.source for pair in pairs)
    assert len(beside) == 50 and {pair.label for pair in beside} == {NOT_ENOUGH_INFO}
    assert sources["made_stated"] == 20 and sources["made_moved"] >= 10 and sources["facts_written"] > 15_000
