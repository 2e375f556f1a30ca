from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.record import NewEvidence
from models.encoders.embedder import Embedder
from verifier.evidence.corroborate import AGREES, agreement, corroborated, entities_of
from verifier.evidence.retrieve import from_texts
from verifier.schema import Evidence
from verifier.text.stems import stems_and_figures

DATA = Path(__file__).parents[2] / "data"
FERRY = "The electric ferry Marrow Swift made its first trip from Tollhaven to the Isle of Brindle on Saturday with 112 people aboard."
FERRY_TOO = (
    "With 112 passengers the new ferry Marrow Swift sailed from Tollhaven to Brindle for the first time on Saturday."
)
STRIKE = "Nurses in Caldwick walked out on Thursday over pay, the second strike at Mercy Hospital since March."


def piece(text: str, source: str) -> Evidence:
    (found,) = from_texts([NewEvidence(text, source)])
    return found


def agree(a: str, b: str, likeness: float) -> float:
    return agreement(entities_of(a), entities_of(b), likeness)


def alike(a: str, b: str, embedder: Embedder) -> float:
    first, second = embedder.embed([a, b])
    return agree(a, b, float(first @ second))


def test_two_outlets_on_one_event_agree_and_a_third_on_another_does_not(embedder: Embedder) -> None:
    found = corroborated(
        [
            piece(FERRY, "https://a.example/1"),
            piece(STRIKE, "https://b.example/1"),
            piece(FERRY_TOO, "https://c.example/1"),
        ],
        embedder,
    )
    assert [one.also for one in found] == [("c.example",), (), ("a.example",)]
    assert [one.text for one in found] == [FERRY, STRIKE, FERRY_TOO]


def test_a_text_whose_vector_the_store_gave_is_not_embedded_again(embedder: Embedder) -> None:
    class Counted:
        asked: list[str] = []

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            self.asked += texts
            return embedder.embed(texts)

    ferry = replace(piece(FERRY, "https://a.example/1"), vector=embedder.embed([FERRY])[0])
    found = corroborated([ferry, piece(FERRY_TOO, "https://c.example/1")], Counted())
    assert [one.also for one in found] == [("c.example",), ("a.example",)]
    assert Counted.asked == [FERRY_TOO]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://a.example/1", "https://a.example/2"),
        ("https://www.bbc.com/1", "https://www.bbc.co.uk/2"),
        ("https://a.example/1", ""),
        ("", ""),
    ],
)
def test_one_organisation_does_not_corroborate_itself(first: str, second: str, embedder: Embedder) -> None:
    found = corroborated([piece(FERRY, first), piece(FERRY_TOO, second)], embedder)
    assert [one.also for one in found] == [(), ()]


def test_an_organisation_is_named_once_however_many_of_its_sites_report(embedder: Embedder) -> None:
    sources = ["https://a.example/1", "https://www.bbc.com/1", "https://www.bbc.com/2", "https://www.bbc.co.uk/1"]
    found = corroborated([piece(FERRY, source) for source in sources], embedder)
    assert found[0].also == ("bbc.com",)
    assert all(one.also == ("a.example",) for one in found[1:])


class Unasked:
    """An embedder that must not be needed."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError(texts)


def test_nothing_is_embedded_where_nobody_can_agree() -> None:
    assert corroborated([], Unasked()) == []
    alone = [piece(FERRY, "https://a.example/1"), piece(STRIKE, "https://a.example/2"), piece(FERRY_TOO, "")]
    assert corroborated(alone, Unasked()) == alone


def test_a_name_and_its_short_form_or_its_latin_spelling_are_one() -> None:
    pairs = {
        "the UN": "the United Nations",
        "the US": "the United States of America",
        "the U.S.": "America",
        "the EU": "the European Union",
        "the UK": "Great Britain",
        "the WHO": "the World Health Organization",
        "Владимир Путин": "Vladimir Putin",
        "Москва": "Moskva",
        "Хрущёв": "Khrushchev",
        "Зеленский": "Zelensky",
        "Зеленський": "Zelenskyy",
        "Горький": "Gorky",
    }
    apart = {a: b for a, b in pairs.items() if agree(f"Today {a} fell silent", f"Today {b} fell silent", 0.0) != 0.5}
    assert apart == {}
    assert agree("Today the UN fell silent", "Today Norway fell silent", 0.0) == 0.0


def test_names_weigh_twice_what_figures_weigh() -> None:
    """Each text: one name of weight 2, one figure of weight 1."""
    assert agree("By 1945 Oslo", "By 1945 Rome", 0.4) == pytest.approx((0.4 + 1 / 3) / 2)
    assert agree("By 1945 Oslo", "By 1950 Oslo", 0.4) == pytest.approx((0.4 + 2 / 3) / 2)
    assert agree("By 1945 Oslo", "By 1945 Oslo", 0.4) == pytest.approx((0.4 + 1) / 2)
    assert agree("By 1945 Oslo", "By 1950 Rome", 0.4) == pytest.approx(0.4 / 2)
    assert agree("By 1945 Oslo", "nobody came", -0.4) == 0


def test_the_smaller_text_need_not_hold_all_names_of_the_longer() -> None:
    assert agree("Here is Oslo", "Here are Oslo, Rome and Paris", 0.4) == pytest.approx(0.7)


def test_texts_without_names_or_figures_agree_by_their_meaning_alone(embedder: Embedder) -> None:
    assert agree("the sea is salty", "cats like fish", 0.35) == 0.35
    assert alike("the sea is salty", "sea water contains salt", embedder) >= AGREES
    assert alike("the sea is salty", "the sea is full of fish", embedder) < AGREES


def test_passages_on_one_topic_agree_far_more_often_than_others(embedder: Embedder) -> None:
    """A passage is of the topic whose claims share most words with it."""
    topics = dict[str, set[str]]()
    for line in (DATA / "news_claims.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        topics.setdefault(row["topic"], set()).update(stems_and_figures(row["claim"]))
    lines = (DATA / "news_passages.jsonl").read_text(encoding="utf-8").splitlines()[:110]
    texts = [json.loads(line)["text"] for line in lines]
    of = [
        max((len(asked.intersection(stems_and_figures(text))), topic) for topic, asked in topics.items())[1]
        for text in texts
    ]
    vectors, entities = embedder.embed(texts), [entities_of(text) for text in texts]
    found = {True: list[bool](), False: list[bool]()}
    for i, j in combinations(range(len(texts)), 2):
        likeness = float(vectors[i] @ vectors[j])
        found[of[i] == of[j]].append(agreement(entities[i], entities[j], likeness) >= AGREES)
    same, different = (sum(pairs) / len(pairs) for pairs in (found[True], found[False]))
    assert len(found[True]) > 100 and len(found[False]) > 5000
    assert same >= 0.1 and different <= 0.001, (
        f"{same:.3f} of the pairs on one topic agree, {different:.4f} of the others"
    )
