"""Which services are there, by the settings; keys and addresses in them."""

from __future__ import annotations

import pytest

from errors import SettingsError
from verifier.search.base import Query
from verifier.search.engines.providers import configured
from verifier.settings import Settings
from web.feeds import Feed

KEYS = {
    "EVENT_REGISTRY_API_KEY": "key-one",
    "NEWSAPI_API_KEY": "key-two",
    "BRAVE_API_KEY": "key-three",
    "SERPAPI_API_KEY": "key-four",
    "GOOGLE_FACT_CHECK_API_KEY": "key-five",
}
NO_REFERENCE = dict.fromkeys(
    ("VERIFIER_WIKIPEDIA", "VERIFIER_WIKIDATA", "VERIFIER_EUROPE_PMC", "VERIFIER_OPENALEX"), "off"
)
OWN = {"VERIFIER_YACY_URL": "http://localhost:8090", "VERIFIER_SEARXNG_URL": "http://[::1]:8080/"}


def names(**env: str) -> list[str]:
    return [provider.name for provider in configured(Settings.from_env(env).search)]


def test_without_any_setting_the_free_ones_are_asked() -> None:
    assert names() == ["Wikipedia", "Wikidata", "DuckDuckGo", "DuckDuckGo News", "GDELT", "Europe PMC", "OpenAlex"]
    assert names(VERIFIER_DUCKDUCKGO="off", VERIFIER_GDELT="off", **NO_REFERENCE) == []


def test_a_contact_is_an_e_mail_or_web_address(subtests: pytest.Subtests) -> None:
    for fine in ("me@example.org", "https://example.org/bot"):
        assert Settings.from_env({"VERIFIER_CONTACT": fine}).search.providers.contact == fine
    for bad in ("me", "me@a b", "me@example.org\r\nX-Evil: 1", "https://a.example/(x)", "m\u00e9@a.example"):
        with subtests.test(repr(bad)), pytest.raises(SettingsError, match="^VERIFIER_CONTACT must be an e-mail"):
            Settings.from_env({"VERIFIER_CONTACT": bad})


def test_ones_own_come_before_the_free_and_those_with_a_key() -> None:
    assert names(**OWN, **KEYS, **NO_REFERENCE, VERIFIER_FEEDS="https://a.example/rss, https://b.example/atom,") == [
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


def test_feeds_are_fetched_by_the_loader_handed_in() -> None:
    fetched = list[str]()

    def load(url: str, seconds: float) -> Feed:
        fetched.append(url)
        return Feed("", ())

    settings = Settings.from_env({"VERIFIER_FEEDS": "https://a.example/rss"})
    configured(settings.search, load)[-1].search(Query("bridge", 8), 1)
    assert fetched == ["https://a.example/rss"]


def test_no_key_is_printed() -> None:
    settings = Settings.from_env({**KEYS, "VERIFIER_FEEDS": "https://a.example/rss?token=key-six"})
    assert "key-" not in repr(settings) and "key-" not in str(configured(settings.search))


def test_an_address_that_is_none_is_named(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["localhost:8090", "ftp://a.example", "http://", "http://a b", "javascript:x", "http://a:x/"]
    for value in cases:
        with subtests.test(repr(value)[:80]):
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


def test_wikipedia_s_address_may_leave_the_language_open_and_no_other_part() -> None:
    found = Settings.from_env({"VERIFIER_WIKIPEDIA_URL": "https://{language}.wiki.example"}).search.providers
    assert found.wikipedia_url == "https://{language}.wiki.example"
    with pytest.raises(SettingsError, match="^VERIFIER_WIKIPEDIA_URL must be an http or https address"):
        Settings.from_env({"VERIFIER_WIKIPEDIA_URL": "https://{tongue}.wiki.example"})


def test_a_contact_is_an_address_that_a_header_can_hold(subtests: pytest.Subtests) -> None:
    for contact in ("me@example.org", "https://example.org/about"):
        assert Settings.from_env({"VERIFIER_CONTACT": contact}).search.providers.contact == contact
    for contact in ("me", "a@b)\r\nX-Evil: 1", "Me <me@example.org>", "https://me@example.org"):
        with subtests.test(contact), pytest.raises(SettingsError, match="^VERIFIER_CONTACT must be an e-mail or web"):
            Settings.from_env({"VERIFIER_CONTACT": contact})
