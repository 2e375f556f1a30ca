"""The real app as its own process, on a Space and at home, asked over HTTP. It has no models: none is needed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.served import ROOT, Served, start, visitors, wait_for

HERE = ("127.0.0.1", "localhost")
TOKEN = "the-owners-own-feed-token"


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Served]]:
    started = {
        "home": start(tmp_path_factory.mktemp("home"), VERIFIER_CHECKS_AT_ONCE="1000"),
        "space": start(
            tmp_path_factory.mktemp("space"),
            SPACE_ID="somebody/claims",
            SYSTEM="spaces",
            VERIFIER_CHECKS_AT_ONCE="1000",
            VERIFIER_WATCH_TOKEN=TOKEN,
        ),
    }
    try:
        for served, app in started.values():
            wait_for(served, app)
        yield {name: served for name, (served, _) in started.items()}
    finally:
        for _, app in started.values():
            app.terminate()
            app.wait(60)


@pytest.fixture(scope="module")
def home(apps: dict[str, Served]) -> Served:
    return apps["home"]


@pytest.fixture(scope="module")
def space(apps: dict[str, Served]) -> Served:
    return apps["space"]


@pytest.fixture(scope="module")
def visitor() -> Callable[[], str]:
    """Return a function that makes a new address each time."""
    return visitors()


@pytest.fixture(params=["home", "space"])
def served(request: pytest.FixtureRequest, apps: dict[str, Served]) -> Served:
    return apps[request.param]


def test_a_visitor_of_a_space_has_twenty_checks_a_minute(space: Served, visitor: Callable[[], str]) -> None:
    one, other = visitor(), visitor()
    answers = [space.start_check(one) for _ in range(22)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429] * 2
    told = answers[-1]
    assert 1 <= int(told.headers["retry-after"]) <= 61 and told.headers["content-type"] == "application/json"
    assert "20 checks a minute and 200 an hour" in told.json()["detail"]
    forged = f"{visitor()}, {one}"  # a visitor may write what he likes on the left
    assert space.start_check(forged).status_code == 429
    assert space.start_check(other).status_code == 200
    functions = {each["api_name"]: each["id"] for each in space.ask("GET", "config").json()["dependencies"]}
    named = {"claim": "The Earth is flat", "web": False}
    numbered = {"fn_index": functions["verify"], "data": ["The Earth is flat", False], "session_hash": "x"}
    for path, said in (("gradio_api/call/v2/verify", named), ("gradio_api/queue/join", numbered)):  # nor another door
        assert space.ask("POST", path, one, json=said).status_code == 429
    trick = {"fn_index": functions["verify"], "data": ["a", False]}  # the number goes before the name
    assert space.ask("POST", "gradio_api/call/health", one, json=trick).status_code == 429
    assert space.ask("POST", "gradio_api/call/health", one, json={"data": []}).status_code == 200
    assert space.ask("GET", "", one).status_code == 200


def test_many_claims_in_one_request_count_as_many(space: Served, visitor: Callable[[], str]) -> None:
    one = visitor()
    batch = {"data": [["a claim"] * 150, False]}
    codes = [space.ask("POST", "gradio_api/call/verify", one, json=batch).status_code for _ in range(2)]
    assert codes[1] == 429


def test_every_statement_of_a_text_counts_before_it_starts(space: Served, visitor: Callable[[], str]) -> None:
    one = visitor()
    text = {"text": "a claim", "web": False, "max_claims": 120}
    codes = [space.ask("POST", "gradio_api/call/v2/verify_text", one, json=text).status_code for _ in range(2)]
    assert codes == [200, 429]


def test_a_space_keeps_no_check_and_counts_the_views_of_a_visitor(space: Served, visitor: Callable[[], str]) -> None:
    one, session = visitor(), "check/00000000-0000-0000-0000-000000000000.json"
    first = space.ask("GET", session, one)
    assert "keeps no checks" in first.json()["detail"] and first.status_code == 404
    asked = (space.ask("GET", session, one) for _ in range(300))  # the allowance refills while they are sent
    refused = next(answer for answer in asked if answer.status_code != 404)
    assert refused.status_code == 429 and "200 requests a minute" in refused.json()["detail"]
    assert space.ask("GET", session, visitor()).status_code == 404
    origin = {"origin": "https://evil.example"}
    assert space.ask("GET", "search.json?q=Earth", visitor(), headers=origin).status_code == 403


def test_at_home_there_is_no_limit(home: Served) -> None:
    for one in ("", "8.8.8.8"):
        assert {home.start_check(one).status_code for _ in range(25)} == {200}


def test_the_feed_of_watched_claims_is_for_this_machine_or_who_knows_the_token(home: Served, space: Served) -> None:
    for served, path, status in (
        (home, "watch.atom", 200),
        (space, "watch.atom", 401),
        (space, "watch.atom?token=some-other-feeds-token", 401),
        (space, f"watch.atom?token={TOKEN}", 200),
    ):
        answer = served.ask("GET", path)
        assert answer.status_code == status and ("<feed " in answer.text) is (status == 200), path
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert home.ask("GET", "watch.atom", headers={"host": "evil.example"}).status_code == 403
    assert home.ask("GET", "watch.atom", headers={"origin": "https://evil.example"}).status_code == 403
    for served, there in ((home, True), (space, False)):
        parts = {one["props"].get("elem_id") for one in served.ask("GET", "config").json()["components"]}
        assert ({"cv-watch", "cv-watch-go", "cv-watch-list"} <= parts) is ("cv-watch" in parts) is there


def test_every_answer_has_its_headers_and_names_no_server(served: Served) -> None:
    for path in ("", "gradio_api/info", "no/such/page", "gradio_api/file=/etc/passwd"):
        headers = served.ask("GET", path).headers
        assert "server" not in headers and headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer" and "camera=()" in headers["permissions-policy"]
        assert headers["cross-origin-opener-policy"] == "same-origin-allow-popups"
        assert "default-src 'self'" in headers["content-security-policy"]


def test_a_space_stands_in_a_frame_of_the_hub_and_a_home_in_none(home: Served, space: Served) -> None:
    assert "frame-ancestors 'self' https://huggingface.co" in space.ask("GET", "").headers["content-security-policy"]
    assert home.ask("GET", "").headers["content-security-policy"].endswith("frame-ancestors 'self'")


ABSENT = (
    "gradio_api/file=/etc/passwd",
    "gradio_api/file=app.py",
    "gradio_api/file=https://example.org/",
    "gradio_api/file/app.py",
    "gradio_api/proxy=https://example.hf.space/",
    "gradio_api/deep_link?session_hash=x",
    "gradio_api/runs",
    "gradio_api/run-history/buckets",
    "gradio_api/token",
    "gradio_api/dev/reload",
    "gradio_api/custom_component/x/client/component/../../app.py",
    "monitoring",
    "monitoring/summary",
    "logout",
    "docs",
    "openapi.json",
)
OUTSIDE = ("static/%2e%2e/%2e%2e/app.py", "assets/..%2f..%2fapp.py", "svelte/%2e%2e/%2e%2e/app.py")
REQUESTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("GET", "", {}),
    ("GET", "config", {}),
    ("GET", "gradio_api/info", {}),
    ("POST", "gradio_api/call/verify", {"content": b"{not json"}),
    ("POST", "gradio_api/call/no_such_name", {"json": {"data": []}}),
    ("POST", "gradio_api/queue/join", {"json": {"fn_index": 999, "data": [], "session_hash": "x"}}),
    ("POST", "gradio_api/queue/join", {"json": ["no", "object"]}),
    ("POST", "gradio_api/upload", {"content": b""}),
    ("POST", "gradio_api/upload", {"files": {"files": ("../../../x.csv", b"claim")}}),
    (
        "POST",
        "gradio_api/component_server",
        {"json": {"data": [], "component_id": 1, "fn_name": "x", "session_hash": "x"}},
    ),
)


def test_what_the_page_does_not_need_is_not_there(served: Served) -> None:
    statuses = {path: served.ask("GET", path).status_code for path in ABSENT}
    assert {path: status for path, status in statuses.items() if status != 404} == {}


def test_no_file_of_the_server_can_be_read(served: Served) -> None:
    for path in OUTSIDE:
        answer = served.ask("GET", path)
        assert answer.status_code >= 400 and "Settings" not in answer.text, path


def test_no_answer_names_a_path_of_the_server(served: Served) -> None:
    secrets = (str(ROOT), sys.prefix, str(Path.home()), "Traceback (most")
    for method, path, content in REQUESTS:
        text = ""
        with suppress(httpx.RemoteProtocolError):  # Gradio closes the connection where it cannot parse a request
            text = served.ask(method, path, **content).text
        assert not [secret for secret in secrets if len(secret) >= 4 and secret in text], (method, path)


def test_a_failure_to_load_is_told_to_strangers_without_its_path(space: Served) -> None:
    event = space.start_check().json()["event_id"]
    text = space.ask("GET", f"gradio_api/call/verify/{event}").text
    assert "event: error" in text and str(space.folder) not in text


def test_requests_are_bounded(served: Served) -> None:
    large = served.ask("POST", "gradio_api/call/verify", json={"data": ["a" * 1_000_001, False]})
    assert large.status_code == 413 and large.json()["detail"] == "a request may have 1 MB at most"
    pieces = iter([b'{"data": ["', *[b"a" * 100_000] * 11])
    assert served.ask("POST", "gradio_api/call/verify", content=pieces).status_code == 413
    file = served.ask("POST", "gradio_api/upload", files={"files": ("a.csv", b"a" * 10_000_001)})
    assert file.status_code == 413 and file.json()["detail"] == "a file may have 10 MB at most"
    assert served.ask("POST", "gradio_api/upload", content=iter([b"a"])).status_code == 411
    assert served.ask("POST", "gradio_api/upload", files={"files": ("a.csv", b"claim")}).status_code == 200


def test_tools_for_agents_are_behind_their_switch(space: Served) -> None:
    answer = space.ask("POST", "gradio_api/mcp/", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert answer.status_code == 404 and "VERIFIER_MCP=1" in answer.json()["detail"]


def test_no_other_site_may_use_the_server(home: Served, space: Served) -> None:
    said: dict[str, list[str]] = {"data": []}
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"host": "evil.example"}):
        assert home.ask("POST", "gradio_api/call/health", headers=headers, json=said).status_code == 403
    for origin in ("http://localhost:7860", "chrome-extension://abcdefgh"):
        assert home.ask("POST", "gradio_api/call/health", headers={"origin": origin}, json=said).status_code == 200
    own, other = {"host": "somebody-claims.hf.space"}, {"origin": "https://huggingface.co"}
    for headers, status in (
        (own | other, 403),
        (own | {"origin": "https://somebody-claims.hf.space"}, 200),
        (own, 200),
    ):
        assert space.ask("POST", "gradio_api/call/health", headers=headers, json=said).status_code == status


def test_the_page_works_under_its_policy_and_shows_what_a_visitor_is_told(
    space: Served, visitor: Callable[[], str]
) -> None:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    one = visitor()
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(extra_http_headers={"x-forwarded-for": one})
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(space.url)
        box = page.locator("#cv-claim textarea")
        box.fill("The Earth is flat")
        page.locator("#cv-check").click()
        page.get_by_text(
            "could not be checked"
        ).first.wait_for()  # the models of this server cannot be loaded, which is told too
        while space.start_check(one).status_code == 200:
            pass
        page.locator("#cv-check").click()
        page.get_by_text("20 checks a minute").first.wait_for()
        browser.close()
    assert "The Earth is flat" not in "".join(said)
    refused = [line for line in said if "Content Security Policy" in line or "violates" in line]
    # on a Space, Gradio's page asks for a font and for the Space's card; it does without both, and nobody else hears of the visit
    others = ("https://fonts.googleapis.com/", "https://huggingface.co/api/spaces/")
    assert not [line for line in refused if not any(other in line for other in others)]
