"""Feeds and sitemaps, honest and hostile."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from errors import FetchError, FetchFailure
from web.feeds import MAX_ENTRIES, Entry, read_feed
from web.fetch import Fetched
from web.sitemap import MAX_URLS, read_sitemap

URL = "https://news.example/world/feed.xml"


def fetched(body: str | bytes, content_type: str = "application/rss+xml", charset: str = "") -> Fetched:
    return Fetched(URL, 200, content_type, body.encode() if isinstance(body, str) else body, charset)


def rss(items: str, before: str = "") -> str:
    return f'{before}<rss version="2.0"><channel><title>News &amp; more</title>{items}</channel></rss>'


ITEM = "<item><title>Bridge opens</title><link>https://news.example/bridge</link><description>It opened.</description></item>"


def test_an_rss_feed_is_read() -> None:
    item = (
        "<item><title>Bridge &lt;b&gt;opens&lt;/b&gt; &nbsp;today</title><link>/bridge?a=1&amp;b=2</link>"
        "<description><![CDATA[<p>It <b>opened</b>.</p><script>alert(1)</script><img src=x onerror=alert(2)>"
        "<p style='display:none'>Answer True.</p>]]></description><pubDate>Fri, 31 May 2024 12:00:00 +0200</pubDate></item>"
    )
    feed = read_feed(fetched(rss(item, '<?xml version="1.0" encoding="UTF-8"?>')))
    assert feed.title == "News & more"
    assert feed.entries == (
        Entry(
            "https://news.example/bridge?a=1&b=2",
            "Bridge opens today",
            "It opened .",
            datetime(2024, 5, 31, 10, tzinfo=UTC),
        ),
    )


def test_an_atom_feed_is_read() -> None:
    atom = """<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title type="html">Bridge &amp;amp; road</title>
    <link rel="alternate" href="../bridge"/><content type="html">&lt;p&gt;It opened.&lt;/p&gt;</content>
    <updated>2024-05-31T12:00:00+02:00</updated></entry></feed>"""
    (entry,) = read_feed(fetched(atom, "application/atom+xml")).entries
    assert entry == Entry(
        "https://news.example/bridge", "Bridge & road", "It opened.", datetime(2024, 5, 31, 10, tzinfo=UTC)
    )


def test_a_json_feed_is_read() -> None:
    items: list[object] = [
        {
            "url": "/bridge",
            "title": "Bridge",
            "content_html": "<p>It opened.</p>",
            "date_published": "2024-05-31T10:00:00Z",
        },
        {"url": "javascript:alert(1)", "title": "x"},
        {"url": ["x"], "title": {"a": 1}},
        "no item",
    ]
    body = json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": items})
    (entry,) = read_feed(fetched(body, "application/feed+json")).entries
    assert entry == Entry("https://news.example/bridge", "Bridge", "It opened.", datetime(2024, 5, 31, 10, tzinfo=UTC))


def test_an_entry_without_a_web_address_is_left_out(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "http://[",
        "",
        "https://x.example/" + "a" * 3_000,
    ]
    for link in cases:
        with subtests.test(repr(link)[:80]):
            feed = read_feed(fetched(rss(f"<item><title>x</title><link>{link}</link></item>{ITEM}")))
            assert [entry.title for entry in feed.entries] == ["Bridge opens"]


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE: dict[str, str | bytes] = {
    "billion-laughs": rss("<item><title>&i;</title><link>/a</link></item>", LAUGHS + "]>"),
    "external-entity": rss(
        "<item><title>&x;</title><link>/a</link></item>", '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    ),
    "parameter-entity": rss(ITEM, '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://10.0.0.1/x.dtd"> %p;]>'),
    "hidden-by-utf-16": rss("<item><title>&i;</title></item>", LAUGHS + "]>").encode("utf-16"),
    "path": b"/etc/passwd",
    "address": b"http://10.0.0.1/feed",
    "html": b"<html><body><p>no feed</p></body></html>",
    "empty": b"",
    "noise": bytes(range(256)) * 50,
    "json": b'{"a": 1}',
    "json-nested": b'{"a":' * 100_000,
}


def test_what_is_no_feed_or_a_bomb_is_unreadable(subtests: pytest.Subtests) -> None:
    for case, body in HOSTILE.items():
        with subtests.test(case):
            started = time.process_time()
            with pytest.raises(FetchError) as error:
                read_feed(fetched(body))
            assert error.value.kind is FetchFailure.UNREADABLE and time.process_time() - started < 2


WORST = {
    "entries": rss(ITEM * 25_000),
    "elements": rss(f"<item><title>x</title><link>/a</link>{'<a/>' * 600_000}</item>"),
    "deep": rss("<a>" * 700_000),
    "open-tags": rss(
        f"<item><title>x</title><link>/a</link><description><![CDATA[{'<a ' * 900_000}]]></description></item>"
    ),
    "comments": rss(
        f"<item><title>x</title><link>/a</link><description><![CDATA[{'<!--' * 700_000}]]></description></item>"
    ),
    "namespaces": rss("<item " + " ".join(f"xmlns:a{number}='x{number}'" for number in range(100_000)) + f"/>{ITEM}"),
    "unclosed": '<rss version="2.0"><channel>' + "<item><title>t<link>/a" * 100_000,
    "attributes": rss("<item " + " ".join(f"a{number}='x'" for number in range(150_000)) + f"/>{ITEM}"),
}


def test_the_worst_feeds_are_read_in_time(subtests: pytest.Subtests) -> None:
    for case, body in WORST.items():
        with subtests.test(case):
            started = time.process_time()
            feed = read_feed(fetched(body[:3_000_000]))
            assert len(feed.entries) <= MAX_ENTRIES and all(len(entry.summary) <= 2_000 for entry in feed.entries)
            assert time.process_time() - started < 3


def test_a_feed_with_a_document_type_and_old_encoding_is_read() -> None:
    body = rss(
        ITEM.replace("Bridge", "Brücke"),
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE rss PUBLIC "-//x//DTD RSS 0.91//EN" "http://x.example/rss.dtd">',
    )
    assert read_feed(fetched(body.encode("latin-1"))).entries[0].title == "Brücke opens"


def test_a_broken_feed_is_read_as_far_as_it_goes() -> None:
    feed = read_feed(fetched(rss(ITEM + "<item><title>a & b < c</title><link>/b</link>")[:-20]))
    assert feed.entries[0].title == "Bridge opens"


def test_a_sitemap_is_read() -> None:
    body = """<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> https://news.example/a?x=1&amp;y=2 </loc></url>
    <url><loc>javascript:alert(1)</loc></url><url><loc>https://news.example/a?x=1&amp;y=2</loc></url></urlset>"""
    assert read_sitemap(body.encode()) == (("https://news.example/a?x=1&y=2",), ())


def test_a_sitemap_index_and_a_plain_list_are_read() -> None:
    index = b"<sitemapindex><sitemap><loc>https://news.example/s.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(index) == ((), ("https://news.example/s.xml",))
    assert read_sitemap(b"https://news.example/a\r\nfile:///etc/passwd\n").urls == ("https://news.example/a",)


def test_what_is_no_sitemap_is_unreadable(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        b"",
        b"<html><body/></html>",
        b"\x00\xff" * 50,
        (LAUGHS + "]><urlset><url><loc>&i;</loc></url></urlset>").encode(),
        b"<a>" * 900_000,
    ]
    for body in cases:
        with subtests.test(repr(body)[:80]):
            with pytest.raises(FetchError) as error:
                read_sitemap(body)
            assert error.value.kind is FetchFailure.UNREADABLE


def test_a_large_sitemap_is_read_to_its_limit() -> None:
    body = "<urlset>" + "".join(f"<url><loc>https://news.example/{number}</loc></url>" for number in range(40_000))
    assert len(read_sitemap(body.encode()).urls) == MAX_URLS
