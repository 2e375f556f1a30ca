"""All settings, each with its variable, default, bounds and help.

Those of the parts are in `parts.py` and `providers.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kb.store.place import Access
from models.files import WEIGHTS_FOLDER
from models.hub.download import FOLDER as MODELS_FOLDER
from models.hub.generators import Choice
from verifier.settings import parsers
from verifier.settings.environment import DATA, ROOT, environment
from verifier.settings.parts import JudgementSettings, RetrievalSettings, SearchSettings, ServerSettings, UpkeepSettings
from verifier.settings.variables import (
    Exposure,
    Setting,
    described_in,
    part,
    read_record,
    setting,
    warn_of_unknown,
)

_GRADES = ROOT / "verifier" / "judgement" / "grades.json"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_ACCESS = {
    "endpoint": Setting(
        "",
        "VERIFIER_S3_ENDPOINT",
        parsers.address,
        "an S3 server that is not Amazon's; see docs/scale.md",
        "http://localhost:9000",
    ),
    "key": Setting("", "AWS_ACCESS_KEY_ID", parsers.key(), "for a store at s3://BUCKET/PATH"),
    "secret": Setting("", "AWS_SECRET_ACCESS_KEY", parsers.key(), "the secret of that key"),
    "session": Setting("", "AWS_SESSION_TOKEN", parsers.key(4_000), "the session token of a temporary key"),
    "region": Setting("", "AWS_REGION", parsers.key(), "where the bucket lies", also="AWS_DEFAULT_REGION"),
    "server_key": Setting("", "LANCEDB_API_KEY", parsers.key(), "for a store at db://NAME"),
    "server_host": Setting(
        "",
        "VERIFIER_LANCEDB_HOST",
        parsers.address,
        "where a LanceDB server of your own answers",
        "http://localhost:10024",
    ),
}
"""The keys of a store that is not a folder.

