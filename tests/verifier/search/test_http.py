"""The one way in which all services are asked: where it follows, what it refuses."""

from __future__ import annotations

import socket
import threading
import time

import pytest
from pytest_httpserver import HTTPServer

from errors import FetchError
from tests.verifier.search.services import RawServer
from verifier.search.base import Outcome, Query
from verifier.search.http import Call, ask, fetch, rows

SECRET = "se-cret"


def test_a_redirect_on_the_same_server_is_followed_with_the_key(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/old").respond_with_data(status=301, headers={"Location": "/new?x=1"})
    httpserver.expect_request("/new", headers={"X-Key": SECRET}).respond_with_data("here")
    assert fetch(Call(httpserver.url_for("/old"), headers={"X-Key": SECRET}), 5).body == b"here"


@pytest.mark.parametrize(
    "location",
    ["http://elsewhere.example/", "//elsewhere.example/x", "http://localhost:9/", "ftp://localhost/"],
)
def test_no_redirect_leads_to_another_server(httpserver: HTTPServer, location: str) -> None:
    httpserver.expect_request("/old").respond_with_data(status=302, headers={"Location": location})
    with pytest.raises(FetchError, match="redirected elsewhere"):
        fetch(Call(httpserver.url_for("/old")), 5)
    assert len(httpserver.log) == 1


def test_a_redirect_to_nowhere_is_a_failure() -> None:
    with RawServer(lambda connection: connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n")) as url:
        with pytest.raises(FetchError, match="redirected elsewhere"):
            fetch(Call(url), 5)


def test_a_name_that_is_looked_up_for_long_does_not_hold_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def slow(*_: object, **__: object) -> None:
        asked.wait(60)
        raise OSError("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    start = time.monotonic()
    with pytest.raises(FetchError, match="no answer within 0.3 s"):
        fetch(Call("http://slow.example/"), 0.3)
    asked.set()
    assert time.monotonic() - start < 20


def test_a_circle_of_redirects_ends(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/a").respond_with_data(status=302, headers={"Location": "/a"})
    with pytest.raises(FetchError, match="redirected in circles"):
        fetch(Call(httpserver.url_for("/a")), 5)
    assert len(httpserver.log) == 4


def test_a_posted_key_is_not_sent_twice(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/a").respond_with_data(status=307, headers={"Location": "/b"})
    with pytest.raises(FetchError, match="redirected elsewhere"):
        fetch(Call(httpserver.url_for("/a"), json={"apiKey": SECRET}), 5)


@pytest.mark.parametrize(
    ("status", "wait", "outcome", "detail"),
    [
        (503, "120", Outcome.RATE_LIMITED, "HTTP 503, again in 120 s"),
        (503, "", Outcome.UNREACHABLE, "HTTP 503"),
        (429, "", Outcome.RATE_LIMITED, "HTTP 429"),
        (429, "9" * 5000, Outcome.RATE_LIMITED, "HTTP 429"),
        (429, "Wed, 21 Oct 2026 07:28:00 GMT", Outcome.RATE_LIMITED, "HTTP 429"),
        (401, "", Outcome.UNREACHABLE, "HTTP 401"),
    ],
)
def test_statuses(httpserver: HTTPServer, status: int, wait: str, outcome: Outcome, detail: str) -> None:
    httpserver.expect_request("/").respond_with_data(
        "x", status=status, headers={"Retry-After": wait} if wait else None
    )
    answer = ask(Call(httpserver.url_for("/")), Query("x", 1), 5, lambda value: ())
    assert (answer.outcome, answer.detail) == (outcome, detail)


def test_it_says_who_asks_and_reads_no_proxy(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    httpserver.expect_request("/", headers={"User-Agent": "ClaimVerifier/0.1"}).respond_with_data("here")
    assert fetch(Call(httpserver.url_for("/")), 5).body == b"here"


def test_an_unknown_or_damaged_compression_is_unreadable(httpserver: HTTPServer) -> None:
    for encoding in ("br", "gzip"):
        httpserver.clear()
        httpserver.expect_request("/").respond_with_data(b"not packed", headers={"Content-Encoding": encoding})
        with pytest.raises(FetchError, match="unreadable answer"):
            fetch(Call(httpserver.url_for("/")), 5)


def test_a_call_prints_no_key() -> None:
    assert SECRET not in repr(Call(f"https://a.example/?k={SECRET}", {"k": SECRET}, {"X": SECRET}, {"k": SECRET}))


@pytest.mark.parametrize("value", [None, 5, [], {"a": 5}, {"a": {"b": {}}}, {"a": [1]}])
def test_a_list_that_is_not_there_is_unreadable(value: object) -> None:
    with pytest.raises(FetchError, match="unreadable answer"):
        rows(value, "a", "b")


def test_rows_are_objects_and_bounded() -> None:
    assert rows({"a": [{"x": 1}, 5, None]}, "a") == [{"x": 1}, {}, {}]
    assert len(rows([{}] * 5000)) == 200
