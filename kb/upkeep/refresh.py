"""Refresh the news: read the sources, stage what is new, check it, swap it in.

The swap is one commit. Until then the store is as it was, whatever fails: the network, the disk, a model, the process
itself. A refresh that brings far less than the last one from the same places is refused: a half-broken feed looks just
like that.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from errors import RefreshBusy, RefreshError, RefreshStopped, StoreError, VerifierError
from kb.intake.addresses import Web
from kb.store.evidence_store import EvidenceStore
from kb.store.staging import Staging, Swapped
from kb.upkeep.job_state import JobFile, JobState
from kb.upkeep.news import Brought, NewsSource, Stopped
from kb.upkeep.retractions import RetractionsOf, WorksReport, recheck
from kb.upkeep.revisit import Revisit, revisit

LOG = logging.getLogger(__name__)
_BATCH = 128
"""Texts staged at a time. From this many on they are embedded together, several times as fast as one by one."""
_AT_ONCE = 4

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RefreshPolicy:
    """When the result of a refresh is accepted.

    `min_texts`: fewer texts, including those already stored, are no refresh. `min_share`: nor is less than this share
    of the last refresh from the same places. `max_texts`: more are not taken.
    """

    min_texts: int = 5
    min_share: float = 0.5
    max_texts: int = 20_000


@dataclass(frozen=True, slots=True)
class SourceReport:
    """The result for one source: texts, pages that the store had, and problems."""

    name: str
    texts: int
    pages_known: int
    failed: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh did or, as a dry run, would do.

    `brought` counts texts, including those of pages that the store had; `staged` those that are new to it. `added` and
    `expired` are records added and removed in the swap. `denied` were left out by the user's list. `revisit` is the
    result for pages stored earlier, `works` for works with a DOI.
    """

    sources: tuple[SourceReport, ...]
    brought: int
    staged: int
    denied: int
    added: int
    expired: int
    seconds: float
    dry_run: bool
    works: WorksReport = WorksReport()
    revisit: Revisit = Revisit()


