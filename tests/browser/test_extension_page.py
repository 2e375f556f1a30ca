"""The extension checks a whole page: what it reads, what it marks, and that nothing of it stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.browser.extension import Installed, Shadow, attributes, wait_for

EVIL = "<img src=x onerror=document.title=1><script>document.title=2</script>"
ARTICLE = """<!doctype html><meta charset="utf-8"><title>news</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<body style="margin: 2em"><nav>Menu of the paper is a nav.</nav>
<article><h1>Beliefs \U0001f30d</h1><p id="flat">\U0001f30d <b>The Earth</b>
is   flat. Is that so?</p><p id="water">Water boils at 100 degrees Celsius at sea level.</p><p>I hold that this is the finest
paper of all.<br>A line of its own.</p>
<p style="display:none">Hidden words one.</p><p style="visibility:hidden">Hidden words two.</p><p style="opacity:0">Hidden words three.</p>
<p style="position:absolute;left:-9999px">Hidden words four.</p><p style="font-size:0">Hidden words five.</p><p aria-hidden="true">Hidden words six.</p>
<p style="position:absolute;width:1px;height:1px;overflow:hidden">Hidden words seven.</p><details><summary>More</summary><p>Hidden words eight.</p></details>
<form><p>Form words one.</p><input value="Form words two."><textarea>Form words three.</textarea></form>
<p contenteditable="true">Form words four.</p><label>Form words five.</label><button>Form words six.</button></article></body>"""
MARKED = "[...CSS.highlights].flatMap(([name, held]) => [...held].map((range) => [name, range.toString()]))"


@pytest.fixture
def article(installed: Installed, httpserver: HTTPServer, app_url: str) -> Iterator[Page]:
    """A page of somebody else's."""
    installed.choose(server=app_url, web=False)
    httpserver.expect_request("/article").respond_with_data(ARTICLE, content_type="text/html; charset=utf-8")
    page = installed.context.new_page()
    page.goto(httpserver.url_for("/article"))
    yield page
    page.close()


class Pretended:
    """A server that speaks as the app does: it notes the text that it is sent, and answers with claims about places in it."""

    def __init__(self, server: HTTPServer, claims: list[dict[str, Any]]) -> None:
        self.asked: dict[str, Any] = {}
        self.address = server.url_for("/")
        self._claims = claims
        server.expect_request("/gradio_api/call/v2/verify_text", method="POST").respond_with_handler(self._start)
        server.expect_request("/gradio_api/call/verify_text/e1").respond_with_handler(self._answer)

    def _start(self, request: Request) -> Response:
        self.asked = request.get_json()
        return Response(json.dumps({"event_id": "e1"}), content_type="application/json")

    def _answer(self, request: Request) -> Response:
        done = {"status": "done", "summary": EVIL, "done": 1, "total": 1, "sentences": [], "warnings": [EVIL]}
        answer = done | {"claims": [self._placed(number, claim) for number, claim in enumerate(self._claims)]}
        return Response(f"event: complete\ndata: {json.dumps([answer])}\n\n", content_type="text/event-stream")

    def _placed(self, number: int, claim: dict[str, Any]) -> dict[str, Any]:
        words = claim["text"]
        start = self.asked["text"].index(words) if words in self.asked["text"] else 0
        place = {"sentence": number, "start": start, "end": start + len(words), "outcome": "checked", "reason": ""}
        return place | {"claim": words, "resolved": False, "speaker": ""} | claim


def claim(text: str, verdict: str = "False", **more: object) -> dict[str, Any]:
    """A statement of an answer."""
    result = {"verdict": verdict, "confidence": 0.9, "tier": "high", "reasoning": EVIL, "evidence": [], "citations": []}
    return {"text": text, "verdict": verdict, "result": result} | more


def test_the_statements_of_a_page_are_marked_by_the_real_app_and_unmarked_again(
    article: Page, installed: Installed
) -> None:
    before = article.content()
    installed.press_menu(article, "")
    shown = Shadow(article)
    text = shown.wait("Done.", 60)
    assert "contradicted" in text and "1 sentence is a question" in text
    marked = dict((" ".join(words.split()), name) for name, words in article.evaluate(MARKED))
    assert marked["The Earth"] == marked["is flat."] == "claim-verifier-false"
    assert "Water boils at 100 degrees Celsius at sea level." in marked and "Is that so?" not in " ".join(marked)
    shown.click("The Earth is flat.")
    assert ["claim-verifier-here", "The Earth"] in article.evaluate(MARKED)
    shown.click("Why")
    heard = shown.heard()
    assert ("region", "This page, checked") in heard and "status" in {role for role, _ in heard}
    shown.click("Remove the marks")
    shown.wait_gone()
    assert article.evaluate("CSS.highlights.size") == 0 and article.evaluate("document.adoptedStyleSheets.length") == 0
    assert article.content() == before


