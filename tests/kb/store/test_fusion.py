from __future__ import annotations

import pytest

from kb.store.fusion import Boost, reciprocal_ranks


def test_popularity_counts_per_use_up_to_a_ceiling() -> None:
    boost = Boost(0.02, 0.1)
    assert [boost(n) for n in (0, 1, 5, 1_000_000)] == pytest.approx([0, 0.02, 0.1, 0.1])


def test_a_rank_counts_one_over_sixty_plus_it_in_every_list() -> None:
    fused = reciprocal_ranks(["a", "b"], ["b", "c"])
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})
    assert max(fused, key=lambda key: fused[key]) == "b"
