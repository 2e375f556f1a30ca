"""Addresses, over real HTTP on loopback: the fetching and parsing are handed in, as `python -m kb import` does it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from errors import InputError
from kb.intake.addresses import MAX_SITEMAPS, Resource, address_sources, list_sources
from kb.intake.importing import ImportReport, import_sources
from kb.intake.journal import Journal
from kb.intake.sources import Kind
from kb.store.evidence_store import EvidenceStore
from tests.kb.intake.tiny_pdf import pdf
from tests.kb.tiny import embed, open_tiny, target
from verifier.search.import_web import ImportWeb
from web.fetch import Fetcher


class LoopbackWeb(ImportWeb):
    """The web of an import, which notes what it was asked for and may ask this machine."""

    def __init__(self) -> None:
        super().__init__(Fetcher(allow_private=True))
        self.asked: list[str] = []

    def fetch(self, url: str) -> Resource:
        self.asked.append(url.rpartition("/")[2])
        return super().fetch(url)


def article(server: HTTPServer, name: str, words: str) -> str:
    text = f"<p>{words} " + "The water authority of Orlo said so in its yearly report to the town council. </p>" * 4
    url = server.url_for(f"/{name}")
    head = f'<head><title>{name}</title><link rel="canonical" href="{url}"></head>'
    server.expect_request(f"/{name}").respond_with_data(
        f"<html>{head}<body><article>{text}</article></body></html>", content_type="text/html"
    )
    return url


def rss(*links: str) -> str:
    items = "".join(
        f"<item><title>T{i}</title><link>{link}</link><pubDate>Tue, 02 Jan 2024 03:04:05 GMT</pubDate><description>Summary {i} of the weir.</description></item>"
        for i, link in enumerate(links)
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{items}</channel></rss>'


def sitemap(tag: str, *links: str) -> str:
    kind = {"url": "urlset", "sitemap": "sitemapindex"}[tag]
    places = "".join(f"<{tag}><loc>{link}</loc></{tag}>" for link in links)
    return f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</{kind}>'


@pytest.fixture(autouse=True)
def _robots(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/robots.txt").respond_with_data("", status=404)


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return open_tiny(tmp_path / "kb")


def bring(store: EvidenceStore, url: str, web: LoopbackWeb, kind: Kind = Kind.AUTO) -> ImportReport:
    journal = Journal(store.uri, [url])
    journal.load()
    return import_sources(address_sources(url, kind, web), target(store), journal)


def sources_of(store: EvidenceStore) -> set[str]:
    return {hit.record.source for hit in store.search("weir", embed(["weir"])[0], 100)}


def test_a_page_is_read_with_its_address(store: EvidenceStore, httpserver: HTTPServer) -> None:
    url = article(httpserver, "weir", "The weir at Orlo was built in 1931.")
    assert bring(store, url, LoopbackWeb()).added >= 1 and sources_of(store) == {url}


def test_a_feed_brings_its_pages_and_the_summary_of_one_that_fails(
    store: EvidenceStore, httpserver: HTTPServer
) -> None:
    good = article(httpserver, "one", "The weir at Orlo was built in 1931.")
    gone = httpserver.url_for("/gone")
    feed = rss(good, gone, "javascript:alert(1)", good + "?utm_source=x")
    httpserver.expect_request("/feed").respond_with_data(feed, content_type="text/xml")
    web = LoopbackWeb()
    report = bring(store, httpserver.url_for("/feed"), web)
    assert report.skipped == 0 and sources_of(store) == {good, gone}
    assert sorted(web.asked) == ["feed", "gone", "one?utm_source=x"]
    (kept,) = [hit.record for hit in store.search("Summary", embed(["x"])[0], 100) if hit.record.source == gone]
    assert kept.text == "Summary 1 of the weir." and kept.extraction_failed and kept.title == "T1"
    assert kept.published_at == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_sitemaps_inside_sitemaps_are_followed_once(store: EvidenceStore, httpserver: HTTPServer) -> None:
    pages = [article(httpserver, name, f"The {name} at Orlo was built in 1931.") for name in ("weir", "mill")]
    top, inner = httpserver.url_for("/top.xml"), httpserver.url_for("/inner.xml")
    gone, torn = httpserver.url_for("/gone.xml"), httpserver.url_for("/torn.xml")
    httpserver.expect_request("/torn.xml").respond_with_data("no sitemap at all", content_type="text/xml")
    httpserver.expect_request("/top.xml").respond_with_data(
        sitemap("sitemap", torn, inner, top, inner, gone, "file:///etc/passwd")
    )
    httpserver.expect_request("/inner.xml").respond_with_data(sitemap("url", *pages, "ftp://a.example/x"))
    web = LoopbackWeb()
    report = bring(store, top, web)
    asked = ["gone.xml", "inner.xml", "mill", "top.xml", "torn.xml", "weir"]
    assert sources_of(store) == set(pages) and sorted(web.asked) == asked
    assert {problem.source for problem in report.problems} == {gone, torn}


def test_sitemaps_are_bounded(store: EvidenceStore, httpserver: HTTPServer) -> None:
    links = [httpserver.url_for(f"/s{n}.xml") for n in range(MAX_SITEMAPS + 20)]
    httpserver.expect_request("/top.xml").respond_with_data(sitemap("sitemap", *links))
    httpserver.expect_request(re.compile(r"/s\d+.xml")).respond_with_data(sitemap("url"))
    web = LoopbackWeb()
    report = bring(store, httpserver.url_for("/top.xml"), web, Kind.SITEMAP)
    assert len(web.asked) == MAX_SITEMAPS and "names no pages" in report.problems[0].reason


@pytest.mark.parametrize("named", ["application/pdf", "application/octet-stream", "text/html"])
def test_a_pdf_is_told_by_its_bytes_and_cites_its_pages(
    store: EvidenceStore, httpserver: HTTPServer, named: str
) -> None:
    httpserver.expect_request("/report").respond_with_data(pdf("The weir holds."), content_type=named)
    url = httpserver.url_for("/report")
    assert bring(store, url, LoopbackWeb()).added == 1 and sources_of(store) == {f"{url}#page=1"}


def test_a_stopped_feed_fetches_only_what_is_missing(store: EvidenceStore, httpserver: HTTPServer) -> None:
    links = [article(httpserver, f"p{n}", f"The weir number {n} was built.") for n in range(4)]
    httpserver.expect_request("/feed").respond_with_data(rss(*links))
    url = httpserver.url_for("/feed")

    class Stopping(LoopbackWeb):
        def fetch(self, url: str) -> Resource:
            if url.endswith("p2"):
                raise KeyboardInterrupt
            return super().fetch(url)

    with pytest.raises(KeyboardInterrupt):
        bring(store, url, Stopping())
    web = LoopbackWeb()
    report = bring(store, url, web)
    assert web.asked == ["feed", "p2", "p3"] and report.passed_over >= 2 and sources_of(store) == set(links)


def test_a_saved_feed_is_read_from_its_file(store: EvidenceStore, httpserver: HTTPServer, tmp_path: Path) -> None:
    link = article(httpserver, "one", "The weir at Orlo was built in 1931.")
    file = tmp_path / "feed.xml"
    file.write_text(rss(link))
    import_sources(list_sources(file, Kind.FEED, LoopbackWeb()), target(store), Journal(store.uri, ["f"]))
    assert sources_of(store) == {link}
    with pytest.raises(InputError, match="cannot read"):
        list(list_sources(tmp_path / "gone.xml", Kind.FEED, LoopbackWeb()))


def test_what_cannot_be_fetched_is_a_problem_and_files_are_no_addresses(
    store: EvidenceStore, httpserver: HTTPServer
) -> None:
    report = bring(store, httpserver.url_for("/nothing"), LoopbackWeb())
    assert report.taken == 0 and report.skipped == 1
    with pytest.raises(InputError, match="save it as a file"):
        list(address_sources("https://a.example/x.csv", Kind.CSV, LoopbackWeb()))
