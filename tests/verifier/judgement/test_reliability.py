from __future__ import annotations

import re
from pathlib import Path

import pytest

from ui.cards import meaning
from ui.tab_about import about
from verifier.judgement import reliability
from verifier.judgement.reliability import LEAST, Reliability, counted, fingerprint, read, write
from verifier.report.markup import how_to_read

ROWS = [(0.75, n < 15) for n in range(LEAST)] + [(0.95, True)] * 40


def test_verdicts_are_counted_by_their_confidence() -> None:
    table = counted([*ROWS, (0.3, True)], 100)
    assert [(band.least, band.given, band.right) for band in table.bands if band.given] == [
        (0.0, 1, 1),
        (0.7, LEAST, 15),
        (0.9, 40, 40),
    ]
    found = table.at(0.78)
    assert found and found.share == 0.75 and table.at(0.3) is None and table.whole.given == 61


def test_a_table_of_other_weights_promises_nothing(tmp_path: Path) -> None:
    write(counted(ROWS, 100), tmp_path / "own.json")
    assert read(tmp_path / "own.json") == counted(ROWS, 100)
    write(Reliability("0" * 16, 100, counted(ROWS, 100).bands), tmp_path / "other.json")
    assert read(tmp_path / "other.json") is None and read(tmp_path / "none.json") is None
    assert re.fullmatch(r"[0-9a-f]{16}", fingerprint())


def test_the_page_quotes_what_was_measured_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    table = counted(ROWS, 100)
    assert "75% of the 20 verdicts given with 70 to 80%" in meaning(0.72, table)
    assert "too few" in meaning(0.4, table) and "not measured" in meaning(0.72, None)
    monkeypatch.setattr(reliability, "measured_with_these_weights", lambda: table)
    said = about([], log=False, days=0)
    assert "Of 100 labelled claims" in said and "right were 92% of them" in said and "75% of 20" in said
    assert "not measured" in how_to_read(None) and not re.search(r"\d+ in 100", how_to_read(None))
