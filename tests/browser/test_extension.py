"""The browser extension in a real Chromium, asking the real app, and a few servers that only look like it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from lab.space_check.start import free_port
from tests.browser.checks import PATIENCE
from tests.browser.extension import EXTENSION, Installed, Shadow, attributes, wait_for

FLAT = "The Earth is flat"
TWO_PARTS = "The Earth is flat and the town of Orlow has nine bakeries."
HOSTILE = 'The Earth is flat <img src=x onerror="document.title=1"><script>document.title=2</script>'
ARTICLE = f"""<!doctype html><title>news</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<button id="before">before</button><p id="flat">{FLAT}</p><p id="parts">{TWO_PARTS}</p><p id="short">too short</p>
<p id="hostile">{HOSTILE.replace("<", "&lt;")}</p><textarea id="mine">what I write here is private</textarea>"""


@pytest.fixture
def article(installed: Installed, httpserver: HTTPServer, app_url: str) -> Iterator[Page]:
    """A page of somebody else's, which forbids everything to what is in it."""
    installed.choose(server=app_url, web=True)
    httpserver.expect_request("/article").respond_with_data(ARTICLE, content_type="text/html")
    page = installed.context.new_page()
    page.goto(httpserver.url_for("/article"))
    yield page
    page.close()


@pytest.fixture
def popup(installed: Installed, app_url: str) -> Iterator[Page]:
    """The popup, opened as a page."""
    installed.choose(server=app_url, web=True)
    page = installed.context.new_page()
    page.goto(installed.address("popup.html"))
    yield page
    page.close()


def select(page: Page, target: str) -> None:
    """Select a paragraph with three clicks, as a reader does."""
    page.click(target, click_count=3)


def stream(**result: object) -> str:
    """What the app sends at the end of a check."""
    return f"event: heartbeat\ndata: null\n\nevent: complete\ndata: {json.dumps([result])}\n\n"


def pretend(server: HTTPServer, answer: str) -> str:
    """A server that speaks as the app does and answers what it is given; its address."""
    server.expect_request("/gradio_api/call/v2/verify", method="POST").respond_with_json({"event_id": "e1"})
    server.expect_request("/gradio_api/call/verify/e1").respond_with_data(answer, content_type="text/event-stream")
    return server.url_for("/")


def test_a_selected_claim_gets_the_verdict_of_the_real_app(article: Page) -> None:
    select(article, "#flat")
    shown = Shadow(article)
    shown.wait("Check claim")
    shown.click("Check claim")
    text = shown.wait("How this was checked")
    assert (
        "False" in text
        and re.search(r"Confidence \d\d% \((?:high|medium|low)\)", text)
        and "contradicts the claim" in text
    )
    quotes = ["".join(child["nodeValue"] for child in mark["children"]) for mark in shown.find("mark")]
    assert quotes and all(quote in text.replace("\n", " ") for quote in quotes)
    links = [attributes(link) for link in shown.find("a")]
    assert links and all(link["href"].startswith("https://") and "noopener" in link["rel"] for link in links)
    heard = shown.heard()
    assert ("dialog", "Claim check") in heard and "status" in {role for role, _ in heard}
    assert re.search(r"Verdict: False, confidence \d\d percent\.", text)


def test_the_parts_of_a_claim_are_listed_each_with_its_verdict(article: Page, installed: Installed) -> None:
    installed.choose(web=False)  # the web knows nothing of the second part either, and takes long to say so
    select(article, "#parts")
    shown = Shadow(article)
    shown.wait("Check claim")
    shown.click("Check claim")
    text = shown.wait("Part by part")
    rows = text.split("Part by part")[1]
    assert re.search(r"The Earth is flat\n✗ False\n", rows)
    assert re.search(r"The town of Orlow has nine bakeries\n\? Not Enough Evidence", rows)


