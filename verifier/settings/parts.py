"""The settings of the parts: retrieval, judgement, search, upkeep and server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

from verifier.settings import parsers
from verifier.settings.environment import DATA
from verifier.settings.providers import ProviderSettings
from verifier.settings.variables import part, setting


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Stages 3 to 6: how evidence is found, ranked and judged sufficient."""

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
        True, "VERIFIER_DECOMPOSE", parsers.switch, "off: check a claim with several statements as one"
    )
    cascade: float = setting(
        0.0,
        "VERIFIER_CASCADE",
        parsers.number(0, 1),
        "confidence below which the language model is asked too; 0 is never",
    )
    trust: float = setting(
        1.0,
        "VERIFIER_LLM_TRUST",
        parsers.number(0, 2),
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
        parsers.switch,
        "on: fetch pages of this machine and its network; never for strangers",
    )
    cache_path: Path = setting(
        DATA / "search-cache", "VERIFIER_SEARCH_CACHE", parsers.path, "answers and budgets of search engines"
    )
    cache_hours: float = setting(
        24.0, "VERIFIER_SEARCH_CACHE_HOURS", parsers.number(0, 8_760), "how long an answer is used again; 0 keeps none"
    )
    failures: int = 3
    cool_down: float = setting(
        600.0,
        "VERIFIER_SEARCH_COOL_DOWN",
        parsers.number(1, 86_400),
        "seconds that an engine rests after three failures",
    )
    paid_engines: int = setting(
        1,
        "VERIFIER_PAID_ENGINES",
        parsers.whole(0, 10),
        "paid engines that a stage may ask if the others found nothing",
    )
    cost_warn: int = setting(
        100, "VERIFIER_COST_WARN", parsers.whole(0, 10_000_000), "requests a month to paid engines until you are warned"
    )
    cost_stop: int = setting(
        2_000, "VERIFIER_COST_STOP", parsers.whole(0, 10_000_000), "requests a month until they are asked no more"
    )
    providers: ProviderSettings = part(ProviderSettings)


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """How the store is kept up to date and small."""

    refresh_hours: float = setting(
        0.0, "VERIFIER_REFRESH_HOURS", parsers.hours_or_never, "hours between refreshes while the app runs; 0 is never"
    )
    topics: tuple[str, ...] = setting(
        (), "VERIFIER_TOPICS", parsers.topic_list, "what a refresh searches for, such as: floods, vaccines"
    )
    feed_pages: int = setting(
        50, "VERIFIER_REFRESH_PAGES", parsers.whole(1, 200), "newest pages of each feed that a refresh reads"
    )
    keep_days: int = setting(
        30, "VERIFIER_KEEP_DAYS", parsers.whole(0, 36_500), "days after which news from the web is removed; 0 keeps it"
    )


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What the app accepts from visitors. The limits apply if strangers can reach it (`Settings.public`).

    `queue` counts the checks of all visitors. A `per_minute` of 0 means no limit, and none for the hour. `max_upload`
    is in bytes.
    """

    on_space: bool = setting(False, "SPACE_ID", lambda _name, _text: True, "")  # set by Hugging Face
    trust_proxy: int = setting(
        0,
        "VERIFIER_TRUST_PROXY",
        parsers.whole(0, 10),
        "how many proxies of your own stand before the server; behind one it is public",
        space=1,
    )
    per_minute: int = setting(
        20,
        "VERIFIER_RATE_LIMIT",
        parsers.rate(0),
        "checks a minute and an hour that a visitor of a public server may start; off: no limit",
        example="20/200",
    )
    per_hour: int = setting(200, "VERIFIER_RATE_LIMIT", parsers.rate(1), "")
    at_once: int = setting(
        2,
        "VERIFIER_CHECKS_AT_ONCE",
        parsers.whole(1, 1_000),
        "checks of one visitor of a public server that run or wait",
    )
    queue: int = setting(32, "VERIFIER_QUEUE", parsers.whole(1, 10_000), "checks of all visitors that may wait")
    max_upload: int = setting(
        10 * parsers.MB, "VERIFIER_MAX_UPLOAD", parsers.megabytes(1, 1_000), "MB of one uploaded file", example="10"
    )
    uploads: Path = setting(
        Path(gettempdir()), "GRADIO_TEMP_DIR", parsers.path, "where the app makes a folder for uploads", example=""
    )
    origins: tuple[str, ...] = setting(
        (), "VERIFIER_ORIGINS", parsers.origins, "other sites whose pages may use the server, with commas"
    )
