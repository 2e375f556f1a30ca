"""Check claims with one store, one set of models and one log.

The command line, the app and Python programs use this.
"""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from errors import StoreError
from verifier.history.log import VerificationLog
from verifier.report.public import public
from verifier.schema import Step, VerificationResult
from verifier.settings import Settings

if TYPE_CHECKING:
    from types import TracebackType

    from kb.publishers.lists import DomainLists
    from kb.record import NewEvidence
    from kb.store.evidence_store import EvidenceStore
    from verifier.build import PageLoader
    from verifier.check.article import Article
    from verifier.check.pipeline import Verifier
    from verifier.search.pages import Page
    from verifier.serve.metrics import Metrics

_LOG = logging.getLogger(__name__)
Progress = Callable[[int, int], None]


class Checker:
    """Checks claims and logs every check. Loads the models and opens the store on creation."""

    def __init__(
        self,
        settings: Settings,
        progress: Progress = lambda done, total: None,
        with_store: bool = True,
        metrics: Metrics | None = None,
    ) -> None:
        """Load everything; a new store is filled with the starter facts.

        Args:
            settings: all settings.
            progress: called with (done, total) while a new store is filled.
            with_store: if False, claims can be judged only by given texts.
            metrics: counts the checks; None counts nothing.

        Raises:
            ModelError: a weight file is missing, damaged or foreign.
            StoreError: the store cannot be opened or written.
        """
        self.settings, self._metrics = settings, metrics
        self._page_loader: PageLoader | None = None
        with _no_garbage_collection():
            from verifier.build import build_verifier, load_embedder, load_models, open_store

            self.lists = _domain_lists(settings)
            embedder = load_embedder(settings)
            self.embed, publisher_of = embedder.embed, self.lists.publisher_of
            with ThreadPoolExecutor(1) as beside:  # load models while the store opens: both mostly wait for the disk
                models = beside.submit(load_models, settings, embedder)
                self.store = open_store(settings, embedder.embed, publisher_of) if with_store else None
                if self.store:
                    _seed(self.store, progress, settings.starter)
            self.verifier = build_verifier(
                settings, self.store, models.result(), publisher_of, metrics, self.lists.preferred
            )
        self.log = _pruned_log(settings)
        self._count_records()

    def verify(self, claim: str, given: Sequence[NewEvidence] | None = None, web: bool = True) -> VerificationResult:
        """Check a claim to its end; see `Verifier.stream` for the errors raised."""
        from verifier.check.trace import run_to_end

        return run_to_end(self.stream(claim, web, given))

    def stream(
        self,
        claim: str,
        web: bool = True,
        given: Sequence[NewEvidence] | None = None,
        verifier: Verifier | None = None,
    ) -> Generator[Step, None, VerificationResult]:
        """Check a claim step by step, then count and log it; see `Verifier.stream`.

        `verifier` replaces the checker's own.
        """
        start = time.perf_counter()
        with self._metrics.failures() if self._metrics else nullcontext():
            result = self.logged((yield from (verifier or self.verifier).stream(claim, web, given)))
        if self._metrics:
            self._metrics.check_done(result, time.perf_counter() - start)
            self._count_records()
        return result

    def replay(self, claim: str, as_of: str, verifier: Verifier | None = None) -> VerificationResult:
        """Check a claim against an earlier state of the store.

        Today's models and lists are used, without the web or a log entry.

        Args:
            claim: what a person typed.
            as_of: the number of a store version, or a date or time in ISO form; see `EvidenceStore.as_of`.
            verifier: replaces the checker's own.

        Raises:
            InputError: the text is not a claim, or there is no such version.
            ModelError: a model failed.
            StoreError: the store cannot be read, or there is none.
        """
        if self.store is None:
            raise StoreError("there is no store to go back in; leave --evidence or --as-of out")
        past = self.store.as_of(as_of)
        result = (verifier or self.verifier).verify(claim, web=False, as_of=past)
        told = f"judged by the store as it was on {past.kept.at:%Y-%m-%d %H:%M} UTC, version {past.version}"
        return replace(result, warnings=(*result.warnings, told))

    def logged(self, result: VerificationResult) -> VerificationResult:
        """Log a result; if that fails, add a warning to it.

        On a public server no warning names a path.
        """
        try:
            if self.log:
                self.log.append(result)
        except StoreError as exc:
            _LOG.warning("a check was not logged: %s", exc)
            result = replace(result, warnings=(*result.warnings, str(exc)))
        if not self.settings.public:
            return result
        return replace(result, warnings=tuple(public(warning) for warning in result.warnings))

    def _count_records(self) -> None:
        """Count the store's records now, so that reading the metrics never waits for the store."""
        if self._metrics and self.store:
            try:
                self._metrics.records(self.store.count())
            except StoreError:
                return  # keep the last count; the next check reports the error itself

    def article(self, url: str) -> Article:
        """List the sentences of the article at `url` that can be checked.

        Raises:
            FetchError: the page cannot be fetched.
            InputError: it is not an article, nothing in it can be checked by itself, or the web is switched off.
            ModelError: a model failed.
        """
        from verifier.check.article import read_article

        return read_article(url, self._loader(url), self.verifier.claim_type)

    def page(self, url: str) -> Page:
        """Fetch the article at `url`, with all checks of the fetcher.

        Raises:
            FetchError: the page cannot be fetched.
            InputError: the web is switched off.
        """
        return self._loader(url)(url, self.settings.search.deadline)

    def _loader(self, url: str) -> Callable[[str, float], Page]:
        from verifier.build import PageLoader
        from verifier.check.article import refuse_offline

        refuse_offline(url, self.settings.web)
        self._page_loader = self._page_loader or PageLoader(self.settings.search)
        return self._page_loader

    def find_model(self) -> None:
        """Look for the instruct model again; the next check uses the one found.

        Raises:
            ModelError: the settings name one that is not on this machine.
        """
        from verifier.build import find_assistant

        self.verifier.assistant = find_assistant(self.settings)

    def close(self) -> None:
        """Write the store's pending notes and close every connection; a later check opens new ones.

        What cannot be written is logged, because no verdict depends on it.
        """
        with ExitStack() as stack:  # closes each one, even if another raises
            for opened in (self._page_loader, self.verifier.search):
                if opened:
                    stack.callback(opened.close)
            if self.store:
                try:
                    self.store.close()
                except StoreError as exc:
                    _LOG.warning("which records the last checks used was not noted: %s", exc)

    def __enter__(self) -> Self:
        """Return the checker itself, which the block's end closes, even after an error."""
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector while libraries are imported.

    They make a million objects that stay, and scanning them costs a second.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _domain_lists(settings: Settings) -> DomainLists:
    """Return the user's domain lists; log each line that cannot be used."""
    from kb.publishers.lists import DomainLists

    lists = DomainLists(settings.domains_path)
    for bad in lists.problems():
        _LOG.warning("%s, line %d: %s; this line is skipped", settings.domains_path, bad.line, bad.reason)
    return lists


def _seed(store: EvidenceStore, progress: Progress, starter: bool) -> None:
    """Add the missing starter facts.

    A store with records that cannot be written is used as it is.

    Raises:
        StoreError: the store is empty and cannot be written.
    """
    from kb.starter.seed import seed

    try:
        seed(store, progress, starter)
    except StoreError as exc:
        if not store.count():
            raise
        _LOG.warning("the starter facts that are missing were not added: %s", exc)


def _pruned_log(settings: Settings) -> VerificationLog | None:
    """Return the log without entries that are too old; None if no log is kept."""
    if not settings.log:
        return None
    log = VerificationLog(settings.log_path, settings.log_days)
    try:
        log.prune()
    except StoreError as exc:  # each check reports this too, and still runs
        _LOG.warning("old checks stay in the log: %s", exc)
    return log
