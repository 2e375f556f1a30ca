"""E12: feeds over loopback -> the store, by the fetcher and the readers that checks use; and the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from errors import RefreshStopped, SettingsError
from kb.record import Collection, Origin
from kb.upkeep.job_state import JobFile
from kb.upkeep.news import FeedLimits, FeedSource
from kb.upkeep.refresh import Refresh
from tests.kb.upkeep.refreshing import kept
from verifier.cli.kb import main
from verifier.search.import_web import ImportWeb
from verifier.settings import Settings, with_supplies
from web.fetch import Fetcher

NOW = datetime.now(UTC)
BRIDGE = "The committee of {place} opened its new bridge on Monday, after works of {n} years. It is {n} metres long."


class Site:
    """A newspaper on loopback: a feed and its pages, and a count of what was asked."""

    def __init__(self, server: HTTPServer) -> None:
        self._server, self.asked = server, list[str]()
        self.feed = server.url_for("/feed.xml").replace("localhost", "127.0.0.1")
        self.pages: dict[str, str] = {}
        self.entries: list[str] = []
        server.expect_request("/robots.txt").respond_with_data("", status=404)
        server.expect_request("/feed.xml").respond_with_handler(self._feed)

    def add(self, n: int, *, missing: bool = False, age: int = 0) -> None:
        path = f"/2026/11/bridge-number-{n}-is-open"
        text = " ".join(BRIDGE.format(place=f"Town{k}", n=n * 100 + k) for k in range(30))
        self.pages[path] = (
            f"<html><head><title>Bridge {n}</title></head><body><article><h1>Bridge {n}</h1><p>{text}</p></article></body></html>"
        )
        when = format_datetime(NOW - timedelta(days=age))
        link = self.feed.replace("/feed.xml", path)
        self.entries.append(
            f"<item><title>Bridge {n}</title><link>{link}</link><pubDate>{when}</pubDate>"
            f"<description>Bridge {n} is open, the committee of Town{n} said today.</description></item>"
        )
        self._server.expect_request(path).respond_with_handler(self._page(path, missing))

    def _feed(self, request: Request) -> Response:
        self.asked.append("/feed.xml")
        body = f"<rss version='2.0'><channel><title>News</title>{''.join(self.entries)}</channel></rss>"
        return Response(body, content_type="application/rss+xml")

    def _page(self, path: str, missing: bool) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            self.asked.append(path)
            return Response("", 404) if missing else Response(self.pages[path], content_type="text/html; charset=utf-8")

        return answer


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


def _source(site: Site, limits: FeedLimits | None = None) -> FeedSource:
    return FeedSource(site.feed, ImportWeb(Fetcher(allow_private=True, timeout=5)), limits)


def test_a_feed_becomes_passages_of_its_newest_pages(site: Site) -> None:
    for n in range(4):
        site.add(n, age=n)
    found = _source(site, FeedLimits(pages=3, passages=4)).read(lambda url: False, lambda: False)
    assert site.asked == ["/feed.xml", *[f"/2026/11/bridge-number-{n}-is-open" for n in range(3)]]
    assert len(found.items) == 12 and not found.problems and not found.failed
    for item in found.items:
        assert (item.origin, item.collection, item.pinned) == (Origin.WEB, Collection.CURRENT, False)
        assert 0 < len(item.text) <= 512 and item.published_at is not None
    assert "Town0" in found.items[0].text or "Bridge 0" in found.items[0].text


def test_a_page_that_cannot_be_read_leaves_its_summary_and_a_known_one_is_not_asked(site: Site) -> None:
    site.add(1, missing=True)
    site.add(2)
    found = _source(site).read(lambda url: "number-2" in url, lambda: False)
    assert [(item.text, item.extraction_failed) for item in found.items] == [
        ("Bridge 1 is open, the committee of Town1 said today.", True)
    ]
    assert len(found.seen) == 1 and "/2026/11/bridge-number-2-is-open" not in site.asked
    assert "status 404" in found.problems[0]


def test_a_feed_that_is_none_or_missing_has_failed(site: Site, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/page").respond_with_data("<html><p>No feed.</p></html>", content_type="text/html")
    for url in (
        site.feed.replace("feed.xml", "page"),
        site.feed.replace("feed.xml", "nowhere"),
        "http://10.0.0.1:1/feed",
    ):
        found = FeedSource(url, ImportWeb(Fetcher(allow_private="10." not in url, timeout=2))).read(
            lambda u: False, lambda: False
        )
        assert found.failed and found.problems and not found.items


def test_a_feed_stops_between_two_pages(site: Site) -> None:
    site.add(1)
    site.add(2)
    with pytest.raises(RefreshStopped):
        _source(site).read(lambda url: False, lambda: len(site.asked) > 1)
    assert len(site.asked) == 2


def test_a_second_refresh_reads_new_pages_alone_and_lets_the_others_live_on(site: Site, tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    refresh = Refresh(store, [_source(site)], JobFile(tmp_path, "refresh"))
    site.add(1)
    first = refresh.run()
    assert first.added == store.count() > 5
    past = "arrow_cast(cast('2020-01-01T00:00:00Z' as timestamp), 'Timestamp(Microsecond, Some(\"UTC\"))')"
    store._table.update(where="true", values_sql={"expires_at": past})
    site.asked.clear()
    site.add(2)
    second = refresh.run()
    assert "/2026/11/bridge-number-1-is-open" not in site.asked
    assert second.expired == 0 and second.brought == store.count() == first.added + second.added
    assert store._table.count_rows("expires_at > now()") == store.count()


def test_the_command_refreshes_and_prune_lists_what_would_go(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(3):
        site.add(n)
    monkeypatch.setenv("VERIFIER_WEB", "on")
    monkeypatch.setenv("VERIFIER_ALLOW_PRIVATE", "on")
    assert main(["refresh", "--feeds", site.feed, "--dry-run", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["dry_run"] and report["added"] == report["staged"] > 10
    assert main(["refresh", "--feeds", site.feed]) == 0
    told = capsys.readouterr().out
    assert f"{report['staged']} of them new; {report['staged']} added, 0 expired removed" in told
    assert main(["prune", "--max-current", "2", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert (
        f"{report['staged'] - 2}  too many of its collection" in told
        and "records would go" in told
        and "127.0.0.1" in told
    )
    assert main(["prune", "--max-current", "2", "--max-bytes", "1GB", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == report["staged"] - 2
    assert main(["refresh", "--topics", "x" * 101]) == 2
    assert "--topics must be at most 20 topics" in capsys.readouterr().err


def test_the_command_without_the_web_or_anything_to_read_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["refresh", "--feeds", "https://example.org/feed"]) == 2
    assert "VERIFIER_WEB is off" in capsys.readouterr().err
    monkeypatch.setenv("VERIFIER_WEB", "on")
    monkeypatch.setenv("VERIFIER_OPENALEX", "off")  # nor is it asked what was retracted
    monkeypatch.setenv("VERIFIER_CROSSREF", "off")
    assert main(["refresh"]) == 2
    assert "VERIFIER_FEEDS or VERIFIER_TOPICS" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["prune", "--max-bytes", "many"])
    assert main(["prune", "--max-records", "-1"]) == 2


@pytest.mark.parametrize("feeds", [["ftp://example.org/feed"], ["https://user:word@example.org/"], ["feed.xml"]])
def test_what_is_no_feed_address_is_refused(feeds: list[str]) -> None:
    with pytest.raises(SettingsError, match="--feeds"):
        with_supplies(Settings(), feeds, None)


def test_named_sources_replace_the_configured_ones() -> None:
    named = with_supplies(Settings(), ["https://example.org/a,b.rss"], None)
    assert named.search.providers.feeds == ("https://example.org/a,b.rss",) and named.upkeep.topics == ()
    assert with_supplies(Settings(), None, ["floods", "floods", "the sea"]).upkeep.topics == ("floods", "the sea")
