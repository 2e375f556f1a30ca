from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from errors import InputError
from verifier.evaluation.report import (
    Row,
    Summary,
    as_markdown,
    coverage_curve,
    draw_confusion,
    draw_coverage,
    draw_reliability,
    figures,
    write_csv,
)
from verifier.schema import Verdict

T, F, P, N, V = (
    Verdict.TRUE,
    Verdict.FALSE,
    Verdict.PARTIALLY_TRUE,
    Verdict.NOT_ENOUGH_EVIDENCE,
    Verdict.NOT_VERIFIABLE,
)


def row(expected: Verdict, predicted: Verdict | None, confidence: float, seconds: float = 1.0, **more: object) -> Row:
    made = Row("id", "A claim", "", "", expected, predicted, confidence, seconds, 3, (), "because")
    return replace(made, **more)  # type: ignore[arg-type]


RUN = [
    row(T, T, 0.95, 0.1, kind="number", difficulty="easy"),
    row(T, T, 0.85, 0.2, kind="number", violations=("a", "b")),
    row(T, F, 0.85, 0.3, kind="date"),
    row(F, F, 0.75, 0.4, kind="date", tool_calls=8),
    row(N, N, 0.25, 0.5, kind="date"),
    row(N, T, 0.65, 0.6, kind="a|b"),
    row(F, N, 0.35, 0.7, kind="a|b"),
    row(T, V, 0.55, 0.8, violations=("c",)),
    row(P, None, 0.0, 99.0, tool_calls=99, reason="the model failed"),
]


def test_figures_by_hand() -> None:
    found = figures(RUN)
    # F1: True 2*2/(3+4), False 2*1/(2+2), Not Enough Evidence 2*1/(2+2), Partially True 0; Not Verifiable is not expected
    assert found.macro_f1 == pytest.approx((4 / 7 + 1 / 2 + 1 / 2 + 0) / 4)
    # decided, in bins of 0.1: 0.95 right, (0.85, 0.85) half right, 0.75 right, 0.65 wrong
    assert found.calibration_error == pytest.approx((0.05 + 2 * 0.35 + 0.25 + 0.65) / 5)
    # and undecided: 0.25 right, 0.35 wrong, 0.55 wrong
    assert found.calibration_error_all == pytest.approx((0.05 + 2 * 0.35 + 0.25 + 0.65 + 0.75 + 0.35 + 0.55) / 8)
    # decided, the surest first: right, then two of which one is wrong, right, wrong; risks 0, 1/4, 1/3, 1/4, 2/5
    assert found.risk_coverage == pytest.approx((0 + 1 / 4 + 1 / 3 + 1 / 4 + 2 / 5) / 5)
    expected = Summary(
        cases=9,
        failed=1,
        accuracy=4 / 9,
        macro_f1=found.macro_f1,
        calibration_error=found.calibration_error,
        calibration_error_all=found.calibration_error_all,
        risk_coverage=found.risk_coverage,
        risk_coverage_plain=found.risk_coverage_plain,
        abstention=2 / 9,
        decided_precision=3 / 5,
        not_enough_recall=1 / 2,
        opposite_rate=1 / 6,
        latency_p50_ms=found.latency_p50_ms,
        latency_p95_ms=found.latency_p95_ms,
        tool_calls=(7 * 3 + 8) / 8,
        violations=3,
    )
    assert found == expected
    assert found.latency_p50_ms == pytest.approx(450) and found.latency_p95_ms == pytest.approx(765)


def test_what_was_never_counted_is_no_figure() -> None:
    found = figures([row(P, None, 0.0)])
    assert (found.failed, found.accuracy, found.macro_f1, found.abstention, found.violations) == (1, 0, 0, 0, 0)
    assert found.calibration_error is found.calibration_error_all is found.decided_precision is None
    assert found.not_enough_recall is found.opposite_rate is found.latency_p50_ms is found.tool_calls is None
    assert "| latency p95, ms | – |" in as_markdown([row(P, None, 0.0)])


def test_nothing_judged_is_an_error() -> None:
    with pytest.raises(InputError, match="no judged cases"):
        figures([])
    with pytest.raises(InputError, match="no judged cases"):
        as_markdown([])


