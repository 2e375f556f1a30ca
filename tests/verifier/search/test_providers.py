"""Which services are there, by the settings; keys and addresses in them."""

from __future__ import annotations

import pytest

from errors import SettingsError
from verifier.search.base import Query
from verifier.search.providers import configured
from verifier.settings import Settings

KEYS = {
    "EVENT_REGISTRY_API_KEY": "key-one",
    "NEWSAPI_API_KEY": "key-two",
    "BRAVE_API_KEY": "key-three",
    "SERPAPI_API_KEY": "key-four",
    "GOOGLE_FACT_CHECK_API_KEY": "key-five",
}
OWN = {"VERIFIER_YACY_URL": "http://localhost:8090", "VERIFIER_SEARXNG_URL": "http://[::1]:8080/"}


def names(**env: str) -> list[str]:
    return [provider.name for provider in configured(Settings.from_env(env).search)]


def test_without_any_setting_the_free_ones_are_asked() -> None:
    assert names() == ["DuckDuckGo", "DuckDuckGo News", "GDELT"]
    assert names(VERIFIER_DUCKDUCKGO="off", VERIFIER_GDELT="off") == []


def test_ones_own_come_first_then_the_free_then_those_with_a_key() -> None:
    assert names(**OWN, **KEYS, VERIFIER_FEEDS="https://a.example/rss, https://b.example/atom,") == [
        "YaCy",
        "SearxNG",
        "DuckDuckGo",
        "DuckDuckGo News",
        "GDELT",
        "Event Registry",
        "NewsAPI",
        "Brave",
        "SerpAPI",
        "Google Fact Check",
        "Feeds",
    ]


def test_the_other_name_of_googles_key_counts() -> None:
    assert "Google Fact Check" in names(FACTCHECK_GOOGLE_API_KEY="key")


def test_feeds_are_fetched_by_whoever_is_given() -> None:
    fetched = list[str]()

    def fetch(url: str, timeout: float) -> bytes:
        fetched.append(url)
        return b""

    settings = Settings.from_env({"VERIFIER_FEEDS": "https://a.example/rss"})
    configured(settings.search, fetch)[-1].search(Query("bridge", 8), 1)
    assert fetched == ["https://a.example/rss"]


def test_no_key_is_printed() -> None:
    settings = Settings.from_env({**KEYS, "VERIFIER_FEEDS": "https://a.example/rss?token=key-six"})
    assert "key-" not in repr(settings) and "key-" not in str(configured(settings.search))


@pytest.mark.parametrize(
    "value", ["localhost:8090", "ftp://a.example", "http://", "http://a b", "javascript:x", "http://a:x/"]
)
def test_an_address_that_is_none_is_named(value: str) -> None:
    for name in ("VERIFIER_YACY_URL", "VERIFIER_FEEDS"):
        with pytest.raises(SettingsError, match=f"^{name} must be an http or https address") as caught:
            Settings.from_env({name: value})
        assert repr(value) in str(caught.value)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError, match="VERIFIER_SEARXNG_URL .* without a user's name") as caught:
        Settings.from_env({"VERIFIER_SEARXNG_URL": "https://me:pass4711@a.example"})
    assert "4711" not in str(caught.value)


def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated() -> None:
    for key in ("two words4711", "kéy4711", "a\r\nX-Evil: 4711"):
        with pytest.raises(SettingsError, match="^BRAVE_API_KEY must be a key") as caught:
            Settings.from_env({"BRAVE_API_KEY": key})
        assert "4711" not in str(caught.value)