def test_the_page_sees_nothing_of_it(article: Page, installed: Installed) -> None:
    heard: list[str] = []
    article.on("request", lambda request: heard.append(request.url))
    installed.press_menu(article, FLAT)
    Shadow(article).wait("How this was checked")
    hosts = "[...document.documentElement.children].filter((one) => one.localName === 'div')"
    assert article.evaluate(f"{hosts}.length") == 1
    assert article.evaluate(f"{hosts}.every((one) => one.shadowRoot === null && one.textContent === '')")
    assert article.evaluate(
        "typeof claimVerifier === 'undefined' && document.body.innerText.includes('Verdict') === false"
    )
    assert heard == []


def test_the_overlay_is_left_with_escape_and_the_focus_returns(article: Page, installed: Installed) -> None:
    article.focus("#before")
    installed.press_menu(article, FLAT)
    shown = Shadow(article)
    shown.wait("How this was checked")
    seen = set()
    for _ in range(12):
        article.keyboard.press("Tab")
        seen.add(shown.focused())
    assert "" not in seen and any(one.startswith("A ") for one in seen) and "BUTTON ✕" in seen
    seen = set()
    for _ in range(12):
        article.keyboard.press("Shift+Tab")
        seen.add(shown.focused())
    assert "" not in seen and "SUMMARY How this was checked" in seen
    article.keyboard.press("Escape")
    shown.wait_gone()
    assert article.evaluate("document.activeElement.id") == "before"


def test_hostile_text_on_a_page_stays_text(article: Page) -> None:
    select(article, "#hostile")
    shown = Shadow(article)
    shown.wait("Check claim")
    shown.click("Check claim")
    shown.wait("<img src=x")
    text = wait_for(shown.text, lambda text: "Checking …" not in text, 30)
    assert "How this was checked" in text or "could not be checked" in text
    assert not shown.find("img") and not shown.find("script") and article.title() == "news"


def test_a_hostile_answer_stays_text(article: Page, installed: Installed, httpserver: HTTPServer) -> None:
    evil = "<img src=x onerror=document.title=1><script>document.title=2</script>"
    piece = {
        "number": 1,
        "text": evil,
        "source": "javascript:document.title=3",
        "title": evil,
        "stance": evil,
        "also_reported_by": [evil, 5],
    }
    part = {"claim": evil, "verdict": "False", "confidence": 9e9, "citations": ["<b>", 1]}
    answer: dict[str, Any] = {
        "verdict": "True",
        "confidence": 1e99,
        "reasoning": evil,
        "evidence": [piece] * 500,
        "steps": [evil] * 9_999,
    }
    answer |= {
        "sub_results": [part] * 99,
        "warnings": [evil, None],
        "citations": [{"number": 1, "quote": evil, "start": 0, "end": len(evil)}],
    }
    installed.choose(server=pretend(httpserver, stream(**answer)))
    installed.press_menu(article, FLAT)
    shown = Shadow(article)
    text = shown.wait("How this was checked")
    assert "Confidence 99%" in text and "javascript:document.title=3" in text and text.count("\n[1]") <= 50
    assert not shown.find("img") and not shown.find("script") and not shown.find("a")
    assert len(shown.find("li")) <= 25 + 200 + 20 and article.title() == "news"


def test_quotations_are_marked_beyond_the_basic_plane(
    article: Page, installed: Installed, httpserver: HTTPServer
) -> None:
    piece = {"number": 1, "text": "🌍🌍 Earth is not flat.", "source": "https://a.example/x", "stance": "refutes"}
    citation = {"number": 1, "quote": "Earth is not flat", "start": 3, "end": 20}
    answer = stream(verdict="False", confidence=0.9, tier="high", evidence=[piece], citations=[citation])
    installed.choose(server=pretend(httpserver, answer))
    installed.press_menu(article, FLAT)
    shown = Shadow(article)
    shown.wait("🌍🌍")
    assert [mark["children"][0]["nodeValue"] for mark in shown.find("mark")] == ["Earth is not flat"]


