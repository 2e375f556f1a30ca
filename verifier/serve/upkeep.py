"""Make the jobs that look after the store while the app runs: refreshes, and the removal of expired records."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from errors import StoreError
from kb.publishers.lists import DomainLists
from kb.store.evidence_store import EvidenceStore
from kb.upkeep.job_state import JobFile
from kb.upkeep.refresh import Refresh
from kb.upkeep.retention import prune_expired
from verifier.build import build_refresh, upkeep_folder
from verifier.serve.scheduler import Job, Scheduler
from verifier.settings import Settings


def build_scheduler(settings: Settings, store: EvidenceStore, lists: DomainLists) -> Scheduler:
    """Schedule the removal of expired records, and refreshes where they are switched on."""
    folder = upkeep_folder(settings)
    jobs = [Job("prune", timedelta(days=1), JobFile(folder, "prune"), lambda stopped: _prune(store, folder))]
    providers, upkeep = settings.search.providers, settings.upkeep
    if upkeep.refresh_hours and settings.web and (providers.feeds or upkeep.topics):
        refresh = build_refresh(settings, store, lists.publisher_of, lists.preferred)
        every = timedelta(hours=upkeep.refresh_hours)
        jobs.append(Job("refresh", every, refresh.state, lambda stopped: _refreshed(refresh, stopped)))
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


def _refreshed(refresh: Refresh, stopped: Callable[[], bool]) -> str:
    report = refresh.run(stopped=stopped)
    failed = [source.name for source in report.sources if source.failed]
    unread = f"; {len(failed)} of {len(report.sources)} could not be read" if failed else ""
    marked = len(report.works.retracted)
    unread += f"; {marked} works marked as retracted" * bool(marked)
    return f"{report.added} records added and {report.expired} removed{unread}"
