"""The tab for whole texts in a real Chromium, over the real app: marks, cards, filters, downloads, and a text pasted in the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.checks import PATIENCE, open_page, tab, upload
from tests.browser.watching import Watch

TEXT = (
    "The Earth is flat.\nWater boils at 100 degrees Celsius at sea level. Is that so? What <b>bold</b> words! "
    "According to a shop owner, the Eiffel Tower is in Berlin."
)
SECOND = "India became independent in 1947."
MARKS = "#cv-doc-text .cv-doc-text [data-tone]"


@pytest.fixture(scope="module")
def told(browser: Browser, app_url: str) -> Iterator[Page]:
    """A page on which a text has been checked."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    watch = Watch(app_url)
    watch.over(page)
    open_page(page, app_url)
    give(page, TEXT)
    finish(page)
    yield page
    context.close()
    assert watch.seen == []


@pytest.fixture(autouse=True)
def _wide(request: pytest.FixtureRequest) -> None:
    if "told" in request.fixturenames:
        request.getfixturevalue("told").set_viewport_size({"width": 1280, "height": 900})


def give(page: Page, text: str) -> None:
    """Start the check of a text."""
    tab(page, "Whole text")
    page.fill("#cv-doc-box textarea", text)
    page.click("#cv-doc-go")


def finish(page: Page) -> None:
    """Wait for the end of the check."""
    expect(page.locator("#cv-doc-told")).to_contain_text("Done in", timeout=PATIENCE)


def test_the_text_stands_as_it_was_with_its_statements_marked(told: Page) -> None:
    text = told.evaluate("document.querySelector('#cv-doc-text .cv-doc-text').textContent")
    assert text == TEXT
    expect(told.locator("#cv-doc-told .cv-doc-summary")).to_contain_text(
        re.compile(r"^3 statements: .*contradicted.*; 1 sentence is a question; 1 sentence was not read$")
    )
    expect(told.locator(MARKS)).to_have_count(3)
    expect(told.locator(f"{MARKS} >> nth=0")).to_have_class(re.compile("cv-s-false"))
    look = "one => { const style = getComputedStyle(one); return [style.textDecorationStyle, getComputedStyle(one, '::before').content]; }"
    line, sign = told.locator(f"{MARKS} >> nth=0").evaluate(look)
    assert line == "double" and "\u2717" in sign  # not by colour alone
    expect(told.locator("#cv-doc-text .cv-doc-text b")).to_have_count(0)


def test_a_screen_reader_hears_the_side_of_a_statement(told: Page) -> None:
    session = told.context.new_cdp_session(told)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    names = [
        node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "button" and "name" in node
    ]
    assert any(re.match(r"contradicted:\s+The Earth is flat", name) for name in names), names
    roles = [node["role"]["value"] for node in nodes if "role" in node]
    assert "status" in roles


def test_a_mark_opens_its_card_by_mouse_and_by_keyboard(told: Page) -> None:
    told.click(f"{MARKS} >> nth=0")
    card = told.locator("#cv-doc-card .cv-doc-said")
    expect(card).to_contain_text("The Earth is flat", timeout=PATIENCE)
    expect(card).to_be_focused()
    expect(card.locator("h2.cv-verdict")).to_contain_text("False")
    assert card.locator("mark").count() >= 1
    card.locator(".cv-cite").first.click()
    expect(told.locator("#cv-cited mark")).to_be_visible()
    told.click("#cv-cited >> text=Show it among the evidence")
    expect(card.locator(".cv-piece:target mark").first).to_be_visible()
    told.click(".cv-doc-back")
    expect(told.locator(f"{MARKS} >> nth=0")).to_be_focused()
    told.locator(f"{MARKS} >> nth=2").focus()
    told.keyboard.press("Enter")
    expect(card).to_contain_text("Said by a shop owner: checked is what was said", ignore_case=True)
    ours = told.evaluate("[...document.querySelectorAll('[id^=cv-]')].map((one) => one.id)")
    assert len(ours) == len(set(ours)) and any("piece" in one for one in ours)


