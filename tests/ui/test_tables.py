from __future__ import annotations

import lxml.html

from ui.tables import Row, table


def test_every_cell_names_its_column_and_a_short_row_fills_its_places() -> None:
    shown = table(
        "Results", ("Row", "Claim", "Verdict", "Confidence"), [Row(("1", "a", "True", "90%")), Row(("2", "b", "no"))]
    )
    page = lxml.html.fromstring(shown)
    assert page.get("aria-label") == "Results" and page.get("tabindex") == "0"
    assert [cell.get("data-label") for cell in page.xpath("//tbody/tr[1]/td")] == [
        "Row",
        "Claim",
        "Verdict",
        "Confidence",
    ]
    assert [cell.get("colspan") for cell in page.xpath("//tbody/tr[2]/td")] == [None, None, "2"]
    assert all(cell.get("role") == "cell" for cell in page.xpath("//td"))


def test_a_row_has_its_tone_and_a_cell_its_kind() -> None:
    page = lxml.html.fromstring(table("x", ("A", "B"), [Row(("1", "2"), "cv-true", ((1, "cv-part"),))]))
    assert page.xpath("//tr[@class='cv-true']/td[@class='cv-part']")[0].text_content() == "2"