def test_the_curve_falls_with_the_confidence_asked_for() -> None:
    assert coverage_curve(RUN) == [(1 / 9, 1), (3 / 9, 2 / 3), (4 / 9, 3 / 4), (5 / 9, 3 / 5)]
    assert coverage_curve(list(reversed(RUN))) == coverage_curve(RUN)
    assert coverage_curve([row(N, N, 0.4), row(T, None, 0.0)]) == []


def test_the_file_has_a_line_per_case(tmp_path: Path) -> None:
    rows = [
        Row("a", 'Salt, "white"', "hard", "number", T, T, 0.875, 1.23456, 4, ("no quote", "too sure"), "It says\nso."),
        Row("b", "Snow", "", "", F, None, 0.0, 0.0, 0, (), "failed"),
    ]
    write_csv(rows, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        header, first, second = csv.reader(file)
    assert ",".join(header) == (
        "id,claim,difficulty,kind,expected,predicted,correct,confidence,latency_ms,tool_calls,violations,reason"
    )
    salt = ["a", 'Salt, "white"', "hard", "number", "True", "True", "true", "0.875", "1234.6", "4"]
    assert first == [*salt, "no quote; too sure", "It says\nso."]
    assert second == ["b", "Snow", "", "", "False", "", "false", "0.0", "0.0", "0", "", "failed"]
    with pytest.raises(InputError, match="cannot write"):
        write_csv(rows, tmp_path / "none" / "rows.csv")


def test_tables_to_read() -> None:
    summary, kinds, difficulties, matrix = as_markdown(RUN).strip().split("\n\n")
    assert summary.splitlines()[:5] == [
        "| measure | value |",
        "| --- | --- |",
        "| cases | 9 |",
        "| without a verdict | 1 |",
        "| accuracy | 0.444 |",
    ]
    assert "| latency p50, ms | 450 |" in summary and "| tool calls per case | 3.625 |" in summary
    assert len(summary.splitlines()) == 2 + 16
    assert kinds.splitlines() == [
        "| kind | cases | accuracy |",
        "| --- | --- | --- |",
        "| number | 2 | 1.000 |",
        "| date | 3 | 0.667 |",
        "| a\\|b | 2 | 0.000 |",
        "| – | 2 | 0.000 |",
    ]
    assert difficulties.splitlines()[2:] == ["| easy | 1 | 1.000 |", "| – | 8 | 0.375 |"]
    assert matrix.splitlines() == [
        "| expected \\ given | True | False | Partially True | Not Enough Evidence | Not Verifiable | no verdict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| True | 2 | 1 | 0 | 0 | 1 | 0 |",
        "| False | 0 | 1 | 0 | 1 | 0 | 0 |",
        "| Partially True | 0 | 0 | 0 | 0 | 0 | 1 |",
        "| Not Enough Evidence | 1 | 0 | 0 | 1 | 0 | 0 |",
    ]


def test_tables_leave_out_what_no_row_names() -> None:
    assert as_markdown([row(T, T, 0.9)]).count("\n\n") == 1


Draw = Callable[[Sequence[Row], Path], None]


@pytest.mark.parametrize("draw", [draw_confusion, draw_reliability, draw_coverage])
@pytest.mark.parametrize(
    "rows", [RUN, [row(N, N, 0.3), row(T, None, 0.0)], [row(T, T, 1.0)]], ids=["all", "none", "one"]
)
def test_diagrams_are_white_pictures_with_something_on_them(tmp_path: Path, draw: Draw, rows: list[Row]) -> None:
    draw(rows, tmp_path / "d.png")
    with Image.open(tmp_path / "d.png") as picture:
        assert picture.format == "PNG" and min(picture.size) >= 300
        assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
        dark = sum(picture.convert("L").histogram()[:128])
    assert dark > 500


def test_a_diagram_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cannot write .*none"):
        draw_coverage(RUN, tmp_path / "none" / "d.png")
    with pytest.raises(InputError, match="no judged cases"):
        draw_confusion([], tmp_path / "d.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match="pip install -r requirements-dev.txt"):
        draw_reliability(RUN, tmp_path / "d.png")
