from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.publishers.credibility import publisher_of
from kb.publishers.urls import is_homepage
from kb.record import content_hash
from kb.starter.seed import GENERAL_FACTS, SEED_FACTS, save_vectors, seed, seed_facts, stored_vectors
from kb.store.evidence_store import EvidenceStore
from models.encoders.embedder import Embedder
from tests.conftest import CHECKSUM

TEN_TOPICS = {
    "Earth is approximately 4.54 billion years old": "4.54 billion",
    "Earth is round": "oblate spheroid",
    "COVID-19 vaccines are safe": "COVID-19 vaccines",
    "Apollo 11 landed in 1969": "Apollo 11",
    "humans cause climate change": "climate",
    "5G does not cause COVID-19": "5G",
    "water fluoridation is safe": "fluorid",
    "speed of light": "299,792,458",
    "India became independent in 1947": "15 August 1947",
    "the United Nations was founded in 1945": "24 October 1945",
}


def rows_of(*paths: Path) -> list[dict[str, str]]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_fact_has_text_and_an_authoritative_page() -> None:
    rows = rows_of(SEED_FACTS, GENERAL_FACTS)
    assert len(rows) >= 2_700
    assert len({content_hash(row["text"]) for row in rows}) == len(rows)
    for row in rows:
        assert 40 <= len(row["text"]) <= 512 and row["title"]
        assert row["source"].startswith("https://") and not is_homepage(row["source"])
        assert publisher_of(row["source"]).credibility >= 0.5


def test_most_topics_rest_on_two_independent_publishers() -> None:
    voices = defaultdict(set)
    for row in rows_of(SEED_FACTS):
        voices[row["topic"]].add(publisher_of(row["source"]).voice)
    assert sum(len(names) >= 2 for names in voices.values()) / len(voices) > 0.95


def test_general_facts_are_of_topics_of_their_own_and_name_their_subject() -> None:
    rows, there = rows_of(GENERAL_FACTS), {row["topic"] for row in rows_of(SEED_FACTS)}
    assert not there & {row["topic"] for row in rows}
    pronoun = re.compile(r"(?:It|He|She|They|This|That|These|Those)\b(?!'s a Wonderful Life|-Man)")  # two names
    assert not [row["text"] for row in rows if pronoun.match(row["text"])]


def test_the_ten_first_topics_are_found(seeded: EvidenceStore, embedder: Embedder) -> None:
    for query, words in TEN_TOPICS.items():
        hits = seeded.search(query, embedder.embed([query])[0], 5)
        assert any(words in hit.record.text for hit in hits), query


def test_seeding_again_adds_nothing(store: EvidenceStore) -> None:
    version = store.version
    assert seed(store) == 0
    assert store.version == version


def test_seeding_fills_a_store_and_reports_progress(empty: EvidenceStore) -> None:
    seen: list[tuple[int, int]] = []
    added = seed(empty, lambda done, total: seen.append((done, total)))
    assert added == empty.count() > 900
    assert seen[-1][0] == seen[-1][1] == len(seed_facts())
    assert all(record.pinned for record in empty.get([content_hash(fact.text)[:32] for fact in seed_facts()[:5]]))


def test_the_vectors_that_ship_are_those_of_the_embedder(embedder: Embedder) -> None:
    """Fails after a fact or the embedder changed: run `python -m kb seed --vectors`."""
    facts, stored = seed_facts(), stored_vectors(CHECKSUM)
    assert stored.keys() == {content_hash(fact.text) for fact in facts}
    some = [fact.text for fact in (*facts[:20], *facts[-20:])]
    cosines = (np.array([stored[content_hash(text)] for text in some]) * embedder.embed(some)).sum(axis=1)
    assert cosines.min() > 0.999  # processors round differently


def test_vectors_that_are_missing_are_made_in_one_more_file(tmp_path: Path) -> None:
    facts = [content_hash(fact.text) for fact in seed_facts()]

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 384), 384**-0.5, np.float32)

    assert save_vectors(embed, "first", tmp_path) == len(facts)
    assert save_vectors(embed, "first", tmp_path) == 0 and save_vectors(embed, "second", tmp_path) == len(facts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seed_vectors_2.npz", "seed_vectors_3.npz"]
    assert stored_vectors("first", tmp_path).keys() == set(facts) and stored_vectors("third", tmp_path) == {}
