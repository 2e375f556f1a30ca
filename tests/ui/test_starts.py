"""What a request would start."""

from __future__ import annotations

import pytest

from ui.guard.places import Kind
from ui.guard.starts import Start, _longest, tool_calls


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


def test_a_tool_that_checks_a_text_counts_its_statements() -> None:
    calls = [
        {"method": "tools/call", "params": {"name": name, "arguments": {"text": "x"}}}
        for name in ("claim_checker_check_text", "check_claim")
    ]
    assert tool_calls(calls) == [Start(Kind.CHECK, 50, queued=False), Start(Kind.CHECK, 1, queued=False)]
