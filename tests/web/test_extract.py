from __future__ import annotations

from datetime import UTC, datetime

import pytest

from web.extract import MAX_HTML, extract_page

STORY = "The bridge over the Vasco opened on Monday after four years of work, the city said. " * 5


def page(body: str, head: str = "") -> str:
    return f"<html><head><title>Bridge opens</title>{head}</head><body>{body}</body></html>"


def test_the_article_is_found_and_the_rest_left_behind() -> None:
    html = page(
        f"<script>steal()</script><nav><a href='/x'>Menu</a></nav><article><h1>Bridge opens</h1><p>{STORY}</p></article><footer>Cookies</footer>",
        '<meta property="article:published_time" content="2024-05-31T10:00:00Z"><link rel="canonical" href="https://news.example/bridge">',
    )
    found = extract_page(html)
    assert found is not None
    assert "four years of work" in found.text
    assert not any(word in found.text for word in ("steal", "Menu", "Cookies"))
    assert (found.title, found.url) == ("Bridge opens", "https://news.example/bridge")
    assert found.published_at == datetime(2024, 5, 31, 10, tzinfo=UTC)


def test_a_page_without_text_is_none(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "garbage", "<html></html>", "<<<>>>", "\x00\x01", "<p></p>" * 1_000]
    for html in cases:
        with subtests.test(repr(html)[:80]):
            assert extract_page(html) is None


def test_an_address_that_is_not_http_is_dropped() -> None:
    found = extract_page(
        page(f"<article><p>{STORY}</p></article>", '<link rel="canonical" href="javascript:alert(1)">')
    )
    assert found is not None and not found.url.startswith("javascript")


def test_a_very_long_page_is_read_to_the_limit() -> None:
    found = extract_page(page(f"<article><p>{STORY}</p></article>" + " " * MAX_HTML + "<p>too far</p>"))
    assert found is not None and "too far" not in found.text