def test_a_server_that_is_down_is_told_with_what_to_do(article: Page, installed: Installed, app_url: str) -> None:
    dead = f"http://127.0.0.1:{free_port()}/"
    installed.choose(server=dead)
    installed.press_menu(article, FLAT)
    shown = Shadow(article)
    text = shown.wait("could not be checked")
    assert f"The app at {dead} does not answer" in text and "make run" in text and "Confidence" not in text
    installed.choose(server=app_url)
    shown.click("Try again")
    shown.wait("How this was checked")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (Response("no", 503), "busy with other checks"),
        (Response("no", 429), "busy with other checks"),
        (Response("no", 401), "wants a login"),
        (Response("<html>", 200), "is not this claim verifier"),
        (Response("null", 200), "is not this claim verifier"),
        (Response("[" * 3_000_000, 200), "is not this claim verifier"),
        (Response("", 302, {"location": "/article"}), "does not answer"),
    ],
    ids=["full", "limited", "login", "foreign", "empty", "large", "elsewhere"],
)
def test_each_failure_is_readable(
    article: Page, installed: Installed, httpserver: HTTPServer, response: Response, said: str
) -> None:
    httpserver.expect_request("/gradio_api/call/v2/verify", method="POST").respond_with_response(response)
    installed.choose(server=httpserver.url_for("/"))
    installed.press_menu(article, FLAT)
    text = Shadow(article).wait("could not be checked")
    assert said in text and "Confidence" not in text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('event: error\ndata: {"error": "the claim is empty"}\n\n', "The app answered: the claim is empty"),
        ('event: error\ndata: {"error": null}\n\n', "gave no reason"),
        ('event: error\ndata: "404: Not Found"\n\n', "is not this claim verifier"),
        ("event: heartbeat\ndata: null\n\n", "ended without an answer"),
        (stream(verdict="Crashed"), "no known verdict"),
        ("event: complete\ndata: 7\n\n", "is not this claim verifier"),
    ],
    ids=["refused", "unsaid", "unknown", "cut", "no verdict", "number"],
)
def test_what_is_no_answer_is_no_verdict(
    article: Page, installed: Installed, httpserver: HTTPServer, answer: str, said: str
) -> None:
    installed.choose(server=pretend(httpserver, answer))
    installed.press_menu(article, FLAT)
    text = Shadow(article).wait("could not be checked")
    assert said in text and "Confidence" not in text


def test_a_check_can_be_cancelled(article: Page, installed: Installed, httpserver: HTTPServer) -> None:
    def beats() -> Iterator[str]:
        for _ in range(600):  # longer than anybody waits: it ends because it is cancelled
            time.sleep(0.1)
            yield "event: heartbeat\ndata: null\n\n"

    def drip(request: Request) -> Response:
        return Response(beats(), 200)

    httpserver.expect_request("/gradio_api/call/v2/verify", method="POST").respond_with_json({"event_id": "e1"})
    httpserver.expect_request("/gradio_api/call/verify/e1").respond_with_handler(drip)
    installed.choose(server=httpserver.url_for("/"))
    installed.press_menu(article, FLAT)
    shown = Shadow(article)
    shown.wait("Checking … 1 s")
    shown.click("Cancel")
    assert "could not be checked" in shown.wait("The check was cancelled")


def test_a_text_that_is_too_long_is_not_sent(article: Page, installed: Installed) -> None:
    installed.press_menu(article, "a" * 2_001)
    assert "The text has 2001 characters; 2000 are allowed" in Shadow(article).wait("could not be checked")


@pytest.mark.parametrize("target", ["#short", "#mine"])
def test_no_button_where_there_is_nothing_to_check_or_something_private(article: Page, target: str) -> None:
    select(article, target)
    article.wait_for_timeout(300)
    assert Shadow(article).text() == ""


def test_a_click_that_the_page_made_up_starts_nothing(article: Page) -> None:
    article.evaluate(
        """() => {
            getSelection().selectAllChildren(document.getElementById("flat"));
            document.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
        }"""
    )
    article.wait_for_timeout(300)
    assert Shadow(article).text() == ""


