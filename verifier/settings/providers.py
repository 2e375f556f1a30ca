"""List the search engines that may be asked, with their switches, keys or addresses."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.settings import parsers
from verifier.settings.variables import setting

_OWN = "another address of the same service, for tests"


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Which search engines may be asked.

    One without the key or address it needs is left out. An empty address of a public service means its own. The address
    of a private feed is also a key.
    """

    contact: str = setting(
        "",
        "VERIFIER_CONTACT",
        parsers.contact,
        "an e-mail or web address of yours, shown to Wikipedia and the like as who asks",
        example="me@example.org",
    )
    wikipedia: bool = setting(True, "VERIFIER_WIKIPEDIA", parsers.switch, "off: do not ask Wikipedia")
    wikipedia_url: str = setting(
        "",
        "VERIFIER_WIKIPEDIA_URL",
        parsers.address_by_language,
        "a mirror of Wikipedia; {language} stands for the code of the language",
        example="https://{language}.wikipedia.org",
    )
    wikidata: bool = setting(True, "VERIFIER_WIKIDATA", parsers.switch, "off: do not ask Wikidata")
    wikidata_url: str = setting("", "VERIFIER_WIKIDATA_URL", parsers.address, _OWN)
    yacy_url: str = setting(
        "", "VERIFIER_YACY_URL", parsers.address, "a YaCy server; see docs/search.md", example="http://localhost:8090"
    )
    searxng_url: str = setting(
        "",
        "VERIFIER_SEARXNG_URL",
        parsers.address,
        "a SearXNG server that answers in JSON",
        example="http://localhost:8080",
    )
    duckduckgo: bool = setting(True, "VERIFIER_DUCKDUCKGO", parsers.switch, "off: do not ask DuckDuckGo")
    duckduckgo_url: str = setting("", "VERIFIER_DUCKDUCKGO_URL", parsers.address, _OWN)
    gdelt: bool = setting(True, "VERIFIER_GDELT", parsers.switch, "off: do not ask GDELT")
    gdelt_url: str = setting("", "VERIFIER_GDELT_URL", parsers.address, _OWN)
    europe_pmc: bool = setting(True, "VERIFIER_EUROPE_PMC", parsers.switch, "off: do not ask Europe PMC")
    europe_pmc_url: str = setting("", "VERIFIER_EUROPE_PMC_URL", parsers.address, _OWN)
    openalex: bool = setting(True, "VERIFIER_OPENALEX", parsers.switch, "off: do not ask OpenAlex")
    openalex_url: str = setting("", "VERIFIER_OPENALEX_URL", parsers.address, _OWN)
    crossref: bool = setting(True, "VERIFIER_CROSSREF", parsers.switch, "off: do not ask Crossref what was retracted")
    crossref_url: str = setting("", "VERIFIER_CROSSREF_URL", parsers.address, _OWN)
    event_registry_key: str = setting("", "EVENT_REGISTRY_API_KEY", parsers.key(), "a key of newsapi.ai", secret=True)
    event_registry_url: str = setting("", "VERIFIER_EVENT_REGISTRY_URL", parsers.address, _OWN)
    newsapi_key: str = setting("", "NEWSAPI_API_KEY", parsers.key(), "a key of newsapi.org", secret=True)
    newsapi_url: str = setting("", "VERIFIER_NEWSAPI_URL", parsers.address, _OWN)
    brave_key: str = setting("", "BRAVE_API_KEY", parsers.key(), "a key of Brave Search", secret=True)
    brave_url: str = setting("", "VERIFIER_BRAVE_URL", parsers.address, _OWN)
    serpapi_key: str = setting("", "SERPAPI_API_KEY", parsers.key(), "a key of SerpApi", secret=True)
    serpapi_url: str = setting("", "VERIFIER_SERPAPI_URL", parsers.address, _OWN)
    google_fact_check_key: str = setting(
        "",
        "GOOGLE_FACT_CHECK_API_KEY",
        parsers.key(),
        "a key of Google's Fact Check Tools",
        also="FACTCHECK_GOOGLE_API_KEY",
        secret=True,
    )
    google_fact_check_url: str = setting("", "VERIFIER_GOOGLE_FACT_CHECK_URL", parsers.address, _OWN)
    feeds: tuple[str, ...] = setting(
        (),
        "VERIFIER_FEEDS",
        parsers.addresses,
        "RSS or Atom, with commas between them",
        example="https://example.org/news.rss",
        secret=True,
    )