Amazon's and LanceDB's own tools read the same names.
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the whole, with those of its parts in separate records."""

    kb_uri: str = setting(str(DATA / "kb"), "VERIFIER_KB_URI", parsers.plain, "where the evidence store lies")
    kb_access: Access = part(Access, _ACCESS)
    starter: bool = setting(
        True, "VERIFIER_STARTER", parsers.switch, "off: start a store without statements on countries and elements"
    )
    keep_versions_days: int = setting(
        30, "VERIFIER_KEEP_VERSIONS_DAYS", parsers.whole(0, 3_650), "days that states of the store are kept for --as-of"
    )
    domains_path: Path = setting(
        DATA / "domains.csv", "VERIFIER_DOMAINS", parsers.path, "your own allow and deny lists of domains"
    )
    weights: Path = setting(WEIGHTS_FOLDER, "VERIFIER_WEIGHTS", parsers.path, "another folder of weights")
    readers: Path = setting(MODELS_FOLDER, "VERIFIER_READERS", parsers.path, "where an adopted reader lies")
    merged: Path = setting(
        DATA / "merged",
        "VERIFIER_MERGED",
        parsers.path,
        "where a copy of the merged reader (113 MB) makes the next start quicker",
    )
    threads: int = setting(2, "VERIFIER_THREADS", parsers.whole(1, 256), "CPU threads of the cross-encoder")
    encoder_threads: int = setting(
        1, "VERIFIER_ENCODER_THREADS", parsers.whole(1, 256), "CPU threads of the llama.cpp models"
    )
    llm: Choice = setting(
        parsers.AUTO,
        "VERIFIER_LLM",
        parsers.choice,
        "off, a .gguf file, or OWNER/NAME:FILE.gguf; auto uses a model that is here, and downloads none",
    )
    llm_rewrites: bool = setting(
        False,
        "VERIFIER_LLM_REWRITES",
        parsers.switch,
        "on: the language model also splits claims, cuts judgements away and writes queries; see docs/language-model.md",
    )
    log: bool = setting(True, "VERIFIER_LOG", parsers.switch, "off: keep no log of checks", space=False)
    log_path: Path = setting(DATA / "verifications.jsonl", "VERIFIER_LOG_PATH", parsers.path, "the log of checks")
    log_days: int = setting(90, "VERIFIER_LOG_DAYS", parsers.whole(1, 36_500), "older entries are dropped")
    cases_path: Path = setting(
        DATA / "cases.jsonl",
        "VERIFIER_CASES",
        parsers.path,
        'where "This is wrong" keeps its cases, for evaluate --cases',
    )
    grades: Path = setting(
        _GRADES,
        "VERIFIER_GRADES",
        parsers.path,
        "what was tested of verdicts; see docs/evaluation.md to test your own claims",
    )
    deadline: float = setting(60.0, "VERIFIER_DEADLINE", parsers.number(1, 300), "seconds for one check, at most 300")
    web: bool = setting(True, "VERIFIER_WEB", parsers.switch, "off: never ask the web")
    watch_token: str = setting(
        "",
        "VERIFIER_WATCH_TOKEN",
        parsers.token,
        "what a feed reader must send to read /watch.atom from another machine, 20 characters or more; see docs/operations.md",
        secret=True,
    )
    host: str = setting(
        "127.0.0.1", "GRADIO_SERVER_NAME", parsers.plain, "0.0.0.0 to be reached from other machines", space="0.0.0.0"
    )
    port: int = setting(7860, "PORT", parsers.whole(1, 65_535), "where the app listens")
    metrics: bool = setting(True, "VERIFIER_METRICS", parsers.switch, "off: no counts at /metrics", public=False)
    mcp: bool = setting(True, "VERIFIER_MCP", parsers.switch, "off: the app serves no MCP tools", space=False)
    allow_add: bool = setting(
        True,
        "VERIFIER_ALLOW_ADD",
        parsers.switch,
        "off: no evidence and no list is changed through the server",
        public=False,
    )
    batch_rows: int = setting(
        2_000, "VERIFIER_BATCH_ROWS", parsers.whole(1, 100_000), "rows of one file on the page", space=200
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
        """Whether strangers may reach the server.

        That is so on a Space, behind a proxy, or if it listens to other machines.
        """
        return self.server.on_space or self.server.trust_proxy > 0 or self.host not in _LOOPBACK

    @property
    def private(self) -> bool:
        """Whether only this machine reaches the server.

        The page may then write to its disk and read its log.
        """
        return not self.public

    @staticmethod
    def from_env(env: Mapping[str, str] | None = None) -> Settings:
        """Read the settings from environment variables.

        By default these are the process's, then those of a `.env` file.

        Raises:
            SettingsError: a variable has a value that is not allowed.
        """
        values = environment() if env is None else env
        settings = read_record(Settings, values, Exposure.PRIVATE)
        if settings.server.on_space:  # visitors' claims are not kept, and the Space's own network is closed to them
            settings = read_record(Settings, values, Exposure.SPACE)
            settings = replace(settings, search=replace(settings.search, allow_private=False))
        elif settings.public:
            settings = read_record(Settings, values, Exposure.PUBLIC)
        warn_of_unknown(values, {name for each in described_in(Settings) for name in (each.name, each.also)})
        return settings


def with_supplies(settings: Settings, feeds: Sequence[str] | None, topics: Sequence[str] | None) -> Settings:
    """Return the settings with the feeds and topics of one refresh.

    They are unchanged if neither is named.

    Raises:
        SettingsError: an address or a topic is invalid.
    """
    if feeds is None and topics is None:
        return settings
    urls = dict.fromkeys(parsers.address("--feeds", url.strip()) for url in feeds or () if url.strip())
    providers = replace(settings.search.providers, feeds=tuple(urls))
    return replace(
        settings,
        search=replace(settings.search, providers=providers),
        upkeep=replace(settings.upkeep, topics=parsers.topic_list("--topics", ",".join(topics or ()))),
    )
