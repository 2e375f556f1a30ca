"""The verifier's own clients, asking this world with the settings that it prints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.world import World
from verifier.search.base import Kind, Outcome, Provider, Query
from verifier.search.engines.providers import configured
from verifier.settings import Settings

SITES = ("north-courier.localhost", "factline.localhost")
NAMES = (
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
)


@pytest.fixture(scope="module")
def providers() -> Iterator[dict[str, Provider]]:
    """Every provider that the world's settings configure, but for the feeds, whose names only the page fetcher can find."""
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.engines.duckduckgo_news import DuckduckgoNews

    with pytest.MonkeyPatch.context() as patch, World() as world:
        for engine, name in ((Duckduckgo, "search_url"), (DuckduckgoNews, "search_url"), (DuckduckgoNews, "_get_vqd")):
            patch.setattr(engine, name, getattr(engine, name))  # the providers move these: put them back at the end
        settings = Settings.from_env(world.environment())
        yield {provider.name: provider for provider in configured(settings.search)}


@pytest.mark.parametrize("name", NAMES)
def test_every_provider_finds_the_event(providers: dict[str, Provider], name: str) -> None:
    answer = providers[name].search(Query("The Halvard Crossing cost 790 million talers", 5), 5)
    assert answer.outcome is Outcome.ANSWERED, answer.detail
    assert 0 < len(answer.results) <= 5
    assert "Halvard" in answer.results[0].title and answer.results[0].snippet
    assert all(".localhost:" in result.url for result in answer.results)
    if providers[name].kind is Kind.FACT_CHECKS:
        assert answer.results[0].rating in {"False", "Incorrect", "Not true"}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "YaCy"])
def test_every_provider_keeps_to_the_sites(providers: dict[str, Provider], name: str) -> None:
    answer = providers[name].search(Query("The Halvard Crossing bridge cost 310 million talers", 5, SITES), 5)
    assert answer.outcome is Outcome.ANSWERED, answer.detail
    assert all(any(f"//{site}:" in result.url for site in SITES) for result in answer.results)
