"""The endpoints of the running app, asked through Gradio's own client and by plain HTTP."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, get_type_hints

import gradio as gr
import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from errors import StoreError
from models.reader import Reader
from models.readers import record
from tests.ui.conftest import App
from ui.api import add_endpoints
from verifier.__main__ import main
from verifier.api.agent_tools import NAMES
from verifier.api.answers import FoundAnswer
from verifier.report.answers import CheckedRow, FailedRow, MarkAnswer, ResultAnswer, TextAnswer
from verifier.serve.service import Health, Service
from verifier.settings import Settings

ENDPOINTS = {
    "verify",
    "verify_batch",
    "verify_text",
    "classify",
    "search_kb",
    "search_web",
    "add_evidence",
    "article",
    "export",
    "health",
}
OWN = {"session_id", "checked_at", "timings", "step_milliseconds", "store_version"}
"""What differs from one check of the same claim to the next."""
SEEDS = {
    "claim",
    "verdict",
    "confidence",
    "reasoning",
    "evidence",
    "steps",
    "claim_type",
    "original_claim",
    "session_id",
}


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False, analytics_enabled=False)


def cli(app: App, capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:  # noqa: ANN401
    """What the command line prints over the store of the app, with a reader that remembers no pair, as that of the app."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record, "Reader", Reader)
        for name in ("VERIFIER_KB_URI", "VERIFIER_LOG_PATH", "VERIFIER_DOMAINS", "VERIFIER_LLM"):
            patch.setenv(name, app.env[name])
        assert main(arguments) == 0
    return json.loads(capsys.readouterr().out)


def error_of(client: Client, **values: object) -> str:
    with pytest.raises(AppError) as caught:
        client.predict(**values)
    said = str(caught.value)
    assert "Traceback" not in said and "\n" not in said
    return said


def test_info_describes_every_endpoint_with_types(app: App) -> None:
    info = httpx.get(f"{app.url}/gradio_api/info").json()["named_endpoints"]
    assert info.keys() == {f"/{name}" for name in ENDPOINTS} | {f"/tool_{name}" for name in NAMES}
    for name, endpoint in info.items():
        assert endpoint["description"], name
        (returned,) = endpoint["returns"]
        kind = returned["type"].get("items", returned["type"])
        shaped = all(one.get("properties") for one in kind.get("anyOf", [kind]))
        assert shaped or (name.startswith("/tool_") and kind == {"type": "string"}), name
    verify = info["/verify"]["returns"][0]["type"]["properties"]
    assert verify["verdict"]["enum"][:2] == ["True", "False"] and verify["evidence"]["items"]["properties"]["text"]
    assert [parameter["parameter_name"] for parameter in info["/search_kb"]["parameters"]] == ["query", "limit"]


