"""Serve checks to many visitors, with turns, metrics and store upkeep.

The Checker loads in the background.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors import VerifierError
from verifier.report.public import public
from verifier.serve.checker import Checker
from verifier.serve.turns import ServiceTurns
from verifier.settings import Settings

if TYPE_CHECKING:
    from verifier.serve.metrics import Metrics
    from verifier.serve.scheduler import JobStatus, Scheduler

WATCHER = "watched claims"
"""Visitor name under which watched claims take turns."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the service: "loading", "ok" or "failed" (then `error` says why)."""

    status: str
    kb_size: int = 0
    error: str = ""
    upkeep: tuple[JobStatus, ...] = ()
    """Last and next runs of the store's upkeep jobs; empty before the models are loaded."""


class Service:
    """A Checker that loads in the background, so that the page appears at once."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings. Loads nothing before `start`."""
        self.settings = settings
        self.metrics = _metrics(settings)
        self.turns = ServiceTurns()
        self._ready, self._lock, self._closed = threading.Event(), threading.Lock(), False
        self._checker: Checker | None = None
        self._error: VerifierError | None = None
        self._scheduler: Scheduler | None = None

    def start(self) -> None:
        """Start loading in another thread."""
        threading.Thread(target=self._load, name="load models", daemon=True).start()

    def _load(self) -> None:
        try:
            checker = Checker(self.settings, metrics=self.metrics)
            with self._lock:
                if self._closed:  # closed while it was loading
                    checker.close()
                    return
                self._checker, self._scheduler = checker, _scheduler(checker, self.turns)
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
        """Return the checker, once it is loaded.

        Raises:
            VerifierError: loading failed; the error says why.
        """
        self._ready.wait()
        if self._checker is None:
            raise self._error or VerifierError("the models could not be loaded; the log of the process says why")
        return self._checker

    def search_engines(self) -> tuple[str, ...]:
        """Return the names of the engines that claims may go to, in asking order.

        There are none if the web is off.
        """
        from verifier.search.engines.providers import configured

        return tuple(p.name for p in configured(self.settings.search)) if self.settings.web else ()

    def health(self) -> Health:
        """Return the state of the service; never waits, never raises."""
        if self.loading:
            return Health("loading")
        try:
            store = self.checker().store
            upkeep = self._scheduler.status() if self._scheduler else ()
            return Health("ok", store.count() if store else 0, upkeep=upkeep)
        except VerifierError as exc:
            return Health("failed", error=str(exc))

    def close(self) -> None:
        """Stop the upkeep and close the checker, at the end of the process."""
        with self._lock:
            self._closed = True
        if self._scheduler:
            self._scheduler.stop()
        if self._checker:
            self._checker.close()


def _metrics(settings: Settings) -> Metrics | None:
    if not settings.metrics:
        return None
    from verifier.serve.metrics import Metrics

    return Metrics()


def _scheduler(checker: Checker, turns: ServiceTurns) -> Scheduler:
    """Make the scheduler for the store's upkeep, not yet started.

    Watched claims take turns with batch rows.
    """
    from verifier.serve.scheduler import Scheduler
    from verifier.serve.upkeep import build_scheduler
    from verifier.serve.watching import Watching

    if checker.store is None:
        return Scheduler(())
    watching = Watching(checker, lambda: turns.rows.taken(WATCHER))
    return build_scheduler(checker.settings, checker.store, checker.lists, watching)