@dataclass(frozen=True, slots=True)
class Refresh:
    """One refresh, ready to run: where its texts come from, and when they are accepted.

    `state` remembers what the last one brought, and keeps a second one from running at the same time. `retractions_of`
    says which works in the store were retracted, and `web` reads pages stored earlier again; without them, they stay.
    """

    store: EvidenceStore
    sources: Sequence[NewsSource]
    state: JobFile
    policy: RefreshPolicy = RefreshPolicy()
    retractions_of: RetractionsOf | None = None
    web: Web | None = None

    def run(
        self,
        force: bool = False,
        dry_run: bool = False,
        stopped: Stopped = lambda: False,
        progress: Progress = lambda done, total: None,
    ) -> RefreshReport:
        """Run the refresh.

        Args:
            force: accept what was brought, however little. Damaged rows are still refused.
            dry_run: read, stage and check, and leave the store as it is.
            stopped: says when to give up.
            progress: receives (done, total), in sources and then in texts.

        Raises:
            RefreshError: it was given up, and says why; the store is as it was.
            StoreError: the store cannot be read or written; only what the one commit wrote is there.
            ModelError: a text could not be embedded; the store is as it was.
        """
        with self.state.alone():
            works = self._recheck(stopped, dry_run)
            if not self.sources:
                return self._without_news(works, stopped, dry_run)
            try:
                report = replace(self._run(force, dry_run, stopped, progress), works=works)
            except RefreshStopped:
                raise
            except VerifierError as exc:
                reason = str(exc)
                if not dry_run:
                    self._note(lambda: self.state.failed(reason))
                raise
            if not dry_run:
                self._note(lambda: self.state.succeeded(report.brought, self._places()))
            return report

    def _recheck(self, stopped: Stopped, dry_run: bool) -> WorksReport:
        return recheck(self.store.uri, self.retractions_of, stopped, dry_run) if self.retractions_of else WorksReport()

    def _without_news(self, works: WorksReport, stopped: Stopped, dry_run: bool) -> RefreshReport:
        """Check stored pages again.

        The run is not recorded, since it does not measure what feeds bring.

        Raises:
            RefreshError: nothing is stored that could be checked.
        """
        started = time.monotonic()
        if not works.works and not (self.web and self.store.pages.due(datetime.now(UTC), 1)):
            raise RefreshError(
                "there is nothing to refresh from: set VERIFIER_FEEDS or VERIFIER_TOPICS, or give --feeds; "
                "and nothing in the store is from a page of the web that could be looked at again"
            )
        again = self._look_again(stopped, dry_run)
        return RefreshReport((), 0, 0, 0, 0, 0, round(time.monotonic() - started, 1), dry_run, works, again)

    def _look_again(self, stopped: Stopped, dry_run: bool) -> Revisit:
        return revisit(self.store.pages, self.web, stopped, dry_run) if self.web else Revisit()

    def _run(self, force: bool, dry_run: bool, stopped: Stopped, progress: Progress) -> RefreshReport:
        started = time.monotonic()
        pages = self.store.pages.known()
        found = self._read(pages, stopped, progress)
        if all(brought.failed for brought in found):
            reasons = "; ".join(problem for brought in found for problem in brought.problems[:1])
            raise RefreshError(f"nothing could be read, so the store is as it was: {reasons[:1_000]}")
        seen = sorted({key for brought in found for url in brought.seen for key in pages.get(url, ())})
        staging = self.store.staging()
        try:
            self._stage(staging, found, stopped, progress)
            staged = staging.count()
            told = len({*seen, *staging.known}) + staged
            self._check(staging, told, force)
            now = datetime.now(UTC)
            swapped = Swapped(staged, staging.due(seen, now)) if dry_run else staging.swap(seen, now)
            if not dry_run:
                self.store.renew(seen)
        finally:
            staging.drop()
        reports = tuple(
            SourceReport(source.name, len(brought.items), len(brought.seen), brought.failed, brought.problems)
            for source, brought in zip(self.sources, found, strict=True)
        )
        again = self._look_again(stopped, dry_run)
        seconds = round(time.monotonic() - started, 1)
        counts = (told, staged, staging.denied, swapped.added, swapped.expired)
        return RefreshReport(reports, *counts, seconds, dry_run, revisit=again)

    def _read(self, pages: dict[str, list[str]], stopped: Stopped, progress: Progress) -> list[Brought]:
        """Read all sources, a few at a time; results stay in their order."""
        with ThreadPoolExecutor(_AT_ONCE, "refresh") as pool:
            futures = [pool.submit(source.read, pages.__contains__, stopped) for source in self.sources]
            found = []
            for done, future in enumerate(futures, start=1):
                found.append(future.result())
                progress(done, len(futures))
        return found

    def _stage(self, staging: Staging, found: Sequence[Brought], stopped: Stopped, progress: Progress) -> None:
        items = [item for brought in found for item in brought.items]
        if len(items) > self.policy.max_texts:
            raise RefreshError(
                f"{len(items):,} texts were brought, and at most {self.policy.max_texts:,} are taken at once; name fewer feeds"
            )
        for start in range(0, len(items), _BATCH):
            if stopped():
                raise RefreshStopped("the refresh was stopped; the store is as it was")
            staging.put(items[start : start + _BATCH])
            progress(min(start + _BATCH, len(items)), len(items))

    def _check(self, staging: Staging, told: int, force: bool) -> None:
        """Check what is staged.

        Raises:
            RefreshError: it is damaged, or implausibly little.
        """
        problems = staging.problems()
        if problems:
            raise RefreshError(f"the staged texts cannot go into the store, which is as it was: {'; '.join(problems)}")
        last = self.state.load()
        wanted = self.policy.min_texts
        if last.sources == self._places():
            wanted = max(wanted, int(last.brought * self.policy.min_share))
        if told < wanted and not force:
            raise RefreshError(
                f"{told} texts were brought, and at least {wanted} are expected{_of(last, wanted)}; the store is as it was; "
                "if it is right: python -m kb refresh --force"
            )

    def _places(self) -> str:
        """Hash the places that are asked: figures from other places say nothing about these."""
        return hashlib.sha256("\n".join(sorted(source.name for source in self.sources)).encode()).hexdigest()[:16]

    def _note(self, write: Callable[[], None]) -> None:
        """Write the state.

        The refresh is over by then, so a state that cannot be written does not undo it.
        """
        try:
            write()
        except StoreError as exc:
            LOG.warning("%s", exc)


def _of(last: JobState, wanted: int) -> str:
    return f" (the last refresh from there brought {last.brought})" if last.brought and wanted else ""


__all__ = ["Refresh", "RefreshBusy", "RefreshPolicy", "RefreshReport", "SourceReport"]