def test_verify_returns_what_the_command_line_prints(
    app: App, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = client.predict(claim="The Earth is flat", web=False, api_name="/verify")
    printed = cli(app, capsys, "verify", "The Earth is flat", "--json", "--no-web")
    assert asked.keys() == printed.keys() == get_type_hints(ResultAnswer).keys() >= SEEDS
    assert {name: asked[name] for name in asked.keys() - OWN} == {name: printed[name] for name in printed.keys() - OWN}
    assert asked["verdict"] == "False" and asked["session_id"] != printed["session_id"]


def test_classify_returns_what_the_command_line_prints(
    app: App, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Minecraft is the best 2D game"
    assert client.predict(claim=text, api_name="/classify") == cli(app, capsys, "classify", text, "--json")


def test_a_result_is_written_in_every_form(client: Client) -> None:
    result = client.predict(claim="The Earth is flat", web=False, api_name="/verify")
    for name, mime in (("text", "text/plain"), ("html", "text/html"), ("claimreview", "application/ld+json")):
        written = client.predict(result=result, format=name, api_name="/export")
        assert written["mime"] == mime and "Earth" in written["content"] and "/" not in written["file_name"]
    again = client.predict(result=result, format="json", api_name="/export")["content"]
    assert json.loads(again) == result
    assert "not the whole answer" in error_of(client, result={"claim": "x"}, format="html", api_name="/export")
    assert "format must be one of" in error_of(client, result=result, format="pdf", api_name="/export")
    evil = result | {"claim": "<script>alert(1)</script>", "reasoning": "<img src=x onerror=alert(1)>"}
    page = client.predict(result=evil, format="html", api_name="/export")["content"]
    assert "<script>alert" not in page and "<img" not in page


def test_a_batch_answers_row_by_row(client: Client) -> None:
    claims = ["The Earth is flat", {"claim": "Pizza tastes better than burgers"}, {"text": "x"}, "!?", 7, None]
    rows = client.predict(claims=claims, web=False, api_name="/verify_batch")
    assert [(row["row"], row["status"]) for row in rows] == [
        (1, "ok"), (2, "ok"), (3, "failed"), (4, "failed"), (5, "failed"), (6, "failed")
    ]  # fmt: skip
    assert rows[0]["verdict"] == "False" and rows[1]["verdict"] == "Not Verifiable"
    assert "no text in the field 'claim'" in rows[2]["error"] and "no letters" in rows[3]["error"]
    assert rows[0].keys() == rows[1].keys() == get_type_hints(CheckedRow).keys()
    assert all(row.keys() == get_type_hints(FailedRow).keys() for row in rows[2:])


def test_a_text_is_answered_claim_by_claim(client: Client) -> None:
    text = "The Earth is flat. Who said so?  According to Olsen, water boils at 100 degrees Celsius at sea level."
    job = client.submit(text=text, web=False, api_name="/verify_text")
    whole = job.result(timeout=100)
    first, *later, last = job.outputs()
    assert all(news.keys() == get_type_hints(TextAnswer).keys() for news in (first, *later, last))
    assert [sentence["kind"] for sentence in first["sentences"]] == ["fact", "question", "speech"]
    assert all(text[each["start"] : each["end"]] == each["text"] for each in (*first["sentences"], *last["claims"]))
    counts = [(news["status"], news["done"], len(news["claims"])) for news in (first, *later)]
    assert counts == [("checking", done, done) for done in range(4)]
    assert last["status"] == "done" and last["sentences"] == first["sentences"] and first["total"] == 3
    earth, water, said = sorted(last["claims"], key=lambda claim: (claim["start"], claim["was_said"]))
    assert earth.keys() == get_type_hints(MarkAnswer).keys()
    assert (earth["verdict"], earth["claim"], earth["speaker"]) == ("False", "The Earth is flat.", "")
    assert water["claim"] == "Water boils at 100 degrees Celsius at sea level." and water["speaker"] == "Olsen"
    assert said["was_said"] and said["claim"].startswith("Olsen said that water boils")
    assert earth["result"].keys() == get_type_hints(ResultAnswer).keys() and "1 contradicted" in last["summary"]
    assert whole == last


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"text": ""}, "holds no words"),
        ({"text": "a" * 200_001}, "200,000 characters"),
        ({"text": "The Earth is flat.", "max_claims": 0}, "from 1 to 50"),
        ({"text": ["The Earth is flat."]}, "text must be a text"),
    ],
)
def test_a_text_has_bounds(client: Client, values: dict[str, object], says: str) -> None:
    assert says in error_of(client, **values, web=False, api_name="/verify_text")


@pytest.mark.parametrize("claims", [[], ["The Earth is flat"] * 51, "The Earth is flat", None])
def test_a_batch_has_bounds(client: Client, claims: object) -> None:
    assert "1 to 50 claims" in error_of(client, claims=claims, web=False, api_name="/verify_batch")


def test_records_of_the_store_are_found(client: Client) -> None:
    found = client.predict(query="boiling point of water", limit=2, api_name="/search_kb")
    assert len(found) == 2 and "boil" in found[0]["text"]
    assert found[0].keys() == get_type_hints(FoundAnswer).keys()
    assert re.match(r"\d{4}-\d\d-\d\dT", found[0]["timestamp"])


def test_the_web_is_searched_in_stages_without_a_verdict(client: Client) -> None:
    found = client.predict(query="The Halvard Crossing bridge is 2.4 kilometres long", api_name="/search_web")
    assert "verdict" not in found and found["results"]
    scores = [passage["relevance"] for passage in found["results"]]
    assert scores == sorted(scores, reverse=True) and scores[0] > 0.3
    assert "Halvard" in found["results"][0]["text"]
    assert {attempt["provider"] for attempt in found["attempts"]} == {"SearxNG"}


def test_an_article_is_listed_and_added(app: App, client: Client) -> None:
    article = client.predict(url=app.article, api_name="/article")
    assert article["url"] == app.article and article["published_at"].startswith("2026-")
    assert any("Halvard" in sentence for sentence in article["sentences"])
    added = client.predict(url=app.article, api_name="/add_evidence")
    again = client.predict(url=app.article, api_name="/add_evidence")
    assert added["added"] + added["merged"] == again["merged"] > 0 and again["added"] == 0
    (found, *_) = client.predict(query="Halvard Crossing opened to traffic", limit=1, api_name="/search_kb")
    assert found["origin"] == "user" and found["source"] == app.article


