"""The Watch button and the list of watched claims, over the real service; the route of the feed, asked over ASGI."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from lab.benchmarks.watch import feed_problems
from tests.verifier.report.report_cases import attacked, result
from ui.watch import WATCH, WATCHED, add_watch_button, button_of, removed, toggled, watched_list
from ui.watch_feed import WatchFeedRoute
from verifier.history.watch import WatchList
from verifier.history.watched import Every
from verifier.schema import Status, Verdict
from verifier.serve.service import Service
from verifier.settings import Settings

TOKEN = "long-enough-to-be-no-guess"


@pytest.fixture
def here(base: Settings, tmp_path: Path) -> Iterator[Service]:
    """A service that is not loaded: watching needs no model."""
    yield Service(replace(base, log_path=tmp_path / "log.jsonl"))


def test_the_button_watches_and_forgets_the_claim_of_a_result(here: Service) -> None:
    found, kept = result(), WatchList(here.settings.watch_path)
    assert button_of(here, found).value == button_of(here, None).value == WATCH
    assert "once a day. The web is not asked." in toggled(here, found, True)  # the settings have the web off
    (watched,) = kept.all()
    assert (watched.claim, watched.every, watched.web) == (found.original_claim, Every.DAY, False)
    assert watched.standing is not None and watched.standing.verdict is found.verdict
    assert button_of(here, found).value == WATCHED and "No longer" in toggled(here, found, True) and kept.all() == []
    online = Service(replace(here.settings, web=True))
    assert "search engines again" in toggled(online, found, True) and kept.all()[0].web
    toggled(online, found, True)
    assert "web is not asked" in toggled(online, found, False) and not kept.all()[0].web
    kept.remove()
    toggled(here, replace(found, status=Status.DEGRADED), False)
    assert kept.all()[0].standing is None  # no verdict to compare with
    assert 'role="alert"' in toggled(here, None, False)


def test_the_list_shows_changes_and_failures_and_all_texts_escaped(here: Service) -> None:
    assert "No claim is watched" in watched_list(here)[0]
    kept, hostile = WatchList(here.settings.watch_path), attacked()
    watched = kept.add(hostile.original_claim, Every.DAY, False, hostile)
    kept.note(watched, replace(hostile, verdict=Verdict.TRUE, session_id="b"), datetime.now(UTC), hostile.reasoning)
    kept.failed(kept.all()[0], hostile.reasoning)
    plain = kept.add("It rains.", Every.DAY, False)
    html, choices = watched_list(here)
    assert [number for _, number in choices.choices] == [plain.number, watched.number]  # the newest first
    assert "before: False, 93% (high)" in html and "could not be checked: " in html and "not checked yet" in html
    assert "<script" not in html and "<img" not in html and 'href="?check=b"' in html and 'href="watch.atom"' in html
    unlogged = Service(replace(here.settings, log=False))
    assert "?check=" not in watched_list(unlogged)[0]
    assert "No longer watched" in removed(here, plain.number)
    for wrong in (None, 99, "1"):
        assert 'role="alert"' in removed(here, wrong)


def test_strangers_neither_see_nor_change_the_list(here: Service) -> None:
    kept = WatchList(here.settings.watch_path)
    kept.add("A secret claim.", Every.DAY, False)
    open_ = Service(replace(here.settings, host="0.0.0.0"))
    assert add_watch_button(open_) is None and button_of(open_, result()).value == WATCH
    for said in (toggled(open_, result(), False), removed(open_, 1), watched_list(open_)[0]):
        assert "own machine only" in said and "secret" not in said
    assert len(kept.all()) == 1


def ask(settings: Settings, method: str = "GET", path: str = "/watch.atom", **given: Any) -> httpx.Response:  # noqa: ANN401
    async def behind(request: object) -> PlainTextResponse:
        return PlainTextResponse("the rest of the app")

    app = WatchFeedRoute(Starlette(routes=[Route("/{path:path}", behind)]), settings)

    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:7860") as client:
            return await client.request(method, path, **given)

    return asyncio.run(asked())


def test_the_feed_is_served_to_this_machine_and_not_sent_twice(here: Service) -> None:
    kept = WatchList(here.settings.watch_path)
    watched = kept.add("It rains.", Every.DAY, False, result())
    kept.note(watched, replace(result(), verdict=Verdict.TRUE, session_id="b"), datetime.now(UTC), "why")
    answer = ask(here.settings)
    assert answer.status_code == 200 and feed_problems(answer.content) == []
    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert 'href="http://localhost:7860/?check=b"' in answer.text
    same = ask(here.settings, headers={"if-none-match": f'"other", W/{answer.headers["etag"]}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert ask(here.settings, "HEAD").content == b"" and ask(here.settings, "POST").status_code == 405
    assert ask(here.settings, path="/other").text == "the rest of the app"
    forged = ask(here.settings, headers={"host": 'a"><b>', "x-forwarded-host": "evil.example"})
    assert feed_problems(forged.content) == [] and b'href="http://127.0.0.1:7860/"' in forged.content
    here.settings.watch_path.write_text("x" * 4_096)
    broken = ask(here.settings)
    assert broken.status_code == 500 and "cannot use the watch list" in broken.text
    assert str(here.settings.watch_path) not in broken.text


def test_the_list_is_served_as_json_and_csv_that_a_spreadsheet_opens(here: Service) -> None:
    kept = WatchList(here.settings.watch_path)
    kept.add("=1+1 is two.", Every.WEEK, False, replace(result(), verdict=Verdict.NOT_ENOUGH_EVIDENCE))
    watched = kept.add("It rains.", Every.DAY, True, result())
    kept.note(watched, replace(result(), verdict=Verdict.TRUE, session_id="b"), datetime.now(UTC), "why")
    listed, table = ask(here.settings, path="/watch.json"), ask(here.settings, path="/watch.csv")
    assert listed.headers["content-type"].startswith("application/json")
    second = listed.json()[1]
    assert (second["claim"], second["verdict"], second["every"]) == ("It rains.", "True", "day")
    assert [turn["told"].split(",")[0] for turn in second["changes"]] == ["True"]
    assert table.headers["content-type"].startswith("text/csv")
    cells = list(csv.DictReader(io.StringIO(table.text.lstrip("\ufeff"))))
    assert cells[0]["claim"].startswith("'=1+1") and cells[1]["changes"].endswith(f"{second['changes'][0]['told']}.")
    same = ask(here.settings, path="/watch.json", headers={"if-none-match": listed.headers["etag"]})
    assert same.status_code == 304


def test_a_public_server_has_no_feed_without_the_token_of_its_owner(here: Service) -> None:
    WatchList(here.settings.watch_path).add("A secret claim.", Every.DAY, False)
    for public in ({"host": "0.0.0.0"}, {"server": replace(here.settings.server, trust_proxy=1)}):
        settings = replace(here.settings, **public)
        assert ask(settings).status_code == 404
        assert all(ask(settings, path=f"/watch.{form}?token=").status_code == 404 for form in ("atom", "json", "csv"))
        known = replace(settings, watch_token=TOKEN)
        for path, headers, status in (
            ("/watch.atom", {}, 401),
            ("/watch.atom?token=x", {}, 401),
            (f"/watch.atom?token={TOKEN}", {}, 200),
            ("/watch.atom", {"authorization": f"Bearer {TOKEN}"}, 200),
            ("/watch.atom", {"authorization": f"Basic {TOKEN}"}, 401),
            (f"/watch.atom?token={TOKEN}", {"authorization": b"Bearer \xe9"}, 401),
            ("/watch.json", {}, 401),
            (f"/watch.csv?token={TOKEN}", {}, 200),
        ):
            answer = ask(known, path=path, headers=headers)
            assert answer.status_code == status, (path, headers)
            assert status == 200 or "secret" not in answer.text
    behind = replace(here.settings, server=replace(here.settings.server, trust_proxy=1), watch_token=TOKEN)
    headers = {"x-forwarded-proto": "https", "x-forwarded-host": "claims.example"}
    assert 'href="https://claims.example/"' in ask(behind, path=f"/watch.atom?token={TOKEN}", headers=headers).text
