"""E12: upkeep in the background: what is due runs, failures come again later, and nothing outlives the app."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errors import FetchError, RefreshBusy, RefreshStopped
from kb.publishers.lists import DomainLists
from kb.upkeep.job_state import JobFile
from tests.kb.upkeep.refreshing import kept, news
from verifier.build import upkeep_folder
from verifier.serve.scheduler import Job, Pace, Scheduler, Stopped
from verifier.serve.upkeep import build_scheduler
from verifier.settings import Settings, UpkeepSettings

AT_ONCE = Pace(settle=timedelta(0), jitter=0)
DAY = timedelta(days=1)


def _until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)


def _write(state: JobFile, folder: Path, **times: datetime) -> None:
    state.succeeded()
    path = folder / "work.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: str(at) for name, at in times.items()}))


def test_a_job_runs_once_and_then_waits_for_its_time(tmp_path: Path) -> None:
    state, ran = JobFile(tmp_path, "work"), []

    def work(stopped: Stopped) -> str:
        ran.append(1)
        state.succeeded()
        return "done"

    scheduler = Scheduler([Job("work", DAY, state, work)], AT_ONCE)
    assert scheduler.status()[0].last is None
    scheduler.start()
    _until(lambda: bool(ran) and state.load().succeeded_at is not None)
    time.sleep(0.2)
    scheduler.stop()
    status = scheduler.status()[0]
    assert ran == [1] and status.last is not None and status.error == ""
    assert status.next == status.last + DAY


def test_a_restart_does_not_repeat_what_another_process_did(tmp_path: Path) -> None:
    state = JobFile(tmp_path, "work")
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    _write(state, tmp_path, attempted_at=an_hour_ago, succeeded_at=an_hour_ago)
    scheduler = Scheduler([Job("work", DAY, state, lambda stopped: pytest.fail("it ran"))], AT_ONCE)
    scheduler.start()
    time.sleep(0.2)
    scheduler.stop()
    assert scheduler.status()[0].next == an_hour_ago + DAY


@pytest.mark.parametrize(("failures", "minutes"), [(1, 5), (2, 10), (4, 40), (30, 24 * 60)])
def test_each_failure_doubles_the_wait_up_to_the_period(tmp_path: Path, failures: int, minutes: int) -> None:
    state = JobFile(tmp_path, "work")
    for _ in range(failures):
        state.failed("no network")
    scheduler = Scheduler([Job("work", DAY, state, lambda stopped: "")], AT_ONCE)
    attempted = state.load().attempted_at
    assert attempted is not None
    assert scheduler.status()[0].next == attempted + timedelta(minutes=minutes)
    assert scheduler.status()[0].error == "no network"


@pytest.mark.parametrize("error", [FetchError("no network"), OSError("no space"), ValueError("odd")])
def test_a_failure_is_a_line_in_the_log_and_no_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    bad, good, ran = JobFile(tmp_path, "bad"), JobFile(tmp_path, "good"), threading.Event()

    def fail(stopped: Stopped) -> str:
        raise error

    def work(stopped: Stopped) -> str:
        good.succeeded()
        ran.set()
        return "done"

    with caplog.at_level(logging.WARNING):
        scheduler = Scheduler([Job("bad", DAY, bad, fail), Job("good", DAY, good, work)], AT_ONCE)
        scheduler.start()
        assert ran.wait(60)
        _until(lambda: len(caplog.records) > 0)
        time.sleep(0.1)
        scheduler.stop()
    assert [record.getMessage() for record in caplog.records] == [f"bad failed and will be tried again: {error}"]
    assert scheduler.status()[0].next > datetime.now(UTC) + timedelta(minutes=4)  # though its state was not written


def test_a_job_that_another_process_is_at_is_left_to_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    state, tries = JobFile(tmp_path, "work"), []

    def busy(stopped: Stopped) -> str:
        tries.append(1)
        raise RefreshBusy("another process is at it")

    scheduler = Scheduler([Job("work", DAY, state, busy)], AT_ONCE)
    scheduler.start()
    _until(lambda: bool(tries))
    time.sleep(0.1)
    scheduler.stop()
    assert tries == [1] and not caplog.records


def test_stopping_tells_the_running_job_and_waits_for_it(tmp_path: Path) -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(stopped: Stopped) -> str:
        begun.set()
        while not stopped():
            time.sleep(0.01)
        ended.set()
        raise RefreshStopped("stopped")

    others = set(threading.enumerate())  # a service of other tests has a scheduler too
    scheduler = Scheduler([Job("work", DAY, JobFile(tmp_path, "work"), work)], AT_ONCE)
    scheduler.start()
    assert begun.wait(60)
    scheduler.stop()
    assert ended.is_set() and "upkeep" not in {thread.name for thread in set(threading.enumerate()) - others}


def test_jitter_makes_a_job_later_and_never_by_more_than_its_share(tmp_path: Path) -> None:
    def due(seed: int) -> float:
        job = Job("work", DAY, state, lambda stopped: "")
        return (Scheduler([job], Pace(timedelta(0), jitter=0.05), seed).status()[0].next - now).total_seconds()

    state, now = JobFile(tmp_path, "work"), datetime.now(UTC)
    _write(state, tmp_path, succeeded_at=now, attempted_at=now)
    later = [due(seed) - 86_400 for seed in range(50)]
    assert 0 <= min(later) < 1_000 and 3_000 < max(later) <= 0.05 * 86_400


def test_nothing_runs_before_the_app_has_settled(tmp_path: Path) -> None:
    scheduler = Scheduler([Job("work", DAY, JobFile(tmp_path, "work"), lambda stopped: pytest.fail("it ran"))])
    scheduler.start()
    time.sleep(0.1)
    scheduler.stop()
    assert scheduler.status()[0].next > datetime.now(UTC) + timedelta(seconds=50)


def test_the_app_removes_what_has_expired_and_refreshes_only_where_that_is_on(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb", timedelta(milliseconds=1))
    store.add(list(news(1, 5)))
    off = Settings(kb_uri=store.uri, log_path=tmp_path / "log.jsonl")
    scheduler = build_scheduler(off, store, DomainLists(tmp_path / "domains.csv"))
    assert [job.name for job in scheduler.status()] == ["prune"]
    scheduler._jobs[0].run(lambda: False)
    assert store.count() == 0 and scheduler.status()[0].last is not None
    on = replace(off, upkeep=UpkeepSettings(24, topics=("floods",)))
    names = [job.name for job in build_scheduler(on, store, DomainLists(tmp_path / "domains.csv")).status()]
    assert names == ["prune", "refresh"]
    assert [
        s.name for s in build_scheduler(replace(on, web=False), store, DomainLists(tmp_path / "d.csv")).status()
    ] == ["prune"]
    assert upkeep_folder(off) == tmp_path / "kb" / ".upkeep"
    assert upkeep_folder(replace(off, kb_uri="s3://bucket/kb")).parent == tmp_path
