"""The panel of the packs in a real Chromium: with the mouse, with the keyboard alone, and stopped half-way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.checks import PATIENCE, open_page, tab, unfold
from tests.browser.test_page import focused
from tests.kb.intake.test_packs import article, write_pack

TOLD, TABLE = "#cv-packs-told", "#cv-packs-table"


@pytest.fixture(autouse=True)
def _opened(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    tab(page, "Knowledge base")
    unfold(page, "cv-packs")
    expect(page.locator(TABLE)).to_contain_text("simple-wikipedia", timeout=PATIENCE)


@pytest.fixture
def file(tmp_path: Path, page: Page, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The file of a pack of so many articles as the test asks for; the pack is removed on the page at the end."""
    yield write_pack(tmp_path / "vell.parquet", [article(n) for n in range(request.param)])
    choose(page, "vell")
    page.check("#cv-packs-sure input")
    page.click("#cv-packs-remove")
    expect(page.locator(TOLD)).to_contain_text("passages of vell removed", timeout=PATIENCE)
    expect(page.locator(TABLE)).not_to_contain_text("vell")
    expect(page.locator("#cv-packs-sure input")).not_to_be_checked()


def choose(page: Page, name: str) -> None:
    page.click("#cv-packs-name input")
    page.click(f"[role=option]:has-text('{name}')")


def add(page: Page, file: Path) -> None:
    page.fill("#cv-packs-path textarea, #cv-packs-path input", str(file))
    page.click("#cv-packs-add-file")


def find(page: Page, words: str) -> None:
    page.fill("#cv-kb-query textarea, #cv-kb-query input", words)
    page.click("#cv-kb-search")


@pytest.mark.parametrize("file", [60], indirect=True)
def test_a_pack_is_watched_while_it_is_added_then_left_out_and_used_again(page: Page, file: Path) -> None:
    row = page.locator(f"{TABLE} tr", has_text="simple-wikipedia")
    expect(row).to_contain_text("0.16 GB")
    expect(row).to_contain_text("CC BY-SA 4.0")
    add(page, file)
    bar = page.locator(f"{TOLD} progress")
    expect(bar).to_have_attribute("max", "60", timeout=PATIENCE)
    assert "of 60 articles" in (bar.get_attribute("aria-label") or "")
    expect(page.locator(f"{TOLD} [role=status]")).to_contain_text("120 passages added", timeout=PATIENCE)
    expect(page.locator(f"{TABLE} tr", has_text="vell")).to_contain_text("120 passages, used in checks")
    find(page, "Place 17 on the river Osk")
    expect(page.locator("#cv-kb-results .cv-piece").first).to_contain_text("county of Vell")
    choose(page, "vell")
    page.click("#cv-packs-off")
    expect(page.locator(TOLD)).to_contain_text("vell is left out of checks")
    expect(page.locator(f"{TABLE} tr", has_text="vell")).to_contain_text("left out of checks")
    find(page, "Place 17 on the river Osk")
    expect(page.locator("#cv-kb-results")).not_to_contain_text("county of Vell", timeout=PATIENCE)
    page.click("#cv-packs-on")
    expect(page.locator(f"{TABLE} tr", has_text="vell")).to_contain_text("used in checks")
    page.click("#cv-packs-remove")
    expect(page.locator(f"{TOLD} [role=alert]")).to_contain_text("tick the box first")


@pytest.mark.parametrize("file", [150], indirect=True)
def test_a_pack_is_stopped_and_goes_on(page: Page, file: Path) -> None:
    add(page, file)
    page.wait_for_selector(f"{TOLD} p", timeout=PATIENCE)
    page.click("#cv-packs-stop")
    expect(page.locator(f"{TOLD} [role=status]")).to_contain_text("Stopped. What is here stays")
    page.wait_for_timeout(1_000)
    expect(page.locator(TOLD)).to_contain_text("Stopped.")
    page.click("#cv-packs-add-file")
    expect(page.locator(f"{TABLE} tr", has_text="vell")).to_contain_text(
        "300 passages, used in checks", timeout=PATIENCE
    )


@pytest.mark.parametrize("file", [20], indirect=True)
def test_the_panel_is_used_with_the_keyboard_alone(page: Page, file: Path) -> None:
    page.focus("#cv-packs-path textarea, #cv-packs-path input")
    page.keyboard.type(str(file))
    page.keyboard.press("Tab")
    assert focused(page) == "cv-packs-add-file"
    page.keyboard.press("Enter")
    expect(page.locator(f"{TOLD} [role=status]")).to_contain_text("passages added", timeout=PATIENCE)
    page.focus("#cv-packs-name input")
    order = []
    for _ in range(12):
        page.keyboard.press("Tab")
        order.append(focused(page))
    wanted = ["whole", "add", "stop", "off", "on", "path", "add-file", "sure", "remove"]
    names = [name.removeprefix("cv-packs-") for name in dict.fromkeys(order)]
    assert [name for name in names if name in wanted] == wanted


def test_a_path_that_is_none_is_told_as_a_failure(page: Page) -> None:
    page.fill("#cv-packs-path textarea, #cv-packs-path input", "/none/<img src=x onerror=alert(1)>.parquet")
    page.click("#cv-packs-add-file")
    expect(page.locator(f"{TOLD} [role=alert]")).to_contain_text("there is no file /none/<img src=x")
