"""What a request would start."""

from __future__ import annotations

import pytest

from ui.guard.starts import _longest


@pytest.mark.parametrize(
    ("values", "claims"),
    [
        (["x", True], 1),
        ([["a", "b", "c"], False], 3),
        ({"claims": ["a", "b"], "web": False}, 2),
        ([], 1),
        (None, 1),
        ([[]], 1),
    ],
)
def test_claims_are_counted(values: object, claims: int) -> None:
    assert _longest(values) == claims
