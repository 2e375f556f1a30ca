"""What holds for every search service: one contract, asked of each over real HTTP."""

from __future__ import annotations

import gzip
import logging
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from pytest_httpserver import HTTPServer

from tests.verifier.search.services import KEY, PAGES, SERVICES, RawServer, Service, query
from verifier.search.base import Kind, Outcome, SearchAnswer

FAILURES = {Outcome.NO_ANSWER, Outcome.RATE_LIMITED, Outcome.UNREACHABLE}
NOON = datetime(2024, 1, 31, 12, tzinfo=UTC)
HUGE = b'{"x": "' + b" " * 4_000_000 + b'"}'
OWN_HTTP = [service for service in SERVICES if service.strict]


@pytest.fixture(autouse=True)
def _ddgs_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses that tests set on ddgs' classes are taken back."""
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.engines.duckduckgo_news import DuckduckgoNews

    monkeypatch.setattr(Duckduckgo, "search_url", Duckduckgo.search_url)
    monkeypatch.setattr(DuckduckgoNews, "search_url", DuckduckgoNews.search_url)
    monkeypatch.setattr(DuckduckgoNews, "_get_vqd", DuckduckgoNews._get_vqd)


@pytest.fixture(params=SERVICES, ids=str)
def service(request: pytest.FixtureRequest) -> Service:
    chosen: Service = request.param
    return chosen


def reply(serve: HTTPServer, service: Service, body: bytes, status: int = 200, **headers: str) -> str:
    """Answer so from now on; DuckDuckGo's front page gives out a token."""
    serve.clear()
    serve.expect_request("/").respond_with_data('vqd="4-1"')
    serve.expect_request("/robots.txt").respond_with_data(status=404)
    serve.expect_request(service.path).respond_with_data(
        body, status=status, content_type=service.content_type, headers=headers
    )
    return serve.url_for("/").rstrip("/")


def test_name_and_kind(service: Service) -> None:
    provider = service.make("http://127.0.0.1:9")
    assert (provider.name, provider.kind) == (service.name, service.kind)
    assert KEY not in repr(provider)


def test_results_are_plain_text_with_address_and_date(httpserver: HTTPServer, service: Service) -> None:
    url = reply(httpserver, service, service.answer(PAGES))
    answer = service.make(url).search(query(), 5)
    assert answer.outcome is Outcome.ANSWERED
    first = next(found for found in answer.results if found.url == service.address(url, PAGES[0]))
    held = service.kind in {Kind.REFERENCE, Kind.LITERATURE}
    assert first.passages if held else not first.passages
    for text in (first.title, first.snippet, *first.passages):
        assert "<" not in text and "&amp;" not in text and "&quot;" not in text
    assert "bridge" in first.title.lower() and "bridge" in first.snippet.lower()
    day = first.published_at and first.published_at.replace(hour=12)  # SerpAPI gives no hour
    assert day == (None if service.name == "DuckDuckGo" else NOON)


def test_no_more_results_than_asked_for(httpserver: HTTPServer, service: Service) -> None:
    answer = service.make(reply(httpserver, service, service.answer(PAGES))).search(query(1), 5)
    assert len(answer.results) == 1


def test_no_other_site_is_smuggled_in(httpserver: HTTPServer, service: Service) -> None:
    """The server ignores the sites; a name that only looks like one of them does not pass."""
    answer = service.make(reply(httpserver, service, service.answer(PAGES))).search(
        query(8, "reuters.com", "bbc.com"), 5
    )
    if service.kind is Kind.LITERATURE:
        assert (answer.outcome, answer.results) == (Outcome.EMPTY, ())  # its works lie on no site of a newspaper
        return
    own = service.at is not None  # its pages are all on one site, which is none of these
    assert [found.url for found in answer.results] == ([] if own else ["https://www.reuters.com/world/bridge"])


def test_nothing_found_is_empty_where_the_service_says_so(httpserver: HTTPServer, service: Service) -> None:
    answer = service.make(reply(httpserver, service, service.empty)).search(query(), 5)
    assert answer.outcome is (Outcome.EMPTY if service.strict else Outcome.NO_ANSWER)
    assert answer.results == ()


def test_too_many_requests(httpserver: HTTPServer, service: Service) -> None:
    url = reply(httpserver, service, b"slow down", 429, **{"Retry-After": "30"})
    answer = service.make(url).search(query(), 5)
    assert answer.outcome is (service.limited if service.strict else Outcome.NO_ANSWER)
    if service.strict and service.limited is Outcome.RATE_LIMITED:
        assert answer.detail == "HTTP 429, again in 30 s"


def test_an_error_is_never_an_empty_answer(httpserver: HTTPServer, service: Service) -> None:
    for status in (400, 403, 404, 500, 502, 503):
        answer = service.make(reply(httpserver, service, b"<h1>Sorry</h1>", status)).search(query(), 5)
        assert answer.outcome in FAILURES and answer.results == (), status
        if service.strict:
            assert answer.outcome is Outcome.UNREACHABLE and answer.detail, status


