"""The addresses of checks, records and searches on the running app."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client

from tests.ui.conftest import App
from tests.ui.test_cards import result
from verifier.history.kept import NOTED
from verifier.history.log import VerificationLog


@pytest.fixture(scope="module")
def checked(app: App) -> dict[str, Any]:
    made: dict[str, Any] = Client(app.url, verbose=False, analytics_enabled=False).predict(
        claim="The Earth is flat", web=False, api_name="/verify"
    )
    return made


def get(app: App, path: str, **given: Any) -> httpx.Response:  # noqa: ANN401
    return httpx.get(f"{app.url}/{path}", timeout=60, trust_env=False, **given)


def rows(answer: httpx.Response) -> list[dict[str, str]]:
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_a_check_is_a_page_json_and_csv_under_one_address(app: App, checked: dict[str, Any]) -> None:
    place = f"check/{checked['session_id']}"
    opened = get(app, place)
    assert opened.status_code == 303 and opened.headers["location"] == f"../?check={checked['session_id']}"
    told = get(app, f"{place}.json")
    assert told.json() == checked and told.headers["content-type"] == "application/json; charset=utf-8"
    assert [row["text"] for row in rows(get(app, f"{place}.csv"))] == [one["text"] for one in checked["evidence"]]
    assert "<h1" in get(app, f"{place}.html").text and get(app, f"{place}.md").text.startswith("# False")
    assert (
        "default-src 'self'" in told.headers["content-security-policy"] and told.headers["cache-control"] == "no-store"
    )
    head = httpx.head(f"{app.url}/{place}.json", trust_env=False)
    assert head.status_code == 200 and head.text == "" and head.headers["content-length"] == str(len(told.content))
    assert httpx.post(f"{app.url}/{place}", trust_env=False).status_code == 405


def test_a_record_and_a_search_are_pages_json_and_csv(app: App, checked: dict[str, Any]) -> None:
    piece = checked["evidence"][0]
    record = get(app, f"record/{piece['id']}.json").json()
    assert record["text"] == piece["text"] and record["source"] == piece["source"]
    assert rows(get(app, f"record/{piece['id']}.csv"))[0]["text"] == piece["text"]
    page = get(app, f"record/{piece['id']}")
    assert page.headers["content-type"].startswith("text/html") and f"{piece['id']}.json" in page.text
    found = get(app, "search.json", params={"q": "shape of the Earth", "limit": 3}).json()
    asked = Client(app.url, verbose=False, analytics_enabled=False)
    assert [one["id"] for one in found] == [
        one["id"] for one in asked.predict(query="shape of the Earth", limit=3, api_name="/search_kb")
    ]
    table = rows(get(app, "search.csv", params={"q": "shape of the Earth", "limit": 3}))
    assert [row["id"] for row in table] == [one["id"] for one in found]
    shown = get(app, "search", params={"q": "<script>alert(1)</script> Earth"}).text
    assert "&lt;script&gt;" in shown and "<script" not in shown and "search.csv?q=%3Cscript%3E" in shown


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("check/00000000-0000-0000-0000-000000000000.json", 404, "does not hold the check"),
        ("check/abc.json", 404, "not the id of a check"),
        ("check/abc.exe", 404, "written as .txt, .json"),
        ("record/00000000000000000000000000000000", 404, "holds no record"),
        ("record/abc.xml", 404, ""),
        ("record/..%2f..%2fapp.py", 404, "nothing under this address"),
        ("search", 400, "the query is empty"),
        ("search.xml?q=Earth", 400, "written as .json or .csv"),
        ("search?q=Earth&limit=51", 400, "limit must be from 1 to 50"),
        ("search?q=Earth&limit=all", 400, "limit must be from 1 to 50"),
        (f"search?q={'a' * 2_001}", 400, "at most 2,000"),
        (f"search?q={'%20' * 9_000}", 400, "16,000 characters"),
    ],
)
def test_what_is_not_there_or_out_of_bounds_is_refused_in_a_line(app: App, path: str, status: int, said: str) -> None:
    answer = get(app, path)
    assert answer.status_code == status and said in answer.json()["detail"]


def test_a_verdict_that_a_program_handed_in_is_not_shown_as_a_check(app: App) -> None:
    noted = replace(result(), session_id="11111111-1111-1111-1111-111111111111", type_reason=NOTED)
    VerificationLog(Path(app.env["VERIFIER_LOG_PATH"]), 90).append(noted)
    answer = get(app, f"check/{noted.session_id}.json")
    assert answer.status_code == 404 and "handed in by a program" in json.loads(answer.text)["detail"]
