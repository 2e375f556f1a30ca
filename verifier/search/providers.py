"""Which search engines there are, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from verifier.search.base import Provider
from verifier.search.brave import Brave
from verifier.search.duckduckgo import DuckDuckGo, DuckDuckGoNews
from verifier.search.event_registry import EventRegistry
from verifier.search.feeds import Feeds, fetch_feed
from verifier.search.gdelt import Gdelt
from verifier.search.google_fact_check import GoogleFactCheck
from verifier.search.newsapi import NewsApi
from verifier.search.searxng import SearxNG
from verifier.search.serpapi import SerpApi
from verifier.search.yacy import YaCy
from verifier.settings import ProviderSettings, SearchSettings


def configured(settings: SearchSettings, fetch: Callable[[str, float], bytes] = fetch_feed) -> tuple[Provider, ...]:
    """The engines that have what they need: one's own first, then the free, then those with a key; what has none is left out.

    Fact-checks and feeds come last; they stand beside the others and replace none of them. `fetch` gets the address of a feed
    and seconds, and raises `FetchError`.
    """
    chosen = settings.providers
    return (*_own(chosen), *_free(chosen), *_keyed(chosen), *_beside(chosen, fetch))


def _own(chosen: ProviderSettings) -> Iterator[Provider]:
    if chosen.yacy_url:
        yield YaCy(chosen.yacy_url)
    if chosen.searxng_url:
        yield SearxNG(chosen.searxng_url)


def _free(chosen: ProviderSettings) -> Iterator[Provider]:
    if chosen.duckduckgo:
        yield DuckDuckGo(chosen.duckduckgo_url)
        yield DuckDuckGoNews(chosen.duckduckgo_url)
    if chosen.gdelt:
        yield Gdelt(chosen.gdelt_url)


def _keyed(chosen: ProviderSettings) -> Iterator[Provider]:
    if chosen.event_registry_key:
        yield EventRegistry(chosen.event_registry_key, chosen.event_registry_url)
    if chosen.newsapi_key:
        yield NewsApi(chosen.newsapi_key, chosen.newsapi_url)
    if chosen.brave_key:
        yield Brave(chosen.brave_key, chosen.brave_url)
    if chosen.serpapi_key:
        yield SerpApi(chosen.serpapi_key, chosen.serpapi_url)


def _beside(chosen: ProviderSettings, fetch: Callable[[str, float], bytes]) -> Iterator[Provider]:
    if chosen.google_fact_check_key:
        yield GoogleFactCheck(chosen.google_fact_check_key, chosen.google_fact_check_url)
    if chosen.feeds:
        yield Feeds(chosen.feeds, fetch)
