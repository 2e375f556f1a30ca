"""Every setting with its variable, default, bounds and help; those of search engines are in `provider_settings.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

from kb.store.place import Access
from models.files import WEIGHTS_FOLDER
from models.hub.download import FOLDER as MODELS_FOLDER
from models.hub.generators import Choice
from verifier import variables as var
from verifier.environment import environment
from verifier.provider_settings import ProviderSettings
from verifier.variables import Exposure, Setting, part, setting

ROOT = Path(__file__).parent.parent
_DATA = ROOT / "data"
_GRADES = ROOT / "verifier" / "judgement" / "grades.json"
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


@dataclass(frozen=True, slots=True)
class JudgementSettings:
    """How evidence becomes a verdict. `cascade` and `trust` are fitted in docs/language-model.md."""

    decompose: bool = setting(
        True, "VERIFIER_DECOMPOSE", var.switch, "off: check a claim with several statements as one"
    )
    cascade: float = setting(
        0.0, "VERIFIER_CASCADE", var.number(0, 1), "confidence below which the language model is asked too; 0 is never"
    )
    trust: float = setting(
        1.0,
        "VERIFIER_LLM_TRUST",
        var.number(0, 2),
        "how much its reading weighs: 0 nothing, 1 as much as the encoders'",
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The web search. Seconds throughout."""

    reference_results: int = 5
    trusted_results: int = 8
    fact_check_results: int = 5
    open_results: int = 8
    backoff: tuple[float, ...] = (2.0, 5.0, 10.0)
    timeout: float = 5.0
    deadline: float = 20.0
    pages_at_once: int = 8
    allow_private: bool = setting(
        False,
        "VERIFIER_ALLOW_PRIVATE",
        var.switch,
        "on: fetch pages of this machine and its network; never for strangers",
    )
    cache_path: Path = setting(
        _DATA / "search-cache", "VERIFIER_SEARCH_CACHE", var.path, "answers and budgets of search engines"
    )
    cache_hours: float = setting(
        24.0, "VERIFIER_SEARCH_CACHE_HOURS", var.number(0, 8_760), "how long an answer is used again; 0 keeps none"
    )
    failures: int = 3
    cool_down: float = setting(
        600.0, "VERIFIER_SEARCH_COOL_DOWN", var.number(1, 86_400), "seconds that an engine rests after three failures"
    )
    paid_engines: int = setting(
        1, "VERIFIER_PAID_ENGINES", var.whole(0, 10), "paid engines that a stage may ask if the others found nothing"
    )
    cost_warn: int = setting(
        100, "VERIFIER_COST_WARN", var.whole(0, 10_000_000), "requests a month to paid engines until you are warned"
    )
    cost_stop: int = setting(
        2_000, "VERIFIER_COST_STOP", var.whole(0, 10_000_000), "requests a month until they are asked no more"
    )
    providers: ProviderSettings = part(ProviderSettings)


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """How the store is kept up to date and small."""

    refresh_hours: float = setting(
        0.0, "VERIFIER_REFRESH_HOURS", var.hours_or_never, "hours between refreshes while the app runs; 0 is never"
    )
    topics: tuple[str, ...] = setting(
        (), "VERIFIER_TOPICS", var.topic_list, "what a refresh searches for, such as: floods, vaccines"
    )
    feed_pages: int = setting(
        50, "VERIFIER_REFRESH_PAGES", var.whole(1, 200), "newest pages of each feed that a refresh reads"
    )
    keep_days: int = setting(
        30, "VERIFIER_KEEP_DAYS", var.whole(0, 36_500), "days after which news from the web is removed; 0 keeps it"
    )


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What the app takes from visitors. The limits hold where strangers reach it (`Settings.public`).

    `queue` counts the checks of all visitors. A `per_minute` of 0 is no limit, for the hour neither. `max_upload` is in bytes.
    """

    on_space: bool = setting(False, "SPACE_ID", lambda _name, _text: True, "")  # set by Hugging Face
    trust_proxy: int = setting(
        0,
        "VERIFIER_TRUST_PROXY",
        var.whole(0, 10),
        "how many proxies of your own stand before the server; behind one it is public",
        space=1,
    )
    per_minute: int = setting(
        20,
        "VERIFIER_RATE_LIMIT",
        var.rate(0),
        "checks a minute and an hour that a visitor of a public server may start; off: no limit",
        example="20/200",
    )
    per_hour: int = setting(200, "VERIFIER_RATE_LIMIT", var.rate(1), "")
    at_once: int = setting(
        2, "VERIFIER_CHECKS_AT_ONCE", var.whole(1, 1_000), "checks of one visitor of a public server that run or wait"
    )
    queue: int = setting(32, "VERIFIER_QUEUE", var.whole(1, 10_000), "checks of all visitors that may wait")
    max_upload: int = setting(
        10 * var.MB, "VERIFIER_MAX_UPLOAD", var.megabytes(1, 1_000), "MB of one uploaded file", example="10"
    )
    uploads: Path = setting(
        Path(gettempdir()), "GRADIO_TEMP_DIR", var.path, "where the app makes a folder for uploads", example=""
    )
    origins: tuple[str, ...] = setting(
        (), "VERIFIER_ORIGINS", var.origins, "other sites whose pages may use the server, with commas"
    )


_ACCESS = {
    "endpoint": Setting(
        "",
        "VERIFIER_S3_ENDPOINT",
        var.address,
        "an S3 server that is not Amazon's; see docs/scale.md",
        "http://localhost:9000",
    ),
    "key": Setting("", "AWS_ACCESS_KEY_ID", var.key(), "for a store at s3://BUCKET/PATH"),
    "secret": Setting("", "AWS_SECRET_ACCESS_KEY", var.key(), "the secret of that key"),
    "session": Setting("", "AWS_SESSION_TOKEN", var.key(4_000), "the session token of a temporary key"),
    "region": Setting("", "AWS_REGION", var.key(), "where the bucket lies", also="AWS_DEFAULT_REGION"),
    "server_key": Setting("", "LANCEDB_API_KEY", var.key(), "for a store at db://NAME"),
    "server_host": Setting(
        "", "VERIFIER_LANCEDB_HOST", var.address, "where a LanceDB server of your own answers", "http://localhost:10024"
    ),
}
"""The keys of a store that is no folder; the names are those that Amazon's and LanceDB's own tools read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the whole, and in records of their own those of its parts."""

    kb_uri: str = setting(str(_DATA / "kb"), "VERIFIER_KB_URI", var.plain, "where the evidence store lies")
    kb_access: Access = part(Access, _ACCESS)
    starter: bool = setting(
        True, "VERIFIER_STARTER", var.switch, "off: start a store without statements on countries and elements"
    )
    keep_versions_days: int = setting(
        30, "VERIFIER_KEEP_VERSIONS_DAYS", var.whole(0, 3_650), "days that states of the store are kept for --as-of"
    )
    domains_path: Path = setting(
        _DATA / "domains.csv", "VERIFIER_DOMAINS", var.path, "your own allow and deny lists of domains"
    )
    weights: Path = setting(WEIGHTS_FOLDER, "VERIFIER_WEIGHTS", var.path, "another folder of weights")
    readers: Path = setting(MODELS_FOLDER, "VERIFIER_READERS", var.path, "where an adopted reader lies")
    merged: Path = setting(
        _DATA / "merged",
        "VERIFIER_MERGED",
        var.path,
        "where a copy of the merged reader (113 MB) makes the next start quicker",
    )
    threads: int = setting(2, "VERIFIER_THREADS", var.whole(1, 256), "CPU threads of the cross-encoder")
    encoder_threads: int = setting(
        1, "VERIFIER_ENCODER_THREADS", var.whole(1, 256), "CPU threads of the llama.cpp models"
    )
    llm: Choice = setting(
        var.AUTO,
        "VERIFIER_LLM",
        var.choice,
        "off, a .gguf file, or OWNER/NAME:FILE.gguf; auto uses a model that is here, and downloads none",
    )
    llm_rewrites: bool = setting(
        False,
        "VERIFIER_LLM_REWRITES",
        var.switch,
        "on: the language model also splits claims, cuts judgements away and writes queries; see docs/language-model.md",
    )
    log: bool = setting(True, "VERIFIER_LOG", var.switch, "off: keep no log of checks", space=False)
    log_path: Path = setting(_DATA / "verifications.jsonl", "VERIFIER_LOG_PATH", var.path, "the log of checks")
    log_days: int = setting(90, "VERIFIER_LOG_DAYS", var.whole(1, 36_500), "older entries are dropped")
    cases_path: Path = setting(
        _DATA / "cases.jsonl", "VERIFIER_CASES", var.path, 'where "This is wrong" keeps its cases, for evaluate --cases'
    )
    grades: Path = setting(
        _GRADES,
        "VERIFIER_GRADES",
        var.path,
        "what was tested of verdicts; see docs/evaluation.md to test your own claims",
    )
    deadline: float = setting(60.0, "VERIFIER_DEADLINE", var.number(1, 300), "seconds for one check, at most 300")
    web: bool = setting(True, "VERIFIER_WEB", var.switch, "off: never ask the web")
    watch_token: str = setting(
        "",
        "VERIFIER_WATCH_TOKEN",
        var.token,
        "what a feed reader must send to read /watch.atom from another machine, 20 characters or more; see docs/operations.md",
        secret=True,
    )
    host: str = setting(
        "127.0.0.1", "GRADIO_SERVER_NAME", var.plain, "0.0.0.0 to be reached from other machines", space="0.0.0.0"
    )
    port: int = setting(7860, "PORT", var.whole(1, 65_535), "where the app listens")
    metrics: bool = setting(True, "VERIFIER_METRICS", var.switch, "off: no counts at /metrics", public=False)
    mcp: bool = setting(True, "VERIFIER_MCP", var.switch, "off: the app serves no MCP tools", space=False)
    allow_add: bool = setting(
        True,
        "VERIFIER_ALLOW_ADD",
        var.switch,
        "off: no evidence and no list is changed through the server",
        public=False,
    )
    batch_rows: int = setting(
        2_000, "VERIFIER_BATCH_ROWS", var.whole(1, 100_000), "rows of one file on the page", space=200
    )
    server: ServerSettings = part(ServerSettings)
    retrieval: RetrievalSettings = part(RetrievalSettings)
    judgement: JudgementSettings = part(JudgementSettings)
    search: SearchSettings = part(SearchSettings)
    upkeep: UpkeepSettings = part(UpkeepSettings)

    @property
    def watch_path(self) -> Path:
        """Path of the list of watched claims, in the folder of the log."""
        return self.log_path.with_name("watched.sqlite")

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
        values = environment() if env is None else env
        settings = var.read_record(Settings, values, Exposure.PRIVATE)
        if settings.server.on_space:  # its visitors' claims are not kept, and its own network is closed to them
            settings = var.read_record(Settings, values, Exposure.SPACE)
            settings = replace(settings, search=replace(settings.search, allow_private=False))
        elif settings.public:
            settings = var.read_record(Settings, values, Exposure.PUBLIC)
        var.warn_of_unknown(values, {name for each in var.described_in(Settings) for name in (each.name, each.also)})
        return settings


def with_supplies(settings: Settings, feeds: Sequence[str] | None, topics: Sequence[str] | None) -> Settings:
    """The settings with the feeds and topics of one refresh; where neither is named, as they are.

    Raises:
        SettingsError: an address or a topic is none.
    """
    if feeds is None and topics is None:
        return settings
    urls = dict.fromkeys(var.address("--feeds", url.strip()) for url in feeds or () if url.strip())
    providers = replace(settings.search.providers, feeds=tuple(urls))
    return replace(
        settings,
        search=replace(settings.search, providers=providers),
        upkeep=replace(settings.upkeep, topics=var.topic_list("--topics", ",".join(topics or ()))),
    )