def test_the_popup_checks_what_is_typed_and_remembers_it(popup: Page) -> None:
    popup.fill("#claim", FLAT)
    popup.keyboard.press("Enter")
    popup.wait_for_selector("#answer .verdict")
    assert "False" in popup.inner_text("#answer .verdict")
    popup.reload()
    assert popup.locator("#answer .verdict").count() == 0
    popup.click(f"#results button:has-text('{FLAT}')")
    assert "False" in popup.inner_text("#answer .verdict") and "Evidence" in popup.inner_text("#answer")
    popup.click("#forget")
    popup.wait_for_selector("#earlier", state="hidden")


def test_a_check_of_the_popup_goes_on_when_it_closes(popup: Page, installed: Installed) -> None:
    popup.fill("#claim", TWO_PARTS)
    popup.click("button[type=submit]")
    popup.wait_for_selector("text=Checking")
    popup.goto("about:blank")
    popup.goto(installed.address("popup.html"))
    expect(popup.locator("#results button", has_text=f"False: {TWO_PARTS}")).to_be_visible(timeout=PATIENCE)


def test_popup_and_options_have_no_barrier_that_axe_finds(popup: Page, installed: Installed) -> None:
    installed.choose(web=False)  # an answer looks the same without it
    popup.fill("#claim", TWO_PARTS)
    popup.click("button[type=submit]")
    popup.wait_for_selector("#answer .verdict")
    popup.click("summary")
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for address in ("popup.html", "options.html"):
        if address != "popup.html":
            popup.goto(installed.address(address))
        for scheme in schemes:
            popup.emulate_media(color_scheme=scheme)
            found = Axe().run(popup).response["violations"]
            assert [(scheme, one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_an_address_that_cannot_be_used_is_refused_in_words(installed: Installed, app_url: str) -> None:
    wrong = {
        "nonsense": "is no address",
        "ftp://a.example/": "must begin with http",
        "javascript:alert(1)": "must begin with http",
        "https://me:secret@a.example/": "name or a password",
        "https://a.example/?x=1": "after ? or #",
        "http://a.example/": "use https://",
        "http://10.a.example/": "use https://",
        f"https://a.example/{'a' * 300}": "300 are allowed",
    }
    installed.choose(server=app_url)
    page = installed.context.new_page()
    page.goto(installed.address("options.html"))
    for typed, words in wrong.items():
        page.fill("#server", typed)
        page.keyboard.press("Enter")
        said = page.inner_text("#server-said")
        assert words in said, typed
    page.reload()
    assert page.input_value("#server") == app_url
    page.close()


def test_what_runs_in_a_page_cannot_read_the_settings_nor_the_last_results(article: Page, installed: Installed) -> None:
    script = Shadow(article).own_script(installed.worker.url)
    for area in ("local", "session"):
        refused = script(f"chrome.storage.{area}.get().then(() => 'read', (error) => error.message)")
        assert "not allowed" in str(refused)
    assert script("chrome.runtime.sendMessage({type: 'health'}).then((answer) => String(answer))") in (
        "undefined",
        "null",
    )


def test_the_button_goes_when_it_is_switched_off(installed: Installed, article: Page) -> None:
    """The last test: the access to all sites is given back with it."""
    options = installed.context.new_page()
    options.goto(installed.address("options.html"))
    options.uncheck("#button")
    wait_for(lambda: options.inner_text("#button-said"), lambda said: said == "Off.", 30)
    select(article, "#flat")
    article.wait_for_timeout(300)
    assert Shadow(article).text() == ""
    assert options.evaluate("chrome.permissions.contains({origins: ['https://a.example/*']})") is False
    options.close()


def test_it_asks_for_nothing_at_installation_but_the_address_of_the_app() -> None:
    manifest = json.loads((EXTENSION / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["permissions"] == ["activeTab", "contextMenus", "scripting", "storage"]
    assert manifest["host_permissions"] == ["http://127.0.0.1:7860/*"]
    assert not manifest.keys() & {"content_scripts", "web_accessible_resources", "externally_connectable"}


def test_no_script_makes_markup_from_text() -> None:
    scripts = [path for path in EXTENSION.rglob("*.js")]
    forbidden = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser")
    assert len(scripts) > 10
    assert [
        (path.name, word) for path in scripts for word in forbidden if word in path.read_text(encoding="utf-8")
    ] == []
