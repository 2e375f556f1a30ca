"""Check due watched claims again, two at once.

Changes are noted with their reasons; a failure changes no verdict. No one asked for such a check now. So it is
neither counted nor logged, unless it is the first for its claim or changed something.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from errors import RefreshStopped, VerifierError
from kb.upkeep.job_state import JobFile
from verifier.build import upkeep_folder
from verifier.evidence.uncounted import Uncounted
from verifier.history.change import change_to_text
from verifier.history.watch import WatchList
from verifier.history.watched import Watched, standing_of
from verifier.history.why import Change, why_now
from verifier.schema import Status, Verdict, VerificationResult
from verifier.serve.readings import Readings, models_in_use
from verifier.settings import Settings

if TYPE_CHECKING:
    from verifier.check.pipeline import Verifier
    from verifier.serve.checker import Checker

LOOKS_EVERY = timedelta(hours=1)
"""How often a running app looks for claims that are due."""
AT_ONCE = 2
"""Claims checked at once, as in a whole text."""
_A_TURN = 8
"""Claims checked in one turn."""
_OPEN = {Verdict.NOT_ENOUGH_EVIDENCE, Verdict.NOT_VERIFIABLE}


@dataclass(frozen=True, slots=True)
class Failed:
    """A claim that could not be checked again, and why."""

    watched: Watched
    reason: str


@dataclass(frozen=True, slots=True)
class WatchReport:
    """The outcome of a run: claims checked, what changed, and what could not be checked."""

    checked: int = 0
    changes: tuple[Change, ...] = ()
    failed: tuple[Failed, ...] = ()

    @property
    def told(self) -> str:
        """The report in one line."""
        return f"{self.checked} watched claims checked, {len(self.changes)} changed, {len(self.failed)} could not be checked"


@dataclass(frozen=True, slots=True)
class _Checked:
    """A check of a watched claim, its start time, and what it changed, if anything."""

    watched: Watched
    began: datetime
    result: VerificationResult
    change: Change | None


@dataclass(frozen=True, slots=True)
class Watching:
    """Checks the watched claims of a store.

    A few claims at a time wait for a `turn`.
    """

    checker: Checker
    turn: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def watch_list(self) -> WatchList:
        """The watch list."""
        return WatchList(self.checker.settings.watch_path)

    @property
    def state(self) -> JobFile:
        """The file that records the last run and lets one process run at a time."""
        return JobFile(upkeep_folder(self.checker.settings), "watch")

    def run(
        self,
        refreshed: datetime | None = None,
        stopped: Callable[[], bool] = lambda: False,
        tick: Callable[[], None] = lambda: None,
    ) -> WatchReport:
        """Check every claim that is due.

        Args:
            refreshed: when the store was refreshed; by default when a refresh last brought news.
            stopped: says when to give up; what was checked until then is noted.
            tick: called after every claim.

        Raises:
            RefreshBusy: another process is checking the watched claims.
            RefreshStopped: `stopped` said so.
            StoreError: the list cannot be read or written.
        """
        with self.state.alone():
            due = due_claims(self.checker.settings, refreshed)
            with self._reading(len(due) == len(self.watch_list.all())) as verifier:
                report = self._checked(due, verifier, stopped, tick)
            self.state.succeeded(report.checked)
        return report

    def check(self, watched: Watched) -> WatchReport:
        """Check one claim now, due or not.

        Raises:
            RefreshBusy: another process is checking the watched claims.
            StoreError: the list cannot be read or written.
        """
        with self.state.alone(), self._reading(False) as verifier:
            return self._checked([watched], verifier, lambda: False, lambda: None)

    @contextmanager
    def _reading(self, whole: bool) -> Iterator[Verifier]:
        """Make a verifier that reads only texts that no earlier run has read.

        With `whole`, all claims are checked, so only the readings they use are kept.
        """
        settings, verifier = self.checker.settings, self.checker.verifier
        kept = Readings(settings.watch_path.with_suffix(".readings.json"), models_in_use(settings))
        try:
            store = Uncounted(self.checker.store) if self.checker.store else None
            yield verifier.over(kept.over(verifier.models), store)
        except BaseException:
            whole = False
            raise
        finally:
            kept.save(whole)

    def _checked(
        self, due: Sequence[Watched], verifier: Verifier, stopped: Callable[[], bool], tick: Callable[[], None]
    ) -> WatchReport:
        changes: list[Change] = []
        failed: list[Failed] = []
        for start in range(0, len(due), _A_TURN):
            side_by_side = self._side_by_side(due[start : start + _A_TURN], verifier)
            with self.turn(), closing(side_by_side) as found:
                for one in found:
                    if isinstance(one, Failed):
                        self.watch_list.failed(one.watched, one.reason)
                        failed.append(one)
                    elif self._noted(one) and one.change:
                        changes.append(one.change)
                    tick()
                    if stopped():
                        raise RefreshStopped("the checks of watched claims were stopped; what was checked is noted")
        return WatchReport(len(due) - len(failed), tuple(changes), tuple(failed))

    def _side_by_side(self, claims: Sequence[Watched], verifier: Verifier) -> Generator[_Checked | Failed, None, None]:
        """Check claims, a few at once.

        Closing it waits for running checks and starts no other.
        """
        pool = ThreadPoolExecutor(AT_ONCE, "watched claim")
        try:
            yield from pool.map(lambda watched: self._again(watched, verifier), claims)
        finally:
            pool.shutdown(cancel_futures=True)

    def _again(self, watched: Watched, verifier: Verifier) -> _Checked | Failed:
        """Check a claim, and explain the change if the result differs from its last check."""
        began = datetime.now(UTC)
        try:
            new = verifier.verify(watched.claim, web=watched.web)
            reason = _unusable(watched, new)
            if reason:
                return Failed(watched, reason)
            change = None
            if watched.standing is not None and watched.standing.differs(standing_of(new)):
                old = self.watch_list.last_result(watched.number)
                change = why_now(old, new, self.checker, verifier) if old else None
            return _Checked(watched, began, new, change)
        except VerifierError as exc:
            return Failed(watched, " ".join(str(exc).split()))

    def _noted(self, one: _Checked) -> bool:
        told = change_to_text(one.change) if one.change else None
        noted = self.watch_list.note(one.watched, one.result, one.began, told)
        if noted and (one.change or one.watched.standing is None):
            self.checker.logged(one.result)
        return noted


def due_claims(settings: Settings, refreshed: datetime | None = None) -> list[Watched]:
    """List the claims that are due, those first that have waited longest; see `Watching.run`.

    Raises:
        StoreError: the list cannot be read.
    """
    refreshed = refreshed or JobFile(upkeep_folder(settings), "refresh").load().succeeded_at
    now = datetime.now(UTC)
    due = (watched for watched in WatchList(settings.watch_path).all() if watched.due(now, refreshed))
    return sorted(due, key=lambda watched: watched.looked_at or watched.since)


def _unusable(watched: Watched, new: VerificationResult) -> str:
    """Say why a check cannot replace the last one; "" if it can.

    A decided claim is not reopened because the web, which its user allows, did not answer: that says nothing about the
    evidence.
    """
    if new.status is Status.DEGRADED:
        return "the citations of the new verdict did not hold, so it was withdrawn"
    decided = watched.standing is not None and watched.standing.verdict not in _OPEN
    if decided and watched.web and new.verdict is Verdict.NOT_ENOUGH_EVIDENCE and new.missing and new.missing.askable:
        return f"the web did not answer, so the last verdict stands. {new.missing.told}"
    return ""
