from __future__ import annotations

import pytest

from kb.urls import canonical_url, domain_of, is_homepage, is_web_address


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://www.BBC.co.uk:80/news/world-1/?utm_source=x&b=2&a=1#top", "https://bbc.co.uk/news/world-1?a=1&b=2"),
        ("https://example.org/a/../b?fbclid=1", "https://example.org/b"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("http://[::1", "http://[::1"),
        ("", ""),
    ],
)
def test_one_spelling_per_page(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://science.nasa.gov/earth", "nasa.gov"),
        ("https://news.bbc.co.uk/1", "bbc.co.uk"),
        ("https://www.gov.uk/browse", "gov.uk"),
        ("https://www.nhs.uk/conditions/flu", "nhs.uk"),
        ("http://127.0.0.1:80/x", "127.0.0.1"),
        ("notes from the archive", ""),
        ("http://[::1", ""),
    ],
)
def test_the_registered_domain_names_the_organisation(url: str, domain: str) -> None:
    assert domain_of(url) == domain


@pytest.mark.parametrize(
    "url",
    [
        "https://www.nasa.gov",
        "https://edition.cnn.com/world",
        "https://www.reuters.com/world/europe/",
        "https://a.example/tag/x/",
        "https://a.example/index.html",
    ],
)
def test_front_and_section_pages_are_recognised(url: str) -> None:
    assert is_homepage(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.who.int/news-room/fact-sheets/detail/measles",
        "https://en.wikipedia.org/wiki/Earth",
        "https://a.example/?p=12",
        "https://a.example/2024/05/bridge-opens",
    ],
)
def test_articles_are_not_front_pages(url: str) -> None:
    assert not is_homepage(url)


@pytest.mark.parametrize("text", ["https://a.example/x", " www.a.example ", "example.com/story?id=1"])
def test_a_web_address_alone_is_recognised(text: str) -> None:
    assert is_web_address(text)


@pytest.mark.parametrize("text", ["See https://a.example/x", "U.S.A.", "The site example.com/x is down", "e.g. this"])
def test_a_sentence_is_no_web_address(text: str) -> None:
    assert not is_web_address(text)
