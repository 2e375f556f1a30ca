"""What barriers the page has, and what it does with text that wants to be markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

import pytest
from axe_playwright_python.sync_playwright import Axe
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer

from tests.browser.checks import DONE, PATIENCE, TABS, check, open_page, start, tab, unfold, upload

PAYLOADS = (
    '<img src=x onerror="alert(1)">',
    "<script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "<iframe srcdoc='<script>parent.alert(4)</script>'></iframe>",
    "[link](javascript:alert(5))",
    "{{constructor.constructor('alert(6)')()}}",
)
REFUSED = f"The Moon is made of cheese {PAYLOADS[0]}"
HOSTILE = f"The Earth is flat \" onmouseover=alert(8) ' {PAYLOADS[4]} {PAYLOADS[5]}"
BAD_ADDRESS = "javascript:alert(7)"
SETTLED = "document.getAnimations().every((one) => one.playState !== 'running' || one.effect.getTiming().iterations === Infinity)"
"""Colours change slowly; what turns for ever, as the sign of a running check, is not waited for."""
LEVELS = re.compile(r"wcag2\d?a{1,2}")
"""How axe names the rules of levels A and AA of WCAG 2.0, 2.1 and 2.2."""
INJECTED = (
    "#cv-page :is(script, iframe, img[src=x], svg[onload], [onerror], [onload], [onmouseover], a[href^='javascript:'])"
)


@pytest.fixture(scope="module")
def client(app_url: str) -> Iterator[Client]:
    """A program that uses the app."""
    made = Client(app_url, verbose=False, analytics_enabled=False)
    yield made
    made.close()


def test_markup_in_a_claim_stays_text_everywhere(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    start(page, REFUSED)
    alert = page.locator("#cv-verdict [role=alert]")
    expect(alert).to_contain_text('contains HTML (<img src=x onerror="alert(1)">)', timeout=PATIENCE)
    inert(page)
    check(page, HOSTILE)
    expect(page.locator("#cv-verdict")).to_contain_text("onmouseover=alert(8)")
    page.click("#cv-watch-go")
    unfold(page, "cv-watch")
    expect(page.locator("#cv-watch-list")).to_contain_text("onmouseover=alert(8)")
    inert(page)
    open_page(page, app_url)
    unfold(page, "cv-history")
    unfold(page, "cv-log")
    for place in ("#cv-history-list", "#cv-log-list"):
        expect(page.locator(place)).to_contain_text("onmouseover=alert(8)")
    page.click("#cv-history-list a >> nth=0")
    page.wait_for_selector(DONE)
    inert(page)


def test_markup_in_stored_evidence_stays_text(page: Page, app_url: str, client: Client) -> None:
    text = f"The lighthouse of Vellmar was built in 1704. {' '.join(PAYLOADS)}"
    with pytest.raises(AppError, match="must be an http or https address"):
        client.predict(text=text, source=BAD_ADDRESS, title="", api_name="/add_evidence")
    client.predict(text=text, source="", title=PAYLOADS[2], api_name="/add_evidence")
    quoted = 'https://a.example/"onmouseover="alert(8)'
    other = f"The lighthouse of Vellmar stands on a rock. {PAYLOADS[0]}"
    client.predict(text=other, source=quoted, title=PAYLOADS[1], api_name="/add_evidence")
    open_page(page, app_url)
    page.uncheck("#cv-web input")
    check(page, "The lighthouse of Vellmar was built in 1704.")
    expect(page.locator("#cv-evidence")).to_contain_text('<img src=x onerror="alert(1)">')
    inert(page)
    tab(page, "Knowledge base")
    page.fill("#cv-kb-query textarea, #cv-kb-query input", "lighthouse of Vellmar")
    page.keyboard.press("Enter")
    expect(page.locator("#cv-kb-results")).to_contain_text('"><svg onload=alert(3)>')
    expect(page.locator("#cv-kb-figures svg")).to_be_visible()
    unfold(page, "cv-kb-own")
    page.click("#cv-kb-mine input")
    expect(page.locator("[role=option]").first).to_contain_text("Vellmar")
    inert(page)


def test_markup_in_an_article_stays_text(page: Page, app_url: str, httpserver: HTTPServer) -> None:
    told = "".join(
        f"<p>The lighthouse keeper of Port Halvard said in 2026 that {escape(one)} is what he saw.</p>"
        for one in PAYLOADS
    )
    html = (
        f"<!doctype html><html><head><title>{escape(PAYLOADS[0])} opens</title></head><body><article><h1>{escape(PAYLOADS[1])} opens</h1>"
        f"{told}<img src=x onerror=alert(9)><script>alert(10)</script></article></body></html>"
    )
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)
    httpserver.expect_request("/story").respond_with_data(html, content_type="text/html")
    open_page(page, app_url)
    page.fill("#cv-claim textarea", httpserver.url_for("/story"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#cv-sentences label", timeout=PATIENCE)
    assert "alert(" in page.inner_text("#cv-sentences")
    inert(page)
    page.click("#cv-sentences label >> nth=0")
    page.click("#cv-sentence-check")
    page.wait_for_selector(DONE, timeout=PATIENCE)
    inert(page)


def test_markup_in_an_address_and_in_a_file_stays_text(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}?claim=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&check=")
    expect(page.locator("#cv-claim textarea")).to_have_value("<img src=x onerror=alert(1)>")
    open_page(page, f"{app_url}?check=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    expect(page.locator("#cv-verdict section")).to_be_visible()
    inert(page)
    tab(page, "Batch")
    upload(page, "cv-batch-file", "claims.txt", f"{HOSTILE}\n{REFUSED}\n")
    page.click("#cv-batch-go")
    page.wait_for_selector("#cv-batch-csv", timeout=PATIENCE)
    expect(page.locator("#cv-batch-table")).to_contain_text("<img src=x")
    inert(page)


def test_markup_in_a_whole_text_stays_text(page: Page, app_url: str) -> None:
    open_page(page, app_url)
    tab(page, "Whole text")
    page.fill(
        "#cv-doc-box textarea",
        "\n\n".join([f"{HOSTILE}.", *(f"India became independent in 1947 {one}." for one in PAYLOADS)]),
    )
    page.click("#cv-doc-go")
    expect(page.locator("#cv-doc-told")).to_contain_text("Done in", timeout=PATIENCE)
    expect(page.locator("#cv-doc-text")).to_contain_text(PAYLOADS[0])
    for mark in page.locator("#cv-doc-text .cv-doc-text [data-tone]").all():
        said = mark.inner_text()
        mark.click()
        expect(page.locator(".cv-doc-said blockquote")).to_contain_text(said[-20:], timeout=PATIENCE)
    inert(page)


def test_no_view_has_a_barrier_of_level_a_or_aa(page: Page, app_url: str) -> None:
    """Each tab, and each view with an address of its own, is looked at in both themes, on a wide and on a narrow screen."""
    open_page(page, app_url)
    found = barriers(page, "before a check")
    check(page, "India became independent in 1947 and the Eiffel Tower is in Berlin.")
    for fold in ("#cv-steps summary", "#cv-evidence .cv-more > summary", ".cv-repeat summary"):
        page.click(fold)
    page.click("#cv-watch-go")
    for fold in ("cv-watch", "cv-wrong", "cv-history", "cv-log"):
        unfold(page, fold)
    found += barriers(page, "Check")
    page.click("#cv-verdict .cv-cite >> nth=0")
    expect(page.locator("#cv-cited")).to_be_visible()
    found += barriers(page, "Check, a quotation open")
    expect(page.locator("#cv-cited")).to_be_visible()
    page.keyboard.press("Escape")
    record = page.get_attribute("#cv-evidence a >> text=record", "href")
    for name in list(TABS)[1:]:
        tab(page, name)
        if name in ACTIONS:
            ACTIONS[name](page)
        found += barriers(page, name)
    for view in (record, "search?q=shape of the Earth"):
        page.goto(f"{app_url}{view}")
        found += barriers(page, str(view))
    assert found == []


def _search(page: Page) -> None:
    page.fill("#cv-kb-query textarea, #cv-kb-query input", "shape of the Earth")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cv-kb-results .cv-piece")
    page.wait_for_selector("#cv-kb-figures svg")
    for fold in ("cv-packs", "cv-kb-add", "cv-kb-own", "cv-kb-domains"):
        unfold(page, fold)


def _batch(page: Page) -> None:
    upload(page, "cv-batch-file", "claims.txt", "The Earth is flat\n12345\n")
    page.click("#cv-batch-go")
    page.wait_for_selector("#cv-batch-csv", timeout=PATIENCE)


def _text(page: Page) -> None:
    page.fill("#cv-doc-box textarea", "The Earth is flat. The lighthouse of Vellmar is blue. Is that so?")
    page.click("#cv-doc-go")
    expect(page.locator("#cv-doc-told")).to_contain_text("Done in", timeout=PATIENCE)
    page.click("#cv-doc-text [data-tone] >> nth=0")
    page.click("#cv-doc-card summary >> nth=-1")


ACTIONS = {"Whole text": _text, "Knowledge base": _search, "Batch": _batch}


def barriers(page: Page, where: str) -> list[str]:
    """What axe finds on the page against levels A and AA, or else serious, one line each: on a dark narrow page, and on a light wide one.

    No colour depends on the width, so that these two looks show every colour.
    """
    seen = []
    for width, height, dark in ((390, 844, True), (1280, 800, False)):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme="dark" if dark else "light"
        )  # for views; the page of the app has its own switch
        page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
        page.mouse.move(0, 0)
        page.wait_for_function(SETTLED)
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        seen += [
            f"{where}, {width} wide, {'dark' if dark else 'light'}: {one['id']}: {node['html'][:200]}"
            for one in found
            if one["impact"] in {"serious", "critical"} or any(LEVELS.fullmatch(tag) for tag in one["tags"])
            for node in one["nodes"]
        ]
    return seen


def inert(page: Page) -> None:
    """Nothing of what was typed or read has become an element; that no dialog came up, the fixture of the page checks."""
    page.wait_for_timeout(200)
    assert page.locator(INJECTED).count() == 0