def test_a_text_is_added_with_its_source(client: Client) -> None:
    text = "The Quillmere lighthouse has stood on the cape since 1874."
    added = client.predict(text=text, source="https://quillmere.example/a", title="Quillmere", api_name="/add_evidence")
    assert added["added"] == 1 and len(added["ids"]) == 1
    (found,) = client.predict(query=text, limit=1, api_name="/search_kb")
    assert (found["text"], found["source"], found["title"]) == (text, "https://quillmere.example/a", "Quillmere")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"claim": "", "web": False, "api_name": "/verify"}, "the claim is empty"),
        ({"claim": "a" * 2_001, "web": False, "api_name": "/verify"}, "2,001 characters"),
        ({"claim": 5, "web": False, "api_name": "/verify"}, "claim must be a text, not '5'"),
        ({"claim": ["x"], "web": False, "api_name": "/verify"}, "claim must be a text"),
        ({"claim": "The Earth is flat", "web": "no", "api_name": "/verify"}, "web must be true or false"),
        ({"query": " ", "limit": 3, "api_name": "/search_kb"}, "the query is empty"),
        ({"query": "x" * 2_001, "limit": 3, "api_name": "/search_kb"}, "2,001 characters"),
        ({"query": "water", "limit": 51, "api_name": "/search_kb"}, "limit must be from 1 to 50, not 51"),
        ({"query": "water", "limit": True, "api_name": "/search_kb"}, "limit must be a whole number"),
        ({"query": "?", "api_name": "/search_web"}, "the query is empty"),
        ({"text": "", "url": "", "api_name": "/add_evidence"}, "either a text or a url"),
        ({"text": "x", "url": "https://a.example/", "api_name": "/add_evidence"}, "either a text or a url"),
        ({"text": "123", "api_name": "/add_evidence"}, "no letters"),
        ({"text": "x" * 50_001, "api_name": "/add_evidence"}, "50,001"),
        ({"text": "A text.", "source": "javascript:alert(1)", "api_name": "/add_evidence"}, "http or https"),
        ({"url": "http://169.254.169.254/latest/meta-data", "api_name": "/add_evidence"}, "169.254.169.254"),
        ({"url": "file:///etc/passwd", "api_name": "/add_evidence"}, "http"),
        ({"url": "ftp://a.example/x", "api_name": "/article"}, "http"),
        ({"result": "x", "format": "html", "api_name": "/export"}, "the answer of a check"),
    ],
)
def test_what_cannot_be_used_is_one_line(client: Client, values: dict[str, object], says: str) -> None:
    assert says in error_of(client, **values)


def test_the_steps_of_a_check_are_told_while_they_are_done(client: Client) -> None:
    job = client.submit(claim="Water boils at 100 degrees Celsius at sea level", web=False, api_name="/verify")
    told = []
    while not job.done():
        told += [unit.desc for unit in job.status().progress_data or []]
    assert job.result()["verdict"] and any(step and ":" in step for step in told)


class _Broken(Service):
    """A service whose store cannot be read."""

    def checker(self) -> Any:  # noqa: ANN401
        raise StoreError("cannot open the evidence store at /srv/own files/kb: denied; choose a folder")

    def health(self) -> Health:
        return Health("failed", error="cannot load /srv/own files/stance.gguf; fetch it again")


def test_no_error_names_a_path_of_the_server(base: Settings) -> None:
    with gr.Blocks(analytics_enabled=False) as demo:
        add_endpoints(_Broken(replace(base, mcp=False)), "checks")
    demo.queue(api_open=False)
    _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, ssr_mode=False, mcp_server=False)
    try:
        broken = Client(url, verbose=False, analytics_enabled=False)
        said = error_of(broken, claim="The Earth is flat", web=False, api_name="/verify")
        assert said == "cannot open the evidence store at (a path on the server): denied; choose a folder"
        assert "/srv" not in broken.predict(api_name="/health")["error"]
        (row,) = broken.predict(claims=["The Earth is flat"], web=False, api_name="/verify_batch")
        assert row["status"] == "failed" and "/srv" not in row["error"] and "own files" not in row["error"]
        info = httpx.get(f"{url}gradio_api/info").json()["named_endpoints"]
        assert info.keys() == {f"/{name}" for name in ENDPOINTS}
        assert httpx.post(f"{url}gradio_api/mcp/", json={}).status_code in {404, 405}
    finally:
        demo.close()