def test_a_filter_lets_one_side_stand_out(told: Page) -> None:
    told.click("#cv-doc-filter label:has-text('Contradicted')")
    away = told.locator(f"{MARKS}.cv-s-away")
    marked = told.locator(f"{MARKS}[data-tone=false]")
    expect(away).to_have_count(3 - marked.count())
    assert {one.get_attribute("tabindex") for one in marked.all()} == {"0"}
    assert {one.get_attribute("tabindex") for one in away.all()} <= {"-1"}
    told.click("#cv-doc-filter label:has-text('All')")
    expect(away).to_have_count(0)


@pytest.mark.parametrize(
    ("form", "holds"),
    [("html", "<!doctype html>"), ("markdown", "# Checked"), ("jsonl", '"type"'), ("claimreview", '"ClaimReview"')],
)
def test_a_checked_text_is_saved(told: Page, form: str, holds: str) -> None:
    with told.expect_download() as download:
        told.click(f"#cv-doc-{form}")
    content = Path(download.value.path()).read_text(encoding="utf-8")
    assert holds in content and "The Earth is flat." in content
    assert ("<b>bold</b>" in content) is (form == "jsonl")  # elsewhere it would be markup


def test_it_fits_a_phone(told: Page) -> None:
    told.set_viewport_size({"width": 390, "height": 844})
    told.click(f"{MARKS} >> nth=0")
    expect(told.locator("#cv-doc-card .cv-verdict")).to_be_in_viewport(timeout=PATIENCE)
    assert told.evaluate("document.documentElement.scrollWidth") == 390


def test_a_check_is_stopped_keeps_what_is_done_and_goes_on(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    give(page, " ".join([SECOND, *(f"The Eiffel Tower is {number} metres high." for number in range(200, 230))]))
    expect(page.locator(MARKS).first).to_be_visible(timeout=PATIENCE)
    page.click("#cv-doc-stop")
    expect(page.locator("#cv-doc-told")).to_contain_text("Stopped.", timeout=PATIENCE)
    done = page.locator(MARKS).count()
    assert 0 < done < 31
    expect(page.locator("#cv-doc-stop")).to_be_hidden()
    page.click("#cv-doc-on")
    expect(page.locator("#cv-doc-stop")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(MARKS).nth(done)).to_be_visible(timeout=PATIENCE)
    page.click("#cv-doc-stop")
    expect(page.locator("#cv-doc-told")).to_contain_text("Stopped.", timeout=PATIENCE)


def test_a_long_text_in_the_claim_box_is_offered_as_a_whole_text(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    long = f"{SECOND} " * 100
    page.evaluate("text => navigator.clipboard.writeText(text)", long)
    page.focus("#cv-claim textarea")
    expect(page.locator("#cv-long-go")).to_be_hidden()
    page.keyboard.press("Control+V")
    expect(page.locator("#cv-long")).to_contain_text("This has 3,400 characters, and a claim may have 2,000.")
    expect(page.locator("#cv-claim textarea")).to_have_value("")
    page.click("#cv-long-go")
    expect(page.locator("#cv-doc-box textarea")).to_have_value(long)
    expect(page.locator("#cv-doc-box")).to_be_visible()


def test_what_cannot_be_checked_is_told_as_a_failure(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    give(page, "12345")
    expect(page.locator("#cv-doc-told [role=alert]")).to_contain_text("no letters", timeout=PATIENCE)
    expect(page.locator("#cv-doc-filter")).to_be_hidden()


def test_a_file_is_checked_with_its_times(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    tab(page, "Whole text")
    upload(page, "cv-doc-file", "talk.srt", f"1\n00:00:01,000 --> 00:00:04,000\n{SECOND}\n")
    page.click("#cv-doc-go")
    finish(page)
    expect(page.locator(".cv-doc-place")).to_have_attribute("data-place", re.compile("00:00:01"))
    page.click(MARKS)
    expect(page.locator(".cv-doc-head")).to_contain_text("00:00:01", timeout=PATIENCE)
