"""Hostile strings become plain text, an address and a date, or nothing."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from verifier.search.base import Outcome, Query
from verifier.search.results import answered, on_sites, plain, result, shortened, utc, web_address, with_sites


def test_plain(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, str]] = [
        ("  a \n\t b\u00a0c ", "a b c"),
        ("Bri<b>dge</b> &amp; road", "Bridge & road"),
        ("<p>One.</p><p>Two.</p>", "One. Two."),
        ("&lt;b&gt;bold&lt;/b&gt; claim", "bold claim"),
        ("a<script>alert(1)</script>b<style>x</style>", "a b"),
        ("<img src=x onerror=alert(1)>picture", "picture"),
        ("5 < 6 and 7 > 2", "5 < 6 and 7 > 2"),
        ("AT&T's 3 &nbsp; rates", "AT&T's 3 rates"),
        ("zero\u200bwidth \u202edetrever\u202c \ud800x \x00y", "zerowidth detrever x y"),
        (None, ""),
        (5, ""),
        (["x"], ""),
    ]
    for text, expected in cases:
        with subtests.test(repr(text)[:80]):
            assert plain(text, 100) == expected


def test_plain_is_short_and_quick() -> None:
    start = time.process_time()
    for hostile in (
        "<" * 1_000_000,
        "<a" * 500_000,
        "<!--" * 250_000,
        "&" * 1_000_000,
        "<p>" * 300_000,
        "&lt;" * 300_000,
    ):
        assert len(plain(hostile, 1000)) <= 1000
    assert time.process_time() - start < 3


def test_web_address(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, bool]] = [
        ("https://a.example/x?y=1#z", True),
        (" HTTP://a.example ", True),
        ("https://[2001:db8::1]/x", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("ftp://a.example/x", False),
        ("//a.example/x", False),
        ("https://user:word@a.example/", False),
        ("https://a.example\\@b.example/", False),
        ("https://a b.example/", False),
        ("https://a.example/x y", False),
        ("https:///x", False),
        ("http://[::1/", False),
        ("https://a.example/\u202eexe", False),
        ("https://a.example/" + "x" * 2000, False),
        (None, False),
        (["https://a.example"], False),
    ]
    for url, fine in cases:
        with subtests.test(repr(url)[:80]):
            assert bool(web_address(url)) is fine


def test_utc(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, datetime | None]] = [
        ("20240131T120000Z", datetime(2024, 1, 31, 12, tzinfo=UTC)),
        ("2024-01-31T12:00:00+02:00", datetime(2024, 1, 31, 10, tzinfo=UTC)),
        ("2024-01-31T12:00:00.123456Z", datetime(2024, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)),
        ("2024-01-31", datetime(2024, 1, 31, tzinfo=UTC)),
        ("Wed, 31 Jan 2024 12:00:00 -0500", datetime(2024, 1, 31, 17, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("yesterday", None),
        ("x" * 5000, None),
        ("", None),
        (None, None),
        (1706702400, None),
        ((datetime.now(UTC) + timedelta(days=3)).isoformat(), None),
    ]
    for text, moment in cases:
        with subtests.test(repr(text)[:80]):
            assert utc(text) == moment


def test_a_result_needs_an_address_and_words() -> None:
    assert result("https://a.example/x", "<b></b>", None) is None
    assert result("javascript:x", "Title", "Text") is None
    found = result("https://a.example/x", "T" * 400, "S " * 900, "2024-01-31")
    assert found is not None and len(found.title) == 300 and len(found.snippet) <= 1000
    only_title = result("https://a.example/x", "Title", "")
    assert only_title is not None and only_title.snippet == "Title"


def test_on_sites(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool]] = [
        ("https://reuters.com/a", True),
        ("https://www.reuters.com/a", True),
        ("https://uk.Reuters.com/a", True),
        ("https://notreuters.com/a", False),
        ("https://reuters.com.evil.example/a", False),
        ("https://evil.example/reuters.com/", False),
        ("https://evil.example/?u=https://reuters.com", False),
    ]
    for url, on in cases:
        with subtests.test(repr(url)[:80]):
            assert on_sites(url, ("reuters.com",)) is on and on_sites(url, ())


def test_each_page_comes_once() -> None:
    page = result("https://a.example/x", "Title", "Text")
    assert len(answered([page, page], Query("x", 8)).results) == 1


def test_pages_of_other_sites_alone_are_an_empty_answer_that_says_so() -> None:
    answer = answered([result("https://a.example/x", "Title", "Text")], Query("x", 8, ("b.example",)))
    assert answer.outcome is Outcome.EMPTY and answer.detail


def test_queries_are_cut_between_words() -> None:
    assert shortened("one two three", 9) == "one two" and shortened("x" * 50, 9) == "x" * 9
    assert (
        with_sites(Query("a b c d e f", 8, ("x.example", "y.example")), words=6)
        == "a b c (site:x.example OR site:y.example)"
    )


def test_more_sites_than_fit_leave_room_for_the_words() -> None:
    asked = with_sites(Query("the new bridge", 8, tuple(f"site-{number}.example" for number in range(90))), 400, 50)
    assert asked.startswith("the new bridge (site:site-0.example OR ") and asked.endswith(".example)")
    assert len(asked) <= 400 and len(asked.split()) <= 50
