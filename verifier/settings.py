"""Every setting with its default. `Settings.from_env()` is the only reader of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import gettempdir

from errors import SettingsError
from kb.place import Access
from models.download import FOLDER as MODELS_FOLDER
from models.files import WEIGHTS_FOLDER
from models.generators import Choice, Mode, parse_choice
from verifier.variables import Asked, address, addresses, key, number, rate, switch, topic_list

ROOT = Path(__file__).parent.parent
MB = 1_000_000
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Stages 3 to 6: how evidence is found, ranked and called sufficient."""

    top_k: int = 20
    access_boost: float = 0.02
    access_boost_ceiling: float = 0.1
    min_relevance: float = 0.3
    rerank_top_k: int = 5
    max_per_domain: int = 2
    credibility_weight: float = 0.3
    min_pieces: int = 2
    min_mean_relevance: float = 1.0
    rounds: int = 3
    max_candidates: int = 60
    rerank: bool = True


@dataclass(frozen=True, slots=True)
class JudgementSettings:
    """How evidence becomes a verdict. The switches are all on; evaluation turns one off to measure what it is worth."""

    decompose: bool = True
    credibility: bool = True
    signals: bool = True
    all_evidence: bool = True
    cascade: float = 0.8
    """Confidence below which the instruct model, where there is one, reads the evidence too."""
    trust: float = 0.75
    """The share of its readings that are taken to be right. Neither number was fitted: see docs/language-model.md."""


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Which search engines may be asked. An empty address of a public service is its own; no key, or no address of one's own: left out.

    Keys are never printed.
    """

    yacy_url: str = ""
    searxng_url: str = ""
    duckduckgo: bool = True
    duckduckgo_url: str = ""
    gdelt: bool = True
    gdelt_url: str = ""
    event_registry_key: str = field(default="", repr=False)
    event_registry_url: str = ""
    newsapi_key: str = field(default="", repr=False)
    newsapi_url: str = ""
    brave_key: str = field(default="", repr=False)
    brave_url: str = ""
    serpapi_key: str = field(default="", repr=False)
    serpapi_url: str = ""
    google_fact_check_key: str = field(default="", repr=False)
    google_fact_check_url: str = ""
    feeds: tuple[str, ...] = field(default=(), repr=False)  # the address of a private feed is a key as well


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The web search. Seconds throughout."""

    trusted_results: int = 8
    fact_check_results: int = 5
    open_results: int = 8
    backoff: tuple[float, ...] = (2.0, 5.0, 10.0)
    timeout: float = 5.0
    deadline: float = 20.0
    pages_at_once: int = 8
    providers: ProviderSettings = field(default_factory=ProviderSettings)
    allow_private: bool = False
    """Whether pages may be fetched from this machine and its own network too. Never on a public server."""
    cache_path: Path = ROOT / "data" / "search-cache"
    cache_hours: float = 24.0
    failures: int = 3
    cool_down: float = 600.0
    paid_engines: int = 1
    """How many engines that cost money one stage may ask, once all others brought nothing."""
    cost_warn: int = 100
    cost_stop: int = 2_000


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """How the store is kept up to date and small."""

    refresh_hours: float = 0.0
    """Hours between two refreshes while the app runs; 0 is never."""
    topics: tuple[str, ...] = ()
    """What a refresh searches the web for, beside reading the feeds."""
    feed_pages: int = 50
    """Pages of one feed that a refresh reads, the newest first."""
    keep_days: int = 30
    """Days that news from the web is kept; 0 is for ever."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What the app takes from visitors. The limits hold where strangers reach it (`Settings.public`)."""

    on_space: bool = False
    trust_proxy: int = 0
    """How many proxies of one's own stand before the server: so many entries of X-Forwarded-For are believed."""
    per_minute: int = 20
    """Checks that a visitor may start in a minute; 0 is no limit, and then there is none for the hour either."""
    per_hour: int = 200
    at_once: int = 2
    """Checks of one visitor in the queue: one that is being done, and one that waits."""
    queue: int = 32
    """Checks of all visitors that may wait."""
    max_upload: int = 10_000_000
    """Bytes of one upload."""
    uploads: Path = Path(gettempdir())
    """Where the app makes a folder for uploads, which goes with it."""
    origins: tuple[str, ...] = ()
    """Other sites whose pages may use the server, as scheme://name:port in small letters."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All of them."""

    kb_uri: str = str(ROOT / "data" / "kb")
    starter: bool = True
    """Whether a store holds the starter pack: statements about countries, elements, units and the Earth."""
    kb_access: Access = field(default_factory=Access)
    weights: Path = WEIGHTS_FOLDER
    readers: Path = MODELS_FOLDER
    """Where a reader that was adopted in place of the bundled one lies; see `python -m models list`."""
    log_path: Path = ROOT / "data" / "verifications.jsonl"
    domains_path: Path = ROOT / "data" / "domains.csv"
    """The user's own lists of domains; see kb/lists.py."""
    cases_path: Path = ROOT / "data" / "cases.jsonl"
    """Where verdicts that a reader called wrong are kept, for `evaluate --cases`."""
    log: bool = True
    log_days: int = 90
    keep_versions_days: int = 30
    """How long the versions of the store that checks have read are kept, for `--as-of` and `why`; 0: no longer than others."""
    web: bool = True
    threads: int = 2
    encoder_threads: int = 1
    host: str = "127.0.0.1"
    port: int = 7860
    deadline: float = 60.0
    metrics: bool = True
    mcp: bool = True
    """Whether the app serves MCP tools too."""
    allow_add: bool = True
    """Whether whoever reaches the server may add evidence, remove their own, and edit the lists of domains."""
    batch_rows: int = 2_000
    """Rows of one file that the page checks."""
    llm: Choice = Mode.AUTO
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    judgement: JudgementSettings = field(default_factory=JudgementSettings)
    upkeep: UpkeepSettings = field(default_factory=UpkeepSettings)
    server: ServerSettings = field(default_factory=ServerSettings)

    @property
    def public(self) -> bool:
        """Whether strangers may reach the server: on a Space, behind a proxy, or where it listens to other machines."""
        return self.server.on_space or self.server.trust_proxy > 0 or self.host not in _LOOPBACK

    @property
    def private(self) -> bool:
        """Whether only this machine reaches the server: then its disk may be written to, and its log be read, from the page."""
        return not self.public

    @staticmethod
    def from_env(env: Mapping[str, str] | None = None) -> Settings:
        """Settings from environment variables (by default the process's, with those of a `.env` file behind them).

        Raises:
            SettingsError: a variable has a value that is not allowed.
        """
        values = Asked(_environment() if env is None else env)
        base = Settings()
        on_space = bool(values.get("SPACE_ID"))  # set by Hugging Face: strangers' claims are not kept there
        host = values.get("GRADIO_SERVER_NAME") or ("0.0.0.0" if on_space else base.host)
        server = _server(values, on_space)
        public = Settings(host=host, server=server).public
        settings = Settings(
            kb_uri=values.get("VERIFIER_KB_URI") or base.kb_uri,
            starter=switch(values, "VERIFIER_STARTER", base.starter),
            kb_access=_access(values),
            weights=Path(values.get("VERIFIER_WEIGHTS") or base.weights),
            readers=Path(values.get("VERIFIER_READERS") or base.readers),
            log_path=Path(values.get("VERIFIER_LOG_PATH") or base.log_path),
            domains_path=Path(values.get("VERIFIER_DOMAINS") or base.domains_path),
            cases_path=Path(values.get("VERIFIER_CASES") or base.cases_path),
            log=switch(values, "VERIFIER_LOG", not on_space),
            log_days=int(number(values, "VERIFIER_LOG_DAYS", base.log_days, 1, 36_500)),
            keep_versions_days=int(number(values, "VERIFIER_KEEP_VERSIONS_DAYS", base.keep_versions_days, 0, 3_650)),
            web=switch(values, "VERIFIER_WEB", base.web),
            threads=int(number(values, "VERIFIER_THREADS", base.threads, 1, 256)),
            encoder_threads=int(number(values, "VERIFIER_ENCODER_THREADS", base.encoder_threads, 1, 256)),
            host=host,
            port=int(number(values, "PORT", base.port, 1, 65_535)),
            deadline=number(values, "VERIFIER_DEADLINE", base.deadline, 1, 300),
            metrics=switch(values, "VERIFIER_METRICS", not public),
            mcp=switch(values, "VERIFIER_MCP", not on_space),
            allow_add=switch(values, "VERIFIER_ALLOW_ADD", not public),
            batch_rows=int(number(values, "VERIFIER_BATCH_ROWS", 200 if on_space else base.batch_rows, 1, 100_000)),
            llm=parse_choice(values.get("VERIFIER_LLM") or ""),
            search=_search(values, base.search),
            upkeep=_upkeep(values, base.upkeep),
            judgement=JudgementSettings(
                decompose=switch(values, "VERIFIER_DECOMPOSE", True),
                cascade=number(values, "VERIFIER_CASCADE", base.judgement.cascade, 0, 1),
                trust=number(values, "VERIFIER_LLM_TRUST", base.judgement.trust, 0.34, 0.99),
            ),
            server=server,
        )
        values.warn()
        return settings


