"""Make the store's upkeep jobs for a running app.

They refresh the store, remove expired records and check watched claims.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from errors import RefreshStopped, StoreError, VerifierError
from kb.publishers.lists import DomainLists
from kb.store.evidence_store import EvidenceStore
from kb.upkeep.job_state import JobFile
from kb.upkeep.refresh import Refresh
from kb.upkeep.retention import prune_expired
from verifier.build import build_refresh, upkeep_folder
from verifier.serve.scheduler import Job, Scheduler
from verifier.serve.watching import LOOKS_EVERY, Watching
from verifier.settings import Settings

LOG = logging.getLogger(__name__)


def build_scheduler(
    settings: Settings, store: EvidenceStore, lists: DomainLists, watching: Watching | None = None
) -> Scheduler:
    """Schedule the removal of expired records, refreshes if switched on, and checks of watched claims.

    Without `watching`, no claim is checked.
    """
    folder = upkeep_folder(settings)
    jobs = [Job("prune", timedelta(days=1), JobFile(folder, "prune"), lambda stopped: _prune(store, folder))]
    providers, upkeep = settings.search.providers, settings.upkeep
    if upkeep.refresh_hours and settings.web and (providers.feeds or upkeep.topics):
        refresh = build_refresh(settings, store, lists.publisher_of, lists.preferred)
        every = timedelta(hours=upkeep.refresh_hours)
        jobs.append(Job("refresh", every, refresh.state, lambda stopped: _refreshed(refresh, watching, stopped)))
    if watching:
        jobs.append(Job("watch", LOOKS_EVERY, watching.state, lambda stopped: watching.run(stopped=stopped).told))
    return Scheduler(jobs)


def _prune(store: EvidenceStore, folder: Path) -> str:
    state = JobFile(folder, "prune")
    with state.alone():
        try:
            removed = prune_expired(store.uri)
        except StoreError as exc:
            state.failed(str(exc))
            raise
        state.succeeded()
    return f"{removed} expired records removed"


def _refreshed(refresh: Refresh, watching: Watching | None, stopped: Callable[[], bool]) -> str:
    report = refresh.run(stopped=stopped)
    watched = _watched(watching, stopped) if watching else ""
    failed = [source.name for source in report.sources if source.failed]
    unread = f"; {len(failed)} of {len(report.sources)} could not be read" if failed else ""
    marked = len(report.works.retracted)
    unread += f"; {marked} works marked as retracted" * bool(marked)
    return f"{report.added} records added and {report.expired} removed{unread}{watched}"


def _watched(watching: Watching, stopped: Callable[[], bool]) -> str:
    """Check the watched claims after a refresh.

    Failures are left to the next run, because the refresh itself has succeeded.
    """
    try:
        return f"; {watching.run(datetime.now(UTC), stopped).told}"
    except RefreshStopped:
        return ""
    except VerifierError as exc:
        LOG.warning("the watched claims were not checked after a refresh, and will be later: %s", exc)
        return ""
