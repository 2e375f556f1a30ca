"""The page in a real Chromium: what a reader does on it, over the real app and the invented web."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.checks import DONE, PATIENCE, check, open_page, start, tab, unfold, upload, verdict

FLAT = "The Earth is flat"
PARTS = "India became independent in 1947 and the Eiffel Tower is in Berlin."
MUSEUM = "The Museum of Glass in Karrow had 620,000 visitors in 2025."
"""A claim that no other test asks the web about."""
BRIDGE = "The Halvard Crossing bridge in Port Halvard is 2.4 kilometres long."
COUNT_STEPS = """() => {
    window.grown = [];
    new MutationObserver(() => {
        const steps = document.querySelectorAll("#cv-steps li").length;
        if (!document.querySelector("#cv-steps details") && grown.at(-1) !== steps) grown.push(steps);
    }).observe(document.body, {subtree: true, childList: true});
}"""


@pytest.fixture(autouse=True)
def _opened(page: Page, app_url: str) -> None:
    open_page(page, app_url)


def test_a_claim_gets_a_verdict_whose_quotations_are_marked(page: Page) -> None:
    check(page, FLAT)
    assert verdict(page) == "False" and "Confidence" in page.inner_text("#cv-verdict")
    marks = page.locator("#cv-evidence mark").all_inner_texts()
    assert marks and all(mark in page.inner_text("#cv-verdict") for mark in marks[:1])
    assert page.locator("html").get_attribute("lang") == "en"
    heard = page.locator("#cv-announce")
    expect(heard).to_contain_text("Verdict: False, confidence")
    assert heard.get_attribute("aria-live") == "polite"
    link = page.locator("#cv-evidence a").first
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_reason_verdict_and_quotation_are_seen_without_scrolling(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    check(page, FLAT)
    expect(page.locator("#cv-verdict .cv-why")).to_be_in_viewport(ratio=1)
    expect(page.locator("#cv-verdict h2")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0 and page.evaluate("document.documentElement.scrollWidth") == width
    why, told = page.inner_text("#cv-verdict .cv-why"), page.inner_text("#cv-verdict")
    assert "sources contradict it" in why and told.index(why) < told.index("False")
    assert "Strongest for it. None found: nothing that was read supports the claim." in told
    assert "independent publishers." in told
    cite, box = page.locator("#cv-verdict .cv-cite").first, page.locator("#cv-cited")
    cite.focus()
    page.keyboard.press("Enter")
    expect(box).to_be_in_viewport(ratio=1)
    assert box.get_attribute("aria-label") == "Evidence [1]: \u2717 contradicts the claim"
    assert box.locator("mark").inner_text() in told and "\u2717 contradicts the claim" in box.inner_text()
    assert page.evaluate("document.activeElement.id") == "cv-cited"
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    assert page.evaluate("document.activeElement.className") == "cv-cite"
    cite.click()
    box.get_by_role("button", name="Close").click()
    expect(box).to_be_hidden()
    cite.click()
    box.get_by_text("Show it among the evidence").click()
    expect(page.locator("#cv-piece-1:target mark")).to_be_in_viewport()
    expect(box).to_be_hidden()


def test_a_check_is_repeated_by_its_command_its_call_and_its_addresses(page: Page, app_url: str) -> None:
    check(page, FLAT)
    page.click(".cv-repeat summary")
    copies = page.locator(".cv-copies")
    copies.nth(0).click()
    expect(copies.nth(0)).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "python -m verifier verify 'The Earth is flat'"
    copies.nth(1).click()
    line = page.evaluate("navigator.clipboard.readText()")
    told = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout
    assert line.startswith(f"curl -sN {app_url}gradio_api/") and '"verdict": "False"' in told
    forms = {name: page.get_attribute(f".cv-repeat a >> text={name}", "href") for name in ("address", "JSON", "CSV")}
    asked = page.request.get(f"{app_url}{forms['JSON']}").json()
    assert asked["verdict"] == "False" and asked["session_id"] in str(forms["CSV"])
    page.goto(f"{app_url}{forms['address']}")
    expect(page.locator("#cv-verdict h2")).to_contain_text("False", timeout=PATIENCE)
    page.click("#cv-evidence .cv-piece a >> text=record")
    expect(page.locator("blockquote")).to_contain_text("not flat")


def test_an_example_fills_the_box(page: Page) -> None:
    page.click("#cv-examples button:has-text('5G towers')")
    expect(page.locator("#cv-claim textarea")).to_have_value("5G towers spread COVID-19")


def test_steps_grow_while_a_check_runs_and_the_web_is_told(page: Page) -> None:
    assert page.locator(".cv-first").count() == 1
    page.evaluate(COUNT_STEPS)
    check(page, BRIDGE)
    grown = page.evaluate("grown")
    assert len(grown) >= 5 and max(grown) >= 10
    assert verdict(page) == "True"
    page.click("#cv-steps summary")
    assert "DuckDuckGo" in page.inner_text("#cv-steps") and "Stored" in page.inner_text("#cv-steps")
    expect(page.locator("#cv-notice summary")).to_have_text("What is sent to search engines")


def test_an_open_claim_says_what_would_settle_it_and_asks_the_web_once(page: Page) -> None:
    page.click("#cv-web input")
    expect(page.locator("#cv-more")).to_be_hidden()
    check(page, MUSEUM)
    assert verdict(page) == "Not Enough Evidence"
    settle = page.locator("#cv-verdict .cv-missing")
    expect(settle).to_contain_text("Looked for and not found: a relevant text on \u201cMuseum of Glass")
    expect(settle).to_contain_text("Not asked: the web (switched off for this check).")
    page.fill("#cv-claim textarea", "Something else was typed meanwhile")
    page.click("#cv-more")
    expect(page.locator("#cv-verdict .cv-verdict")).to_contain_text("True", timeout=PATIENCE)
    expect(page.locator("#cv-claim textarea")).to_have_value(MUSEUM)
    expect(page.locator("#cv-more")).to_be_hidden()
    assert not page.locator("#cv-web input").is_checked()  # asked this once
    expect(page.locator("#cv-evidence")).to_contain_text("retrieved 20")


def test_a_box_that_is_unticked_before_the_greeting_stays_so(page: Page, app_url: str) -> None:
    held: list[Route] = []
    page.route("**/gradio_api/run/predict", lambda route: held.append(route))
    page.goto(app_url)
    page.uncheck("#cv-web input", timeout=PATIENCE)
    greeting = None
    while greeting is None:
        page.wait_for_timeout(50)
        greeting = next((one for one in held if "told" in str(one.request.post_data)), None)
    with page.expect_response(lambda answer: answer.request == greeting.request):
        greeting.continue_()
    page.wait_for_timeout(200)
    assert not page.is_checked("#cv-web input")


def test_before_the_first_check_its_queries_stand_beside_the_engines(page: Page) -> None:
    page.fill("#cv-claim textarea", BRIDGE)
    expect(page.locator(".cv-queries li").first).to_have_text(BRIDGE)
    assert page.locator(".cv-queries li").count() >= 2 and "DuckDuckGo" in page.inner_text("#cv-notice")
    check(page, FLAT)
    expect(page.locator(".cv-queries li")).to_have_count(0)  # the browser keeps that a check was made
    page.fill("#cv-claim textarea", PARTS)
    page.wait_for_timeout(500)
    assert page.locator(".cv-queries li").count() == 0 and not page.locator("#cv-notice details").get_attribute("open")


def test_a_check_folds_what_was_read_and_its_steps_and_verdict_come_into_view(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 600})
    height = "document.querySelector('#cv-examples').getBoundingClientRect().height"
    tall = page.evaluate(height)
    start(page, MUSEUM.replace("620,000", "6,200"))  # it asks the web: what the store answers is over before it is seen
    page.wait_for_selector("#cv-steps .cv-trace li:nth-child(5)")
    expect(page.locator("#cv-steps .cv-busy")).to_be_in_viewport()
    expect(page.locator("#cv-notice details")).not_to_have_attribute("open", "")
    assert page.evaluate(height) < min(60, tall)
    page.wait_for_selector(DONE, timeout=PATIENCE)
    expect(page.locator("#cv-verdict h2")).to_be_in_viewport()
    start(page, MUSEUM.replace("620,000", "62,000"))  # it asks the web, and so takes a while
    expect(page.locator("#cv-steps .cv-left").first).to_contain_text(re.compile(r"about \d+ s left|any moment now"))
    page.wait_for_selector(DONE, timeout=PATIENCE)


def test_what_a_check_added_is_listed_and_taken_out_again(page: Page) -> None:
    check(page, "Comet Alder-Quist was discovered by the Serrin Observatory.")
    unfold(page, "cv-added")
    expect(page.locator("#cv-added-list li").first).to_contain_text(re.compile(r"\d+ passages?"))
    page.click("#cv-added-undo")
    expect(page.locator("#cv-added-told")).to_contain_text(re.compile(r"[1-9]\d* passages? taken out of the store"))
    expect(page.locator("#cv-added-list")).to_contain_text("Nothing of it is in the store any more")
    page.click("#cv-link")
    expect(page.locator("#cv-told")).to_contain_text("Link copied. It works on this machine only")
    check(page, FLAT)
    expect(page.locator("#cv-added")).to_be_hidden()


def test_a_check_is_stopped_and_the_next_one_runs(page: Page) -> None:
    expect(page.locator("#cv-stop")).to_be_hidden()
    start(page, "Drivers must pay a toll of three talers to use the Halvard Crossing.")
    page.click("#cv-stop")
    expect(page.locator("#cv-verdict")).to_have_text("Stopped.", use_inner_text=True, timeout=PATIENCE)
    expect(page.locator("#cv-stop")).to_be_hidden()
    page.wait_for_timeout(500)
    assert page.inner_text("#cv-verdict").strip() == "Stopped." and page.locator(DONE).count() == 0
    check(page, FLAT)
    assert verdict(page) == "False"


def test_a_check_can_be_stopped_before_the_server_has_answered_its_start(page: Page) -> None:
    held: list[Route] = []
    page.route("**/queue/join*", lambda route: held.append(route), times=1)
    start(page, "Drivers must pay a toll of three talers to use the Halvard Crossing.")
    with page.expect_response("**/gradio_api/cancel") as ended:
        page.click("#cv-stop")
        page.wait_for_timeout(1_000)
        held[0].continue_()
    assert ended.value.ok
    expect(page.locator("#cv-verdict")).to_have_text("Stopped.", use_inner_text=True, timeout=PATIENCE)
    check(page, FLAT)
    assert verdict(page) == "False"


def test_what_cannot_be_checked_is_told_as_a_failure(page: Page) -> None:
    start(page, "12345")
    expect(page.locator("#cv-verdict [role=alert]")).to_contain_text("This could not be checked", timeout=PATIENCE)
    assert "Confidence" not in page.inner_text("#cv-page")


def test_each_part_of_a_claim_has_its_verdict(page: Page) -> None:
    check(page, PARTS)
    assert verdict(page) == "Partially True"
    rows = page.locator(".cv-parts tbody tr").all_inner_texts()
    assert len(rows) == 2 and "✓ True" in rows[0] and "✗ False" in rows[1] and re.search(r"\[\d\]", rows[1])


def test_the_theme_is_switched_and_kept(page: Page, app_url: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#cv-theme")
    dark = page.evaluate(ground)
    open_page(page, app_url)
    assert page.evaluate(ground) == dark != light
    page.click("#cv-theme")
    assert page.evaluate(ground) == light


def test_nothing_is_wider_than_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    check(page, PARTS)
    page.click("#cv-steps summary")
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) == 390
    cells = page.locator(".cv-parts tbody tr:first-child td")
    assert {cells.nth(n).evaluate("cell => getComputedStyle(cell).display") for n in range(3)} == {"grid"}
    label = cells.nth(1).evaluate("cell => getComputedStyle(cell, '::before').content")
    assert label == '"Verdict"' and not page.locator("footer .divider").first.is_visible()
    for name in ("Whole text", "Knowledge base", "Batch", "Models", "About"):
        tab(page, name)
        page.wait_for_timeout(200)
        assert page.evaluate(wide) == 390, name


def test_earlier_checks_are_listed_shown_again_and_forgotten(page: Page, app_url: str) -> None:
    check(page, FLAT)
    unfold(page, "cv-history")
    expect(page.locator("#cv-history-list")).to_contain_text(FLAT)  # it is kept a moment after the verdict is shown
    open_page(page, app_url)
    unfold(page, "cv-history")
    page.click(f"#cv-history-list a:has-text('{FLAT}')")
    page.wait_for_selector(DONE)
    assert verdict(page) == "False" and "?check=" in page.url
    expect(page.locator("#cv-claim textarea")).to_have_value(FLAT)
    unfold(page, "cv-log")
    expect(page.locator("#cv-log-list a").first).to_be_visible()
    unfold(page, "cv-history")
    page.click("#cv-history-clear")
    expect(page.locator("#cv-history-list")).to_have_text("No checks yet.")


def test_a_claim_is_watched_listed_and_forgotten_with_the_keyboard(page: Page, app_url: str) -> None:
    check(page, FLAT)
    expect(page.locator("#cv-watch-go")).to_have_text("Watch this claim")
    reach(page, "cv-watch-go")
    page.keyboard.press("Enter")
    told = page.locator("#cv-watch-told [role=status]")
    expect(told).to_contain_text("Watched: checked again after each refresh and once a day. Queries made from it go")
    expect(page.locator("#cv-watch-go")).to_have_text("Watched: stop watching")
    reach(page, "cv-watch")
    page.keyboard.press("Enter")
    row = page.locator("#cv-watch-list tbody tr", has_text=FLAT)
    expect(row).to_contain_text(re.compile(r"False, \d\d% \(high\)[\s\S]*UTC[\s\S]*none"))
    row.locator("a").click()
    page.wait_for_selector(DONE)
    assert verdict(page) == "False" and "?check=" in page.url
    expect(page.locator("#cv-watch-go")).to_have_text("Watched: stop watching")
    unfold(page, "cv-watch")
    page.click("#cv-watch-chosen input")
    page.click(f"[role=option]:has-text('{FLAT}')")
    page.click("#cv-watch-remove")
    expect(page.locator("#cv-watch-gone [role=status]")).to_have_text("No longer watched.")
    expect(page.locator("#cv-watch-go")).to_have_text("Watch this claim")
    expect(page.locator("#cv-watch-list")).not_to_contain_text(FLAT)
    assert page.request.get(f"{app_url}watch.atom").headers["content-type"].startswith("application/atom+xml")


def test_a_file_of_claims_is_checked_and_saved(page: Page) -> None:
    tab(page, "Batch")
    upload(page, "cv-batch-file", "claims.csv", f"claim\n{FLAT}\n=1+1 is what India did in 1947\n12345\n")
    page.click("#cv-batch-go")
    page.wait_for_selector("#cv-batch-csv", timeout=PATIENCE)
    assert "3 rows." in page.inner_text("#cv-batch-told") and page.locator("#cv-batch-table tbody tr").count() == 3
    rows = list(csv.DictReader(io.StringIO(saved(page, "#cv-batch-csv", "results.csv").removeprefix("\ufeff"))))
    assert rows[0]["verdict"] == "False" and rows[1]["claim"].startswith("'=1") and rows[2]["status"] == "failed"
    lines = [json.loads(line) for line in saved(page, "#cv-batch-jsonl", "results.jsonl").splitlines()]
    assert [line["row"] for line in lines] == [1, 2, 3]


def test_a_batch_is_stopped_and_keeps_what_is_done(page: Page) -> None:
    tab(page, "Batch")
    claims = "".join(f"The Eiffel Tower is {number} metres high\n" for number in range(200, 260))
    upload(page, "cv-batch-file", "claims.txt", claims)
    page.click("#cv-batch-go")
    page.wait_for_selector("#cv-batch-table tbody tr", timeout=PATIENCE)
    page.click("#cv-batch-stop")
    expect(page.locator("#cv-batch-told")).to_contain_text("Stopped.")
    assert 0 < page.locator("#cv-batch-table tbody tr").count() < 60
    expect(page.locator("#cv-batch-csv")).to_be_visible()


def test_evidence_is_added_found_and_removed(page: Page) -> None:
    tab(page, "Knowledge base")
    expect(page.locator("#cv-kb-figures svg")).to_be_visible()
    unfold(page, "cv-kb-add")
    page.fill("#cv-kb-text textarea", "The clock of Aldersby strikes thirteen times at noon.")
    page.fill("#cv-kb-title textarea, #cv-kb-title input", "Clock")
    page.click("#cv-kb-add-text")
    expect(page.locator("#cv-kb-told")).to_contain_text("1 passage of the text added.")
    page.fill("#cv-kb-query textarea, #cv-kb-query input", "clock of Aldersby")
    page.keyboard.press("Enter")
    expect(page.locator("#cv-kb-results .cv-piece").first).to_contain_text("strikes thirteen")
    unfold(page, "cv-kb-own")
    page.click("#cv-kb-mine input")
    page.click("[role=option]:has-text('Aldersby')")
    page.click("#cv-kb-remove")
    expect(page.locator("#cv-kb-gone")).to_have_text("Removed.")


def test_a_result_is_copied_and_saved(page: Page, app_url: str) -> None:
    check(page, FLAT)
    page.click("#cv-link")
    expect(page.locator("#cv-told")).to_contain_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(re.escape(app_url) + r"\?check=[\w-]+", link)
    told = json.loads(saved(page, "#cv-download", ".json"))
    assert told["verdict"] == "False" and told["citations"]
    page.click("#cv-format input")
    page.click("[role=option]:has-text('Markdown')")
    page.click("#cv-copy")
    expect(page.locator("#cv-told")).to_contain_text("copied.")
    assert FLAT in page.evaluate("navigator.clipboard.readText()")


def test_the_page_is_used_with_the_keyboard_alone(page: Page) -> None:
    page.keyboard.type(FLAT)  # the box has the focus when the page opens
    page.keyboard.press("Enter")
    page.wait_for_selector(DONE, timeout=PATIENCE)
    order = walk(page, 40)
    wanted = ["cv-check", "cv-web", "cv-evidence", "cv-link", "cv-format", "cv-download", "cv-steps", "cv-history"]
    assert [name for name in dict.fromkeys(order) if name in wanted] == wanted
    reach(page, "cv-steps")
    page.keyboard.press("Enter")
    expect(page.locator("#cv-steps ol")).to_be_visible()
    reach(page, "cv-tab-kb-button")
    page.keyboard.press("Enter")
    expect(page.locator("#cv-kb-query")).to_be_visible()


def test_a_running_check_is_stopped_with_the_keyboard(page: Page) -> None:
    page.keyboard.type(BRIDGE.replace("2.4", "7.4"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#cv-stop")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "cv-stop"
    page.keyboard.press("Enter")
    expect(page.locator("#cv-verdict")).to_have_text("Stopped.", use_inner_text=True, timeout=PATIENCE)


def test_the_focus_is_seen(page: Page) -> None:
    page.keyboard.press("Tab")
    assert focused(page) == "cv-check"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineWidth") == "3px"


def focused(page: Page) -> str:
    """The nearest name that this page gave to what has the focus."""
    return str(page.evaluate("document.activeElement.closest('[id^=cv-]')?.id ?? ''"))


def walk(page: Page, steps: int) -> list[str]:
    """Where the Tab key leads."""
    seen = []
    for _ in range(steps):
        page.keyboard.press("Tab")
        seen.append(focused(page))
    return seen


def reach(page: Page, name: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(80):
        if focused(page) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not lead to {name}")


def saved(page: Page, button: str, name: str) -> str:
    """Press a button that saves a file; its text."""
    with page.expect_download() as download:
        page.click(button)
    assert download.value.suggested_filename.endswith(name)
    return Path(download.value.path()).read_text(encoding="utf-8")