def with_supplies(settings: Settings, feeds: Sequence[str] | None, topics: Sequence[str] | None) -> Settings:
    """The settings with what a refresh is told to take in; where neither is named, as they are.

    Raises:
        SettingsError: an address or a topic is none.
    """
    if feeds is None and topics is None:
        return settings
    addresses = filter(None, (address({"--feeds": url}, "--feeds") for url in feeds or ()))
    providers = replace(settings.search.providers, feeds=tuple(dict.fromkeys(addresses)))
    return replace(
        settings,
        search=replace(settings.search, providers=providers),
        upkeep=replace(settings.upkeep, topics=topic_list({"--topics": ",".join(topics or ())}, "--topics")),
    )


def _server(values: Mapping[str, str], on_space: bool) -> ServerSettings:
    base = ServerSettings()
    per_minute, per_hour = rate(values, "VERIFIER_RATE_LIMIT", base.per_minute, base.per_hour)
    return ServerSettings(
        on_space=on_space,
        trust_proxy=int(number(values, "VERIFIER_TRUST_PROXY", int(on_space), 0, 10)),
        per_minute=per_minute,
        per_hour=per_hour,
        at_once=int(number(values, "VERIFIER_CHECKS_AT_ONCE", base.at_once, 1, 1_000)),
        queue=int(number(values, "VERIFIER_QUEUE", base.queue, 1, 10_000)),
        max_upload=int(number(values, "VERIFIER_MAX_UPLOAD", base.max_upload // MB, 1, 1_000)) * MB,
        uploads=Path(values.get("GRADIO_TEMP_DIR") or base.uploads),
        origins=tuple(part.rstrip("/").lower() for part in addresses(values, "VERIFIER_ORIGINS")),
    )


def _access(values: Mapping[str, str]) -> Access:
    """The keys of a store that is no folder; the names are those that Amazon's and LanceDB's own tools read."""
    return Access(
        endpoint=address(values, "VERIFIER_S3_ENDPOINT"),
        region=key(values, "AWS_REGION") or key(values, "AWS_DEFAULT_REGION"),
        key=key(values, "AWS_ACCESS_KEY_ID"),
        secret=key(values, "AWS_SECRET_ACCESS_KEY"),
        session=key(values, "AWS_SESSION_TOKEN", 4_000),
        server_key=key(values, "LANCEDB_API_KEY"),
        server_host=address(values, "VERIFIER_LANCEDB_HOST"),
    )


def _providers(values: Mapping[str, str]) -> ProviderSettings:
    return ProviderSettings(
        yacy_url=address(values, "VERIFIER_YACY_URL"),
        searxng_url=address(values, "VERIFIER_SEARXNG_URL"),
        duckduckgo=switch(values, "VERIFIER_DUCKDUCKGO", True),
        duckduckgo_url=address(values, "VERIFIER_DUCKDUCKGO_URL"),
        gdelt=switch(values, "VERIFIER_GDELT", True),
        gdelt_url=address(values, "VERIFIER_GDELT_URL"),
        event_registry_key=key(values, "EVENT_REGISTRY_API_KEY"),
        event_registry_url=address(values, "VERIFIER_EVENT_REGISTRY_URL"),
        newsapi_key=key(values, "NEWSAPI_API_KEY"),
        newsapi_url=address(values, "VERIFIER_NEWSAPI_URL"),
        brave_key=key(values, "BRAVE_API_KEY"),
        brave_url=address(values, "VERIFIER_BRAVE_URL"),
        serpapi_key=key(values, "SERPAPI_API_KEY"),
        serpapi_url=address(values, "VERIFIER_SERPAPI_URL"),
        google_fact_check_key=key(values, "GOOGLE_FACT_CHECK_API_KEY") or key(values, "FACTCHECK_GOOGLE_API_KEY"),
        google_fact_check_url=address(values, "VERIFIER_GOOGLE_FACT_CHECK_URL"),
        feeds=addresses(values, "VERIFIER_FEEDS"),
    )


def _search(values: Mapping[str, str], base: SearchSettings) -> SearchSettings:
    return SearchSettings(
        providers=_providers(values),
        allow_private=switch(values, "VERIFIER_ALLOW_PRIVATE", base.allow_private) and not values.get("SPACE_ID"),
        cache_path=Path(values.get("VERIFIER_SEARCH_CACHE") or base.cache_path),
        cache_hours=number(values, "VERIFIER_SEARCH_CACHE_HOURS", base.cache_hours, 0, 8_760),
        cool_down=number(values, "VERIFIER_SEARCH_COOL_DOWN", base.cool_down, 1, 86_400),
        paid_engines=int(number(values, "VERIFIER_PAID_ENGINES", base.paid_engines, 0, 10)),
        cost_warn=int(number(values, "VERIFIER_COST_WARN", base.cost_warn, 0, 10_000_000)),
        cost_stop=int(number(values, "VERIFIER_COST_STOP", base.cost_stop, 0, 10_000_000)),
    )


_OF_THE_SYSTEM = ("PATH", "LANG", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT", "TEMP")


def bare_environment() -> dict[str, str]:
    """What a process of our own needs of this one's environment to run at all: none of our settings, and no key."""
    return {name: os.environ[name] for name in _OF_THE_SYSTEM if name in os.environ}


def _upkeep(values: Mapping[str, str], base: UpkeepSettings) -> UpkeepSettings:
    hours = number(values, "VERIFIER_REFRESH_HOURS", base.refresh_hours, 0, 8_760)
    if 0 < hours < 1:
        raise SettingsError(f"VERIFIER_REFRESH_HOURS must be 0 (off) or from 1 to 8760, not {hours:g}")
    return UpkeepSettings(
        refresh_hours=hours,
        topics=topic_list(values, "VERIFIER_TOPICS"),
        feed_pages=int(number(values, "VERIFIER_REFRESH_PAGES", base.feed_pages, 1, 200)),
        keep_days=int(number(values, "VERIFIER_KEEP_DAYS", base.keep_days, 0, 36_500)),
    )


def _environment() -> Mapping[str, str]:
    from dotenv import dotenv_values

    file = {name: value for name, value in dotenv_values(ROOT / ".env").items() if value is not None}
    return file | dict(os.environ)
