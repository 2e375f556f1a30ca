"""robots.txt as RFC 9309 has it, from honest and from hostile servers."""

from __future__ import annotations

import socket
import time

import pytest

from errors import FetchError, FetchFailure
from tests.web.internet import Internet, Names, Reply, Server, http, redirect
from web.fetch import Fetcher
from web.robots import MAX_BYTES, RobotsCache, Rules, parse


def text(body: str | bytes) -> bytes:
    return http(body.encode() if isinstance(body, str) else body, content_type="text/plain")


def endless(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n")
    while True:
        connection.sendall(b"# more\n" * 5_000)


ANSWERS: dict[str, tuple[Reply, FetchFailure | None]] = {
    "forbidden": (text("User-agent: *\nDisallow: /page"), FetchFailure.ROBOTS),
    "forbidden-by-name": (
        text("User-agent: ClaimVerifier\nDisallow: /\n\nUser-agent: *\nAllow: /"),
        FetchFailure.ROBOTS,
    ),
    "failing": (http(b"", "503 Busy"), FetchFailure.ROBOTS),
    "redirect-inside": (redirect("http://10.0.0.1/robots.txt"), FetchFailure.FORBIDDEN_ADDRESS),
    "redirect-to-metadata": (redirect("http://169.254.169.254/"), FetchFailure.FORBIDDEN_ADDRESS),
    "redirect-to-file": (redirect("file:///etc/passwd"), FetchFailure.SCHEME),
    "broken": (b"nonsense\r\n\r\n", FetchFailure.UNREADABLE),
    "missing": (http(b"", "404 Not Found"), None),
    "unauthorised": (http(b"", "401 Unauthorized"), None),
    "redirect-in-a-circle": (redirect("/robots.txt"), None),
    "redirect": (redirect("/other.txt"), None),
    "empty": (text(""), None),
    "binary": (text(bytes(range(256)) * 100), None),
    "a-page": (http(b"<!DOCTYPE html><p>not found</p>"), None),
    "endless": (endless, None),
    "other-program": (text("User-agent: GPTBot\nDisallow: /"), None),
}


def test_what_an_answer_means(server: Server, internet: Internet, subtests: pytest.Subtests) -> None:
    for case, (reply, kind) in ANSWERS.items():
        with subtests.test(case):
            server.replies |= {"/robots.txt": reply, "/page": http(b"<p>hello</p>")}
            server.asked.clear()
            fetcher = Fetcher(timeout=5, resolve=Names(), network=internet)  # another one, which knows no rules yet
            if kind is None:
                assert fetcher.fetch("http://news.example/page").body == b"<p>hello</p>"
                continue
            with pytest.raises(FetchError) as error:
                fetcher.fetch("http://news.example/page")
            assert error.value.kind is kind and "/page" not in server.paths


def test_rules_are_asked_for_once_an_origin(server: Server, fetcher: Fetcher) -> None:
    server.replies |= {"/a": http(b"<p>a</p>"), "/b": http(b"<p>b</p>")}
    for url in ("http://news.example/a", "http://news.example/b", "http://other.example/a"):
        fetcher.fetch(url)
    assert sum(request.startswith("GET /robots.txt") for request in server.asked) == 2


def test_a_redirect_to_another_host_heeds_its_rules(server: Server, internet: Internet) -> None:
    fetcher = Fetcher(resolve=Names(), network=internet)

    def robots(connection: socket.socket) -> None:
        closed = "Host: closed.example" in server.asked[-1]
        connection.sendall(text("User-agent: *\nDisallow: /" if closed else ""))

    server.replies |= {"/robots.txt": robots, "/a": redirect("http://closed.example/b"), "/b": http(b"<p>b</p>")}
    with pytest.raises(FetchError, match="closed.example") as error:
        fetcher.fetch("http://open.example/a")
    assert error.value.kind is FetchFailure.ROBOTS and server.paths == ["/a"]


RULES = {
    "longest-wins": ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
    "longest-wins-in-any-order": ("Allow: /a/b\nDisallow: /a", "/a/c", False),
    "equal-length-allows": ("Disallow: /a\nAllow: /a", "/a", True),
    "wildcard": ("Disallow: /*/print", "/news/1/print", False),
    "wildcard-middle": ("Disallow: /a*c*e", "/abcdx", True),
    "end": ("Disallow: /*.pdf$", "/x.pdf", False),
    "not-the-end": ("Disallow: /*.pdf$", "/x.pdf?y", True),
    "end-overlap": ("Disallow: /ab*ab$", "/ab", True),
    "exactly": ("Disallow: /$", "/a", True),
    "query": ("Disallow: /*?session", "/x?session=1", False),
    "empty-disallow": ("Disallow:", "/a", True),
    "comment": ("Disallow: /a # not this", "/ab", False),
    "encoded-rule": ("Disallow: /%7Ejoe", "/~joe/x", False),
    "encoded-path": ("Disallow: /~joe", "/%7ejoe/x", False),
    "encoded-slash-is-another": ("Disallow: /a/b", "/a%2Fb", True),
    "unicode": ("Disallow: /ü", "/%C3%BC", False),
    "case": ("DISALLOW: /a", "/a", False),
    "spaces": ("  Disallow  :   /a  ", "/a", False),
    "two-agents": ("Disallow: /x", "/x", False),
}


def test_rules_are_read_as_the_standard_says(subtests: pytest.Subtests) -> None:
    for case, (rules, path, allowed) in RULES.items():
        with subtests.test(case):
            assert parse(f"User-agent: other\nUser-agent: *\n{rules}\n".encode()).allow(path.encode()) is allowed


def test_groups_that_name_us_count_and_those_for_everyone_do_not() -> None:
    rules = parse(
        b"User-agent: *\nDisallow: /\n\nUser-agent: claimverifier/2\nDisallow: /a\n\nUser-agent: ClaimVerifier\nDisallow: /b\n"
    )
    assert [rules.allow(path) for path in (b"/a", b"/b", b"/c")] == [False, False, True]


def test_a_hostile_file_is_read_and_matched_in_time(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "Disallow: /" + "*a" * 450 + "b\n",
        "User-agent: a\n",
        "Disallow: /%61\n",
        "User-agent: *\nAllow: /*b\n",
        "\n",
        ":" * 500 + "\n",
    ]
    for line in cases:
        with subtests.test(repr(line)[:80]):
            body = b"User-agent: *\n" + line.encode() * (MAX_BYTES // len(line))
            started = time.process_time()
            assert parse(body).allow(b"/" + b"b" * 10 + b"a" * 1_980)
            assert time.process_time() - started < 1.5


def test_rules_are_kept_for_an_hour_and_failures_for_a_minute() -> None:
    times = iter((0.0, 0.0, 59.0, 61.0, 61.0, 3_600.0, 3_662.0, 3_662.0))  # a load asks the clock twice
    cache = RobotsCache(lambda: next(times))
    loads = [Rules(refused=True), Rules(), Rules()]
    seen = [cache.rules("http://x.example", lambda: loads.pop(0)).refused for _ in range(5)]
    assert seen == [True, True, False, False, False] and loads == []
