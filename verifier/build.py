"""The composition root: the only file that brings models, store and search together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errors import InputError, ModelError
from kb.publishers.credibility import PublisherOf, SourceType, publisher_of
from kb.store import place
from kb.store.evidence_store import EvidenceStore
from kb.store.policy import UpkeepPolicy
from kb.upkeep.job_state import JobFile, state_folder
from kb.upkeep.news import FeedLimits, FeedSource, NewsSource
from kb.upkeep.refresh import Refresh
from models.catalogue import WEIGHTS, Role
from models.encoders.classifier import EncoderClassifier
from models.encoders.embedder import Embedder
from models.files import checked_path
from models.hub.download import find_local
from models.hub.generators import HubFile, Mode
from models.panel import Panel
from models.reader import PairReader, Reader
from models.readers.record import load_bundled, load_in_use
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.judgement.grades import in_use
from verifier.llm.assistant import Assistant
from verifier.search.base import Provider
from verifier.search.engines.crossref import Crossref
from verifier.search.engines.feeds import FeedLoader
from verifier.search.engines.openalex import OpenAlexStatus
from verifier.search.engines.providers import configured
from verifier.search.guard.kept_pages import KeptPages
from verifier.search.guard.limits import limits_for
from verifier.search.guard.resilience import Observer, guarded
from verifier.search.guard.shared import Shared
from verifier.search.import_web import ImportWeb
from verifier.search.pages import Page, PageReader
from verifier.search.retraction import RetractionCheck
from verifier.search.staged import StagedSearch
from verifier.search.topics import TopicSource
from verifier.settings import SearchSettings, Settings
from verifier.text.language import load_identifier

if TYPE_CHECKING:
    from models.llm.generator import Generator

Preferred = Callable[[SourceType], Sequence[str]]
"""Takes a type of source; returns the user's own sites of that type."""
SMALL_WEIGHT = 0.35
"""Weight of the small stance model compared with the reader, which counts 1 (docs/models.md)."""


def load_embedder(settings: Settings, path: Path | None = None) -> Embedder:
    """Load the bundled sentence embedder, or the one at `path`.

    Raises:
        ModelError: its file is missing, damaged or foreign.
    """
    return Embedder(path or checked_path(WEIGHTS[Role.EMBEDDER], settings.weights), settings.encoder_threads)


def load_claim_type(settings: Settings, path: Path | None = None) -> EncoderClassifier:
    """Load the bundled claim-type classifier, or the one at `path` with its raw logits.

    Raises:
        ModelError: its file is missing, damaged or foreign.
    """
    weight = WEIGHTS[Role.CLAIM_TYPE]
    if path:
        return EncoderClassifier(path, settings.encoder_threads, weight.labels)
    return EncoderClassifier(
        checked_path(weight, settings.weights), settings.encoder_threads, weight.labels, weight.temperature
    )


def load_reader(settings: Settings, path: Path | None = None) -> PairReader:
    """Load the reader in use, or the one in folder `path` as it is.

    The one in use is the bundled one unless another was adopted.

    Raises:
        ModelError: a file is missing, damaged or foreign.
    """
    if path:
        return Reader(path, settings.threads)
    return load_in_use(settings.threads, settings.weights, settings.readers, settings.merged)


def load_stance(settings: Settings, reader: PairReader | None = None) -> PairReader | Panel:
    """Load the stance model.

    That is bundled reader and small model as one, or the adopted reader alone.

    Args:
        settings: all of them.
        reader: the reader in use, if it is already loaded.

    Raises:
        ModelError: a file is missing, damaged or foreign.
    """
    reader = reader or load_reader(settings)
    if not isinstance(reader, Reader):
        return reader
    return Panel([reader, load_bundled(settings.threads, settings.weights, Role.STANCE)], (1.0, SMALL_WEIGHT))


def load_models(settings: Settings, embedder: Embedder) -> Models:
    """Load the language identifier and the bundled models around `embedder`, which the store needs too.

    Raises:
        ModelError: a file is missing, damaged or foreign.
    """
    load_identifier()  # now rather than in the first check
    reader = load_reader(settings)
    return Models(
        embedder=embedder,
        reranker=reader,
        stance=load_stance(settings, reader),
        claim_type=load_claim_type(settings),
    )


def find_assistant(settings: Settings) -> Assistant | None:
    """Make an assistant over the instruct model in `settings.llm`, loaded when first asked.

    It is None without a model. Nothing is downloaded, and no connection is opened.

    Raises:
        ModelError: a model was named but is not on this machine.
    """
    path = find_local(settings.llm)
    if path is None:
        if isinstance(settings.llm, Mode):
            return None
        mend = (
            f"run: python -m models download {settings.llm}" if isinstance(settings.llm, HubFile) else "mend the path"
        )
        raise ModelError(f"the model {settings.llm} that VERIFIER_LLM names is not on this machine; {mend}")

    def load() -> Generator:
        from models.llm.generator import Generator

        return Generator(path, settings.threads)

    return Assistant(load, settings.llm_rewrites)


