"""A few kills of each kind; `python -m tests.kills --times 30` makes thirty."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kills import WORK, kill

TIMES = 2


@pytest.mark.parametrize("kind", WORK)
def test_what_was_acknowledged_survives_a_kill(kind: str, tmp_path: Path) -> None:
    found = kill(kind, TIMES, tmp_path, seed=1)
    assert (found.lost, found.doubled, found.returned) == (0, 0, 0)
    assert found.acknowledged >= TIMES
