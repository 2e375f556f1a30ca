"""Make the search engines, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.search.base import Provider
from verifier.search.engines.brave import Brave
from verifier.search.engines.duckduckgo import DuckDuckGo, DuckDuckGoNews
from verifier.search.engines.europe_pmc import EuropePmc
from verifier.search.engines.event_registry import EventRegistry
from verifier.search.engines.feeds import FeedLoader, Feeds, LoadFeed
from verifier.search.engines.gdelt import Gdelt
from verifier.search.engines.google_fact_check import GoogleFactCheck
from verifier.search.engines.newsapi import NewsApi
from verifier.search.engines.openalex import OpenAlex
from verifier.search.engines.searxng import SearxNG
from verifier.search.engines.serpapi import SerpApi
from verifier.search.engines.wikidata import Wikidata
from verifier.search.engines.wikipedia import Wikipedia
from verifier.search.engines.yacy import YaCy
from verifier.settings import SearchSettings
from verifier.settings.providers import ProviderSettings


def configured(settings: SearchSettings, load: LoadFeed | None = None) -> tuple[Provider, ...]:
    """Make the engines that have what they need: reference works, self-hosted, free, then keyed.

    An engine without its key or address is left out. The literature, fact-checks and feeds come last: they are asked
    together with the others and replace none of them. `load` fetches and reads feeds in place of the default loader.
    """
    chosen = settings.providers
    return (*_reference(chosen), *_own(chosen), *_free(chosen), *_keyed(chosen), *_together(settings, load))


def _reference(chosen: ProviderSettings) -> Iterator[Provider]:
    if chosen.wikipedia:
        yield Wikipedia(chosen.wikipedia_url, chosen.contact)
    if chosen.wikidata:
        yield Wikidata(chosen.wikidata_url, chosen.contact)


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


def _together(settings: SearchSettings, load: LoadFeed | None) -> Iterator[Provider]:
    chosen = settings.providers
    if chosen.europe_pmc:
        yield EuropePmc(chosen.europe_pmc_url, chosen.contact)
    if chosen.openalex:
        yield OpenAlex(chosen.openalex_url, chosen.contact)
    if chosen.google_fact_check_key:
        yield GoogleFactCheck(chosen.google_fact_check_key, chosen.google_fact_check_url)
    if chosen.feeds:
        yield Feeds(chosen.feeds, load or FeedLoader(settings.allow_private))
