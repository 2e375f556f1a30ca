"""Whose request it is, and how much is left to him."""

from __future__ import annotations

import pytest

from ui.guard.visitors import MAX_VISITORS, Allowance, Budget, Visitor, visitor_of


@pytest.mark.parametrize(
    ("peer", "forwarded", "hops", "skip", "visitor"),
    [
        ("127.0.0.1", "", 1, True, Visitor("127.0.0.1", local=True)),
        ("::1", "", 0, False, Visitor("::/64", local=True)),
        ("203.0.113.9", "", 0, False, Visitor("203.0.113.9")),
        ("203.0.113.9", "8.8.8.8", 0, False, Visitor("203.0.113.9")),  # nobody is believed
        ("10.0.0.1", "127.0.0.1, 8.8.8.8", 1, True, Visitor("8.8.8.8")),  # what a visitor adds stands on the left
        ("10.0.0.1", "9.9.9.9, 8.8.8.8, 10.0.0.2", 1, True, Visitor("8.8.8.8")),
        ("10.0.0.1", "9.9.9.9, 10.0.0.2", 1, False, Visitor("10.0.0.2")),
        ("10.0.0.1", "9.9.9.9, 8.8.8.8, 10.0.0.2", 2, False, Visitor("8.8.8.8")),
        ("10.0.0.1", "8.8.8.8", 2, False, Visitor("10.0.0.1")),  # it did not come through both
        ("127.0.0.1", "127.0.0.1", 1, True, Visitor("127.0.0.1")),  # said, not seen
        ("10.0.0.1", "8.8.8.8:1234", 1, True, Visitor("8.8.8.8")),
        ("10.0.0.1", "[2a00:1450::1]:443", 1, True, Visitor("2a00:1450::/64")),
        ("10.0.0.1", "2a00:1450:0:0:ffff::1", 1, True, Visitor("2a00:1450::/64")),
        ("10.0.0.1", "::ffff:8.8.8.8", 1, True, Visitor("8.8.8.8")),
        ("10.0.0.1", "<script>" * 100, 1, False, Visitor(("<script>" * 100)[:64])),
        ("", "", 1, True, Visitor("")),
    ],
)
def test_whose_request_it_is(peer: str, forwarded: str, hops: int, skip: bool, visitor: Visitor) -> None:
    assert visitor_of(peer, forwarded, hops, skip) == visitor


def test_the_minute_counts_requests_and_the_hour_counts_claims() -> None:
    allowance = Allowance(per_minute=3, per_hour=10)
    assert [allowance.take("a") for _ in range(3)] == [0, 0, 0]
    assert 1 <= allowance.take("a") <= 61
    assert allowance.take("b", claims=9) == 0
    assert 3_500 <= allowance.take("b", claims=2) <= 3_601
    assert allowance.left("b") == 1 and allowance.left("d") == 10


def test_a_budget_comes_back_steadily() -> None:
    budget = Budget(units=10, seconds=5)
    assert [budget.take("a", 5) for _ in range(2)] == [0, 0]
    assert budget.take("a") == 1 and budget.take("a", 10) == 5 and budget.take("b", 10) == 0
    budget.charge("c", 20)
    assert budget.take("c") == 6
    for number in range(MAX_VISITORS + 50):
        budget.take(str(number))
    assert len(budget._full_at) == MAX_VISITORS


def test_the_memory_is_bounded() -> None:
    allowance = Allowance(1, 1)
    for number in range(MAX_VISITORS + 50):
        allowance.take(str(number))
    assert len(allowance._used) == MAX_VISITORS
    assert allowance.opened("1", -1) == 0  # forgotten while it was open