def open_store(
    settings: Settings,
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
    publisher_of: PublisherOf = publisher_of,
) -> EvidenceStore:
    """Open the evidence store at `settings.kb_uri`.

    An evaluation leaves `publisher_of` as it is: by the table that ships.

    Raises:
        StoreError: it cannot be opened.
    """
    place.use(settings.kb_access)
    keep = timedelta(days=settings.upkeep.keep_days) if settings.upkeep.keep_days else None
    policy = UpkeepPolicy(keep_read_days=settings.keep_versions_days)
    return EvidenceStore(settings.kb_uri, embed, WEIGHTS[Role.EMBEDDER].checksum, publisher_of, policy, keep)


class PageLoader:
    """Fetches and reads pages, with all protections against what the web may send."""

    def __init__(self, settings: SearchSettings) -> None:
        """No connection is opened before a page is asked for."""
        from web.fetch import Fetcher

        self._fetcher = Fetcher(settings.allow_private)

    def __call__(self, url: str, seconds: float) -> Page:
        """Fetch and read the page at `url`.

        Raises:
            FetchError: it cannot be fetched within `seconds`.
        """
        from web.page import read_page

        return read_page(self._fetcher.fetch(url, seconds))

    def close(self) -> None:
        """Close all connections; the next page opens new ones."""
        self._fetcher.close()


def build_search(
    settings: SearchSettings,
    publisher_of: PublisherOf = publisher_of,
    preferred: Preferred = lambda source_type: (),
    observer: Observer | None = None,
) -> StagedSearch:
    """Build the staged search over every configured provider, each behind its limits.

    No connection is opened.
    """
    shared = Shared(settings.cache_path)
    feeds = FeedLoader(settings.allow_private)
    found = configured(settings, feeds)
    pages = PageLoader(settings)
    reader = PageReader(KeptPages(pages, shared), publisher_of)
    return StagedSearch(
        guarded(found, settings, observer, shared),
        settings,
        reader,
        publisher_of=publisher_of,
        preferred=preferred,
        one_by_one=[provider.name for provider in found if limits_for(provider.name, settings).calls == 1],
        paid=[provider.name for provider in found if limits_for(provider.name, settings).units],
        closing=(pages.close, feeds.close, shared.close),
    )


def upkeep_folder(settings: Settings) -> Path:
    """Return the folder for the state of the store's upkeep and its locks."""
    return state_folder(settings.kb_uri, settings.log_path.parent)


def build_refresh(
    settings: Settings,
    store: EvidenceStore,
    publisher_of: PublisherOf = publisher_of,
    preferred: Preferred = lambda source_type: (),
) -> Refresh:
    """Build a refresh of the store from the configured feeds and topics.

    No connection is opened yet.

    Raises:
        InputError: the web is switched off.
    """
    from web.fetch import Fetcher

    if not settings.web:
        raise InputError("VERIFIER_WEB is off, so there is nothing to refresh from; turn it on")
    web = ImportWeb(Fetcher(settings.search.allow_private))
    limits = FeedLimits(settings.upkeep.feed_pages)
    sources: list[NewsSource] = [FeedSource(url, web, limits) for url in settings.search.providers.feeds]
    if settings.upkeep.topics:
        search = build_search(settings.search, publisher_of, preferred)
        sources += [TopicSource(topic, search) for topic in settings.upkeep.topics]
    state = JobFile(upkeep_folder(settings), "refresh")
    return Refresh(store, sources, state, retractions_of=build_retractions(settings.search), web=web)


def build_retractions(settings: SearchSettings) -> RetractionCheck | None:
    """Build the check for retracted works over those of its services that are switched on.

    It is None without any.
    """
    chosen = settings.providers
    many = OpenAlexStatus(chosen.openalex_url, chosen.contact) if chosen.openalex else None
    single = Crossref(chosen.crossref_url, chosen.contact) if chosen.crossref else None
    if not many and not single:
        return None
    shared = Shared(settings.cache_path)

    def behind_limits(provider: Provider | None) -> Provider | None:
        return guarded([provider], settings, shared=shared)[0] if provider else None

    return RetractionCheck(behind_limits(many), behind_limits(single))


def build_verifier(
    settings: Settings,
    store: EvidenceStore | None,
    models: Models,
    publisher_of: PublisherOf = publisher_of,
    observer: Observer | None = None,
    preferred: Preferred = lambda source_type: (),
) -> Verifier:
    """Build a verifier over a store, or over given texts only.

    The web is asked only if the settings allow it.

    Args:
        settings: all of them.
        store: where evidence is found and put.
        models: the bundled ones; the embedder is the one that filled the store.
        publisher_of: who publishes at an address, and how far that is trusted.
        observer: counts queries to search engines, if anything does.
        preferred: the user's own sites of a type, which a search asks before the usual ones.

    Raises:
        ModelError: a language model was named but is not on this machine.
        InputError: the file of tested grades cannot be read.
    """
    search = build_search(settings.search, publisher_of, preferred, observer) if settings.web else None
    grades = in_use(settings.grades, settings.readers)
    return Verifier(models, store, search, settings, find_assistant(settings), publisher_of, grades)