def test_nothing_hidden_and_nothing_of_a_form_is_read(
    article: Page, installed: Installed, httpserver: HTTPServer
) -> None:
    app = Pretended(httpserver, [])
    installed.choose(server=app.address)
    installed.press_menu(article, "")
    Shadow(article).wait("Done.")
    lines = [" ".join(line.split()) for line in app.asked["text"].split("\n") if line.strip()]
    wanted = [
        "Beliefs \U0001f30d",
        "\U0001f30d The Earth is flat. Is that so?",
        "Water boils at 100 degrees Celsius at sea level.",
    ]
    assert lines == [*wanted, "I hold that this is the finest paper of all.", "A line of its own.", "More"]
    assert app.asked.keys() == {"text", "web", "max_claims"}


def test_the_web_is_asked_only_if_the_reader_says_so(
    article: Page, installed: Installed, httpserver: HTTPServer
) -> None:
    app = Pretended(httpserver, [claim("Water boils")])
    installed.choose(server=app.address, web=True)
    installed.press_menu(article, "")
    shown = Shadow(article)
    shown.wait("Ask the web too")
    assert app.asked["web"] is False
    shown.click("Ask the web too")
    wait_for(lambda: str(app.asked["web"]), lambda web: web == "True", 10)
    assert "Ask the web too" not in shown.wait("Done.")


def test_a_hostile_answer_stays_text_and_marks_only_what_is_there(
    article: Page, installed: Installed, httpserver: HTTPServer
) -> None:
    wild: dict[str, Any] = {"start": 10**9, "end": 10**10}
    claims = [claim("Water boils"), claim(EVIL, "True", speaker=EVIL, resolved=True, claim=EVIL, **wild)]
    claims.append(claim("gone", outcome="failed", result=None, reason=EVIL, **wild))
    installed.choose(server=Pretended(httpserver, claims).address)
    installed.press_menu(article, "")
    shown = Shadow(article)
    text = shown.wait("Done.")
    assert text.count("<img src=x") >= 5 and "not checked" in text and "this sentence is not marked" in text
    assert not shown.find("img") and not shown.find("script") and article.title() == "news"
    assert article.evaluate(MARKED) == [["claim-verifier-false", "Water boils"]]
    assert len(shown.find("li")) == 3
    assert "disabled" in attributes(shown.find("button")[-1])


def test_a_page_that_has_changed_is_not_marked_in_the_wrong_place(
    article: Page, installed: Installed, httpserver: HTTPServer
) -> None:
    app = Pretended(httpserver, [claim("Water boils at 100 degrees")])
    installed.choose(server=app.address)
    article.evaluate(
        "new MutationObserver(() => { document.querySelector('#water').firstChild.nodeValue = 'Other words.'; })"
        ".observe(document.documentElement, {childList: true})"
    )
    installed.press_menu(article, "")
    assert "this sentence is not marked" in Shadow(article).wait("Done.")
    assert article.evaluate(MARKED) == []


def test_an_app_that_fails_is_told_and_marks_nothing(
    article: Page, installed: Installed, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/gradio_api/call/v2/verify_text", method="POST").respond_with_data("no", status=503)
    installed.choose(server=httpserver.url_for("/"))
    installed.press_menu(article, "")
    shown = Shadow(article)
    assert "busy with other checks" in shown.wait("could not be checked")
    article.keyboard.press("Escape")
    shown.wait_gone()
    assert article.evaluate("CSS.highlights.size") == 0


def test_the_popup_says_when_a_page_cannot_be_read_and_has_no_barrier(installed: Installed) -> None:
    popup = installed.context.new_page()
    popup.goto(installed.address("popup.html"))
    popup.bring_to_front()
    popup.click("#page")
    said = wait_for(lambda: popup.inner_text("#page-said"), bool, 10)
    assert "cannot be read" in said
    found = Axe().run(popup).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
    popup.close()
