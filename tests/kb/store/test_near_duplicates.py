from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.store.near_duplicates import SimilarVectors, near_duplicate_of, same_facts, same_prefix

TEXT = "The tower in Paris is 330 metres tall."


@pytest.mark.parametrize(
    "other",
    [
        "The tower in Paris is 303 metres tall.",
        "The tower in Paris is not 330 metres tall.",
        "The tower in Lyon is 330 metres tall.",
    ],
)
def test_a_different_number_negation_or_name_is_a_different_statement(other: str) -> None:
    assert not same_facts(TEXT, other)
    assert near_duplicate_of(TEXT, [("id", other, 0.999)]) is None


def test_other_words_for_the_same_are_a_duplicate_only_when_near() -> None:
    other = "In Paris, the tower stands 330 metres tall."
    assert (
        near_duplicate_of(
            TEXT, [("id", "A text about Rome.", 0.99), ("same", "This tower in Paris is 330 metres high.", 0.981)]
        )
        == "same"
    )
    assert near_duplicate_of(TEXT, [("id", other, 0.97)]) is None


def test_the_first_hundred_characters_decide_whatever_their_case() -> None:
    start = "word " * 20
    assert same_prefix(start + "one ending", start.upper() + "another ending")
    assert not same_prefix("The bridge is long", "The bridge is longer")


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def found(new: NDArray[np.float32], others: NDArray[np.float32]) -> set[tuple[int, int]]:
    similar = SimilarVectors(new, 0.98)
    return {pair for i, j, _ in similar.pairs(others) for pair in zip(i.tolist(), j.tolist(), strict=True)}


@pytest.mark.parametrize("many", [1, 50, 2_000])
def test_close_vectors_are_found_and_no_others(many: int) -> None:
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(40, 384))
    new = unit(topics[rng.integers(0, 40, many)] + rng.normal(scale=0.7, size=(many, 384)))
    close = unit(new + rng.normal(scale=0.1 / 384**0.5, size=new.shape))
    others = np.vstack([unit(topics[rng.integers(0, 40, 10_000)] + rng.normal(scale=0.7, size=(10_000, 384))), close])
    true = {(int(i), int(j)) for i, j in np.argwhere(new @ others.T >= 0.98)}
    assert {(i, 10_000 + i) for i in range(many)} <= true
    seen = found(new, others)
    assert seen <= true and len(seen) >= 0.995 * len(true)


def test_each_pair_comes_once_with_its_cosine() -> None:
    new = unit(np.random.default_rng(1).normal(size=(200, 384)))
    pairs = [
        (int(i), int(j), float(cosine))
        for part in SimilarVectors(new, 0.98).pairs(np.vstack([new, new]))
        for i, j, cosine in zip(*part, strict=True)
    ]
    assert sorted((i, j) for i, j, _ in pairs) == sorted(
        [(i, i) for i in range(200)] + [(i, 200 + i) for i in range(200)]
    )
    assert all(cosine == pytest.approx(1, abs=1e-5) for _, _, cosine in pairs)


def test_no_vectors_have_no_pairs() -> None:
    none = np.zeros((0, 384), dtype=np.float32)
    assert found(none, unit(np.ones((3, 384)))) == set() == found(unit(np.ones((3, 384))), none)
