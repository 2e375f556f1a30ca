from __future__ import annotations

import pytest

from lab.data.near_copies import kept, near_copies

TRAINING = [
    ("news", "The ferry Marrow Swift carries up to 180 passengers and needs 25 minutes for the crossing."),
    ("facts", "Oslo is the capital of Norway"),
]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The ferry Marrow Swift carries up to 250 passengers", "news"),
        ("the ferry marrow swift CARRIES up to 180", "news"),
        ("oslo is the capital of norway.", "facts"),
        ("Lima is the capital of Peru", None),  # two triples of four in common
        ("The new ferry takes 25 minutes for the trip to the island", None),
        ("Oslo", None),
    ],
)
def test_a_near_copy_shares_most_of_its_words_in_their_order(text: str, source: str | None) -> None:
    assert near_copies([text], TRAINING) == ({} if source is None else {0: source})


def test_claims_go_with_a_copied_passage_and_are_counted_by_reason() -> None:
    claims = [
        {"claim": "The mill grinds rye on Mondays only", "topic": "mill"},
        {"claim": "The boat is fast", "topic": "boat"},
        {"claim": "Oslo is the capital of Norway", "topic": "mill"},
    ]
    passages = [{"topic": "boat", "text": TRAINING[0][1].upper()}, {"topic": "mill", "text": "It grinds rye."}]
    rest, removed = kept(claims, passages, TRAINING)
    assert rest == claims[:1]
    assert removed == {"passage copies news": 1, "claim copies facts": 1}
