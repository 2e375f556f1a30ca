"""Run upkeep jobs while the app runs.

They are a news refresh, if it is switched on, and the daily removal of expired records. One daemon thread runs the jobs
one after the other. A file next to the store says when each last ran. So several processes with one store share the
work, and a restart does not repeat it. A failure is logged in one line. The job is tried again after five minutes, then
ten, then twenty, and at the latest when it would have been due anyway.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errors import RefreshBusy, RefreshStopped, VerifierError
from kb.upkeep.job_state import JobFile

LOG = logging.getLogger(__name__)

Stopped = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Pace:
    """The timing of jobs.

    `settle`: the wait after the start, so that the first checks find an idle machine.
    `jitter`: a job runs later by up to this share of its period, so that copies do not ask a feed in the same minute.
    `busy`: how long to leave a job to another process that is doing it.
    """

    settle: timedelta = timedelta(minutes=1)
    jitter: float = 0.05
    backoff: timedelta = timedelta(minutes=5)
    busy: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Job:
    """A job to repeat.

    `run` returns one line that says what it did, and records itself in `state`.
    """

    name: str
    every: timedelta
    state: JobFile
    run: Callable[[Stopped], str]


@dataclass(frozen=True, slots=True)
class JobStatus:
    """The times (UTC) when a job last succeeded and is next due.

    `error` is that of the last attempt, "" if it succeeded.
    """

    name: str
    last: datetime | None
    next: datetime
    error: str


class Scheduler:
    """Runs jobs in its own daemon thread, from `start` to `stop`."""

    def __init__(self, jobs: Sequence[Job], pace: Pace | None = None, seed: int | None = None) -> None:
        """Take the jobs and their pace; `seed` makes the jitter repeatable, for tests."""
        self._jobs, self._pace = tuple(jobs), pace or Pace()
        self._chance = random.Random(seed)  # noqa: S311
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._began = datetime.now(UTC)
        self._late = {job.name: self._chance.random() * self._pace.jitter * job.every for job in jobs}
        self._not_before: dict[str, datetime] = {}

    def start(self) -> None:
        """Start. Nothing runs until the pace's `settle` has passed."""
        if self._jobs and self._thread is None:
            self._began = datetime.now(UTC)
            self._thread = threading.Thread(target=self._work, name="upkeep", daemon=True)
            self._thread.start()

    def stop(self, seconds: float = 5.0) -> None:
        """Stop the running job, start no other, and wait at most `seconds` for it.

        What the job had not swapped in is lost.
        """
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def status(self) -> tuple[JobStatus, ...]:
        """Report on all jobs."""
        return tuple(
            JobStatus(job.name, state.succeeded_at, self._due(job), state.error if state.failures else "")
            for job in self._jobs
            for state in (job.state.load(),)
        )

    def _due(self, job: Job) -> datetime:
        """Compute when a job is next due; the files say what other processes did."""
        state, soonest = job.state.load(), self._began + self._pace.settle
        due = soonest
        if state.failures and state.attempted_at:
            waits = self._pace.backoff * 2 ** min(state.failures - 1, 20)
            due = state.attempted_at + min(waits, job.every)
        elif state.succeeded_at:
            due = state.succeeded_at + job.every
        return max(due + self._late[job.name], soonest, self._not_before.get(job.name, soonest))

    def _work(self) -> None:
        while not self._stop.is_set():
            due = {job.name: self._due(job) for job in self._jobs}
            job = min(self._jobs, key=lambda job: due[job.name])
            wait = (due[job.name] - datetime.now(UTC)).total_seconds()
            if wait > 0:  # at most a minute: the clock may be changed, and another process may do the job
                self._stop.wait(min(wait, 60.0))
            else:
                self._run(job)

    def _run(self, job: Job) -> None:
        """Run a job once; if it fails, the app goes on and retries later."""
        self._late[job.name] = self._chance.random() * self._pace.jitter * job.every
        began, pause = datetime.now(UTC), self._pace.backoff
        try:
            LOG.info("%s: %s", job.name, job.run(self._stop.is_set))
            pause = job.every
        except RefreshStopped:
            return
        except RefreshBusy:
            pause = self._pace.busy
        except (VerifierError, OSError, RuntimeError, ValueError) as exc:
            LOG.warning("%s failed and will be tried again: %s", job.name, " ".join(str(exc).split())[:500])
        noted = job.state.load().attempted_at
        if noted is None or noted < began:  # an unwritten state would make the job run again and again
            self._not_before[job.name] = datetime.now(UTC) + pause
