"""A verifier with its store and its log, for whoever serves checks: the command line (Checker) and the app (Service)."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from errors import StoreError, VerifierError
from verifier.log import VerificationLog
from verifier.public import public
from verifier.schema import Step, VerificationResult
from verifier.settings import Settings
from verifier.turns import ServiceTurns

if TYPE_CHECKING:
    from types import TracebackType

    from kb.record import NewEvidence
    from kb.store import EvidenceStore
    from verifier.build import PageLoader
    from verifier.claim.article import Article
    from verifier.metrics import Metrics
    from verifier.pipeline import Verifier
    from verifier.scheduler import JobStatus, Scheduler
    from verifier.search.pages import Page

_LOG = logging.getLogger(__name__)
Progress = Callable[[int, int], None]


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """While the libraries are imported: they make a million objects that stay, and searching them costs a second."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _seeded(store: EvidenceStore, progress: Progress, starter: bool) -> None:
    """Put in the starter facts that are missing; a store that has records and cannot be written is used as it is.

    Raises:
        StoreError: the store is empty and cannot be written.
    """
    from kb.seed import seed

    try:
        seed(store, progress, starter)
    except StoreError as exc:
        if not store.count():
            raise
        _LOG.warning("the starter facts that are missing were not added: %s", exc)


class Checker:
    """Checks claims and logs every check. Loads the models and opens the store when it is made."""

    def __init__(
        self,
        settings: Settings,
        progress: Progress = lambda done, total: None,
        with_store: bool = True,
        metrics: Metrics | None = None,
    ) -> None:
        """Load everything; a new store is filled with the starter facts.

        Args:
            settings: all of them.
            progress: is told (done, total) while a new store is filled.
            with_store: without it, only given texts can be judged.
            metrics: what counts the checks, if anything does.

        Raises:
            ModelError: a weight file is missing, damaged or foreign.
            StoreError: the store cannot be opened or written.
        """
        self._settings, self._metrics = settings, metrics
        self._page_loader: PageLoader | None = None
        with _no_garbage_collection():
            from kb.lists import DomainLists
            from verifier.build import build_verifier, load_embedder, open_store

            self.lists = DomainLists(settings.domains_path)
            for bad in self.lists.problems():
                _LOG.warning("%s, line %d: %s; this line is skipped", settings.domains_path, bad.line, bad.reason)
            embedder = load_embedder(settings)
            self.embed = embedder.embed
            self.store = open_store(settings, embedder.embed, self.lists.publisher_of) if with_store else None
            if self.store:
                _seeded(self.store, progress, settings.starter)
            self._verifier = build_verifier(
                settings, self.store, embedder, self.lists.publisher_of, metrics, self.lists.preferred
            )
        self._log = VerificationLog(settings.log_path, settings.log_days) if settings.log else None
        if self._log:
            try:
                self._log.prune()
            except StoreError as exc:  # each check says so too, and is made all the same
                _LOG.warning("old checks stay in the log: %s", exc)
        self._count_records()

    def verify(self, claim: str, given: Sequence[NewEvidence] | None = None, web: bool = True) -> VerificationResult:
        """Check a claim to its end; see `Verifier.stream` for what is raised."""
        start = time.perf_counter()
        with self._failures():
            result = self._logged(self._verifier.verify(claim, web, given))
        return self._counted(result, start)

    def stream(
        self, claim: str, web: bool = True, given: Sequence[NewEvidence] | None = None
    ) -> Generator[Step, None, VerificationResult]:
        """Check a claim step by step; see `Verifier.stream`."""
        start = time.perf_counter()
        with self._failures():
            result = self._logged((yield from self._verifier.stream(claim, web, given)))
        return self._counted(result, start)

    @property
    def verifier(self) -> Verifier:
        """The pipeline, whose models and search serve more than whole checks."""
        return self._verifier

    @property
    def settings(self) -> Settings:
        """Those that it was made with."""
        return self._settings

    @property
    def log(self) -> VerificationLog | None:
        """The log of checks, where one is kept."""
        return self._log

    def replay(self, claim: str, as_of: str) -> VerificationResult:
        """Check a claim by the store as it was, with today's models and lists, without the web; no trace is left of it.

        Args:
            claim: what a person typed.
            as_of: the number of a version of the store, or a date or time in ISO form; see `EvidenceStore.as_of`.

        Raises:
            InputError: the text is not a claim, or there is no such version.
            ModelError: a model failed.
            StoreError: the store cannot be read, or there is none.
        """
        if self.store is None:
            raise StoreError("there is no store to go back in; leave --evidence or --as-of out")
        past = self.store.as_of(as_of)
        result = self._verifier.verify(claim, web=False, as_of=past)
        told = f"judged by the store as it was on {past.kept.at:%Y-%m-%d %H:%M} UTC, version {past.version}"
        return replace(result, warnings=(*result.warnings, told))

    def _failures(self) -> AbstractContextManager[None]:
        return self._metrics.failures() if self._metrics else nullcontext()

    def _counted(self, result: VerificationResult, start: float) -> VerificationResult:
        if self._metrics:
            self._metrics.check_done(result, time.perf_counter() - start)
            self._count_records()
        return result

    def _count_records(self) -> None:
        """Count the store's records now, so that whoever reads the metrics waits for no store."""
        if self._metrics and self.store:
            try:
                self._metrics.records(self.store.count())
            except StoreError:
                return  # the last count stands; a check meets the error itself

    def _logged(self, result: VerificationResult) -> VerificationResult:
        """The result, once the log holds it or its warnings say why not; strangers are told no path."""
        try:
            if self._log:
                self._log.append(result)
        except StoreError as exc:
            _LOG.warning("a check was not logged: %s", exc)
            result = replace(result, warnings=(*result.warnings, str(exc)))
        if not self._settings.public:
            return result
        return replace(result, warnings=tuple(public(warning) for warning in result.warnings))

    def article(self, url: str) -> Article:
        """The sentences of the article at `url` that can be checked.

        Raises:
            FetchError: the page cannot be had.
            InputError: it is no article, or nothing in it can be checked by itself; or the web is switched off.
            ModelError: a model failed.
        """
        from verifier.claim.article import read_article

        return read_article(url, self._loader(url), self._verifier.claim_type)

    def page(self, url: str) -> Page:
        """The article at `url`, fetched with all checks of the fetcher.

        Raises:
            FetchError: the page cannot be had.
            InputError: the web is switched off.
        """
        return self._loader(url)(url, self._settings.search.deadline)

    def _loader(self, url: str) -> Callable[[str, float], Page]:
        from verifier.build import PageLoader
        from verifier.claim.article import refuse_offline

        refuse_offline(url, self._settings.web)
        self._page_loader = self._page_loader or PageLoader(self._settings.search)
        return self._page_loader

    def find_model(self) -> None:
        """Look for the instruct model again: the next check uses what is found.

        Raises:
            ModelError: the settings name one that is not on this machine.
        """
        from verifier.build import find_assistant

        self._verifier.assistant = find_assistant(self._settings)

    def scheduler(self) -> Scheduler:
        """What looks after the store while an app runs; it is not started yet."""
        from verifier.build import build_scheduler
        from verifier.scheduler import Scheduler

        return build_scheduler(self._settings, self.store, self.lists) if self.store else Scheduler(())

    def close(self) -> None:
        """Write what the store still notes, and close every connection; a later check opens new ones.

        What cannot be written is logged, for no verdict depends on it.
        """
        with ExitStack() as stack:  # each is closed, whatever another raises
            for close in (
                self._page_loader and self._page_loader.close,
                self._verifier.search and self._verifier.search.close,
            ):
                if close:
                    stack.callback(close)
            if self.store:
                try:
                    self.store.close()
                except StoreError as exc:
                    _LOG.warning("which records the last checks used was not noted: %s", exc)

    def __enter__(self) -> Self:
        """The checker itself, which is closed at the end of the block, after an error too."""
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _metrics(settings: Settings) -> Metrics | None:
    if not settings.metrics:
        return None
    from verifier.metrics import Metrics

    return Metrics()


