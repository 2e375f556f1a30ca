"""Charts: what is drawn is said as well."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import date, timedelta

import lxml.html

from kb.store.statistics import Count
from ui.plots import DAYS, bars, growth, pipeline

TODAY = date(2026, 3, 31)


def drawing(html: str) -> ET.Element:
    return ET.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])  # noqa: S314


def test_growth_adds_up_day_by_day() -> None:
    long_ago, lately = (TODAY - timedelta(days=400), 900), (TODAY - timedelta(days=2), 100)
    chart = growth([long_ago, lately], TODAY)
    assert "1,000 records today, 100 of them from the last 30 days" in chart
    rows = [row.text_content() for row in lxml.html.fromstring(chart).xpath("//tbody/tr")]
    assert rows == ["2026-03-291001,000"]
    svg = drawing(chart)
    path = next(child for child in svg if child.tag == "path").attrib["d"]
    heights = [float(point.split(",")[1].split(" ")[0]) for point in path.split("L")[1:-1]]
    assert len(heights) == 2 * DAYS and heights == sorted(heights, reverse=True) and heights[0] > heights[-1]
    assert svg.attrib["role"] == "img" and "1,000" in svg.attrib["aria-label"]


def test_an_empty_store_has_no_charts() -> None:
    assert growth([], TODAY) == "" and bars("Kinds", []) == ""


def test_a_store_that_has_not_grown_lately_has_no_table() -> None:
    assert "<table" not in growth([(TODAY - timedelta(days=99), 5)], TODAY)


def test_bars_are_a_table_with_names_for_people() -> None:
    chart = bars("Kinds", [Count("news", 30), Count("odd<b>", 10)], {"news": "News"})
    assert chart.count('scope="row"') == 2 and ">News<" in chart and "width:100.0%" in chart and "width:33.3%" in chart
    assert "odd&lt;b&gt;" in chart and "<caption>Kinds</caption>" in chart


def test_the_pipeline_is_drawn_and_said() -> None:
    assert drawing(pipeline()).attrib["aria-label"] == "Claim, then Evidence, then Judgement, then Report"