def test_garbage_is_never_an_empty_answer(httpserver: HTTPServer, service: Service) -> None:
    for body in (b"\x00\xff\xfe\x9c" * 50, b"<html>Welcome</html>", b"[]", b'{"a":', b"[" * 100_000):
        answer = service.make(reply(httpserver, service, body)).search(query(), 5)
        assert answer.outcome in FAILURES and answer.results == (), body[:20]


def test_fields_of_other_types_are_passed_over(httpserver: HTTPServer, service: Service) -> None:
    if not service.typed:
        pytest.skip("a format without types")
    odd = [
        {"url": value, "title": value, "text": value} for value in (None, 5, ["x"], {"a": 1}, True, "javascript:x()")
    ]
    if service.at:  # what it calls its pages is up to it
        odd.pop()
    url = reply(httpserver, service, service.answer([*odd, *PAGES]))
    mixed = service.make(url).search(query(), 5)
    assert mixed.outcome is Outcome.ANSWERED and mixed.results[0].url == service.address(url, PAGES[0])
    alone = service.make(reply(httpserver, service, service.answer(odd))).search(query(), 5)
    assert (alone.outcome, alone.detail) == (Outcome.UNREACHABLE, "unreadable answer")


def test_nobody_there(service: Service) -> None:
    answer = service.make("http://127.0.0.1:9").search(query(), 2)
    assert answer.outcome is Outcome.UNREACHABLE and answer.detail


def cut(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Type: application/json\r\n\r\n{")


def test_a_cut_connection_is_unreachable(service: Service) -> None:
    with RawServer(cut) as url:
        answer = service.make(url).search(query(), 5)
    assert answer.outcome is Outcome.UNREACHABLE and answer.detail and answer.results == ()


def drip(connection: socket.socket) -> None:
    """A byte now and then, each before any timeout of a single read."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    for _ in range(600):
        connection.sendall(b"{")
        time.sleep(0.1)


def drip_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(600):
        connection.sendall(b"X-%d: y\r\n" % number)
        time.sleep(0.1)


def test_one_deadline_bounds_a_slow_answer() -> None:
    def timed(service: Service, url: str) -> tuple[SearchAnswer, float]:
        start = time.monotonic()
        return service.make(url).search(query(), 0.3), time.monotonic() - start

    for treat in (drip, drip_headers):
        with RawServer(treat) as url, ThreadPoolExecutor(len(OWN_HTTP)) as pool:
            ended = list(pool.map(timed, OWN_HTTP, [url] * len(OWN_HTTP)))
        for service, (answer, seconds) in zip(OWN_HTTP, ended, strict=True):
            assert answer.outcome is Outcome.UNREACHABLE and seconds < 20, (service.name, seconds)
            assert service.name == "Feeds" or answer.detail == "no answer within 0.3 s"


@pytest.mark.parametrize("service", OWN_HTTP, ids=str)
def test_a_huge_answer_is_refused(httpserver: HTTPServer, service: Service) -> None:
    for body, headers in ((HUGE, {}), (gzip.compress(HUGE, 1), {"Content-Encoding": "gzip"})):
        answer = service.make(reply(httpserver, service, body, 200, **headers)).search(query(), 5)
        assert answer.outcome is Outcome.UNREACHABLE, headers
        assert service.name == "Feeds" or answer.detail == "more than 3 MB"


@pytest.mark.parametrize("service", [service for service in SERVICES if service.keyed], ids=str)
class TestKeys:
    def test_a_refused_key_is_named(self, httpserver: HTTPServer, service: Service) -> None:
        for status in (401, 403):
            answer = service.make(reply(httpserver, service, b"{}", status)).search(query(), 5)
            assert (answer.outcome, answer.detail) == (Outcome.UNREACHABLE, "key refused"), status

    def test_a_used_up_quota_is_a_limit(self, httpserver: HTTPServer, service: Service) -> None:
        body = b'{"error": {"code": 403, "message": "Quota exceeded for this day"}}'
        answer = service.make(reply(httpserver, service, body, 403)).search(query(), 5)
        assert answer.outcome is Outcome.RATE_LIMITED and "quota" in answer.detail

    @pytest.mark.parametrize("status", [200, 302, 400, 401, 429, 500])
    def test_the_key_is_sent_and_shown_nowhere(
        self, httpserver: HTTPServer, service: Service, status: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Services repeat keys in their errors; a log at the lowest level is read too."""
        caplog.set_level(logging.DEBUG)
        body = f'{{"error": "invalid API key {KEY}", "status": "error", "message": "{KEY}"}}'.encode()
        location = {"Location": f"http://elsewhere.example/?key={KEY}"} if status == 302 else {}
        answer = service.make(reply(httpserver, service, body, status, **location)).search(query(), 5)
        request, _ = httpserver.log[0]
        sent = [*request.args.values(), *request.headers.values(), request.get_data(as_text=True)]
        assert any(KEY in text for text in sent)
        assert answer.outcome in FAILURES and KEY not in repr(answer)
        ours = [record.getMessage() for record in caplog.records if record.name != "werkzeug"]  # the server's own
        assert not any(KEY in text or "4711" in text for text in ours)