@dataclass(frozen=True, slots=True)
class Health:
    """How the service is: "loading", "ok" or "failed" (then `error` says why)."""

    status: str
    kb_size: int = 0
    error: str = ""
    upkeep: tuple[JobStatus, ...] = ()
    """When the store's upkeep last ran and will run; none before the models are loaded."""


class Service:
    """A Checker that loads in the background, so that the page is there at once."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is loaded before `start`."""
        self.settings = settings
        self.metrics = _metrics(settings)
        self.turns = ServiceTurns()
        self._ready = threading.Event()
        self._checker: Checker | None = None
        self._error: VerifierError | None = None
        self._scheduler: Scheduler | None = None

    def start(self) -> None:
        """Begin loading, in a thread of its own."""
        threading.Thread(target=self._load, name="load models", daemon=True).start()

    def _load(self) -> None:
        try:
            self._checker = Checker(self.settings, metrics=self.metrics)
            self._scheduler = self._checker.scheduler()
            self._scheduler.start()
        except VerifierError as exc:
            _LOG.error("the models and the store could not be loaded: %s", exc)
            self._error = VerifierError(public(str(exc))) if self.settings.public else exc
        finally:
            self._ready.set()

    @property
    def loading(self) -> bool:
        """Whether a check would have to wait for the models."""
        return not self._ready.is_set()

    def checker(self) -> Checker:
        """The checker, once it is loaded.

        Raises:
            VerifierError: loading failed; the error says why.
        """
        self._ready.wait()
        if self._checker is None:
            raise self._error or VerifierError("the models could not be loaded; the log of the process says why")
        return self._checker

    def search_engines(self) -> tuple[str, ...]:
        """The search engines that a claim may be sent to, in the order in which they are asked; none where the web is off."""
        from verifier.search.providers import configured

        return tuple(p.name for p in configured(self.settings.search)) if self.settings.web else ()

    def article(self, url: str) -> Article:
        """The sentences of an article that can be checked, once the models are loaded; see `Checker.article`."""
        return self.checker().article(url)

    def find_model(self) -> None:
        """Look for the instruct model again, once the models are loaded; see `Checker.find_model`."""
        self.checker().find_model()

    def health(self) -> Health:
        """The state of the service; never waits, never raises."""
        if self.loading:
            return Health("loading")
        try:
            store = self.checker().store
            upkeep = self._scheduler.status() if self._scheduler else ()
            return Health("ok", store.count() if store else 0, upkeep=upkeep)
        except VerifierError as exc:
            return Health("failed", error=str(exc))

    def close(self) -> None:
        """End the upkeep and write what is still noted; for the end of the process."""
        if self._scheduler:
            self._scheduler.stop()
        if self._checker:
            self._checker.close()
