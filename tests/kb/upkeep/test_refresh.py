"""E12: a refresh is all or nothing, for readers of other processes, for failures, and for SIGKILL."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errors import RefreshBusy, RefreshError, RefreshStopped, StoreError
from kb.record import Collection, Origin
from kb.store.evidence_store import EvidenceStore
from kb.store.place import connect
from kb.store.staging import STAGING
from kb.upkeep.job_state import JobFile, state_folder
from kb.upkeep.news import Brought, Known, Stopped
from kb.upkeep.refresh import RefreshPolicy
from tests.kb.stores import EMBEDDER, spread, statements
from tests.kb.upkeep.refreshing import KEEP, PORTION, Down, Texts, kept, news, refresh_of, titles

ROOT = Path(__file__).parents[3]


def _expire(store: EvidenceStore, where: str) -> None:
    past = "arrow_cast(cast('2020-01-01T00:00:00Z' as timestamp), 'Timestamp(Microsecond, Some(\"UTC\"))')"
    store._table.update(where=where, values_sql={"expires_at": past})


def test_news_of_the_web_get_an_end_and_nothing_else_does(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    item = news(1, 1)[0]
    kinds = {
        "web": item,
        "check": replace(item, text="A fact-checker calls it false.", origin=Origin.FACT_CHECK),
        "user": replace(item, text="The user's own note on the news.", origin=Origin.USER),
        "static": replace(item, text="Water boils at 100 degrees.", collection=Collection.STATIC),
        "pinned": replace(item, text="This piece of news is pinned.", pinned=True),
    }
    ids = store.add(list(kinds.values())).ids
    ends = {record.id: record.expires_at for record in store.get(ids)}
    found = {kind: ends[key] for kind, key in zip(kinds, ids, strict=True)}
    assert {kind for kind, end in found.items() if end} == {"web", "check"}
    assert found["web"] is not None
    assert abs(found["web"] - datetime.now(UTC) - KEEP) < timedelta(minutes=1)


def test_news_that_is_told_again_lives_on_and_what_a_user_adds_stays(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    told, adopted, old = store.add(list(news(1, 3))).ids
    _expire(store, "true")
    store.add([news(1, 3)[0], replace(news(1, 3)[1], origin=Origin.USER, pinned=True)])
    ends = {record.id: record for record in store.get([told, adopted, old])}
    assert ends[told].expires_at is not None and ends[told].expires_at > datetime.now(UTC)  # type: ignore[operator]
    assert ends[adopted].expires_at is None and ends[adopted].pinned
    assert ends[old].expires_at == datetime(2020, 1, 1, tzinfo=UTC)
    before = store.version
    store.add([news(1, 3)[0]])
    assert store.version == before  # nothing to lengthen: nothing is written


def test_a_refresh_brings_what_is_new_and_removes_what_has_expired_in_one_commit(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    store.add(statements(1, 2, 3))
    store.add(list(news(1, 10)))
    _expire(store, "title = 'run 1'")
    store._table.update(where="title = 'run 1' AND text LIKE '%town 1009%'", values={"pinned": True})
    before = store.version
    report = refresh_of(store, Texts(news(2, 10))).run()
    assert (report.added, report.expired, report.staged, report.brought) == (10, 9, 10, 10)
    assert store.version == before + 1
    assert Counter(titles(store)) == {"": 3, "run 2": 10, "run 1": 1}
    assert STAGING not in connect(store.uri).list_tables().tables


def test_what_is_told_again_stays_though_its_time_is_over(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    store.add(list(news(1, 10)))
    _expire(store, "title = 'run 1'")
    elsewhere = replace(news(1, 10)[0], source="https://another.example/the-same-words-there")
    report = refresh_of(store, Texts((elsewhere, *news(2, 9)))).run()
    assert (report.added, report.expired, report.brought) == (9, 9, 10)
    found = store.get(store.add([elsewhere]).ids)[0]
    assert "https://another.example/the-same-words-there" in found.source_urls and len(found.source_urls) == 2
    assert found.expires_at is not None and found.expires_at > datetime.now(UTC)


def test_the_same_words_from_two_feeds_are_one_record_with_both_addresses(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    there = tuple(replace(item, source=f"https://b.example/{n}-bridge") for n, item in enumerate(news(1, 300)))
    report = refresh_of(store, Texts(news(1, 300), "a"), Texts(there, "b")).run()
    assert (report.added, report.brought, store.count()) == (300, 300, 300)
    assert all(len(record.source_urls) == 2 for record in store.get(store.add(list(there)).ids))


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    store.add(list(news(1, 10)))
    _expire(store, "title = 'run 1'")
    before = store.version
    report = refresh_of(store, Texts(news(2, 10))).run(dry_run=True)
    assert (report.added, report.expired, report.dry_run) == (10, 10, True)
    assert store.version == before
    assert refresh_of(store, Texts(())).state.load().attempted_at is None


class _Wrong:
    """An embedder that goes wrong as told."""

    def __init__(self, how: str) -> None:
        self.how = how

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        vectors = spread(texts)
        if self.how == "nan":
            vectors[len(texts) // 2] = np.nan
        elif self.how == "long":
            vectors[-1] *= 3
        elif self.how == "zero":
            vectors[0] = 0
        return vectors


@pytest.mark.parametrize("how", ["nan", "long", "zero"])
def test_wrong_vectors_are_refused_even_by_force(tmp_path: Path, how: str) -> None:
    kept(tmp_path / "kb").add(statements(1, 2, 3))
    store = EvidenceStore(str(tmp_path / "kb"), _Wrong(how), EMBEDDER, keep=KEEP)  # type: ignore[arg-type]
    before = store.version
    with pytest.raises(RefreshError, match="1 vectors have a length other than 1"):
        refresh_of(store, Texts(news(2, 10))).run(force=True)
    assert store.version == before and STAGING not in connect(store.uri).list_tables().tables


@pytest.mark.parametrize(
    ("text", "reason"), [("", "empty"), ("  12 % ", "no letters"), ("word " * 500, "more than 2,000")]
)
def test_texts_that_are_none_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    store = kept(tmp_path / "kb")
    with pytest.raises(RefreshError, match=reason):
        refresh_of(store, Texts((*news(1, 10), replace(news(2, 1)[0], text=text)))).run()
    assert store.count() == 0


def test_far_less_than_last_time_is_refused_unless_forced(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    refresh_of(store, Texts(news(1, 40))).run()
    with pytest.raises(RefreshError, match=r"10 texts were brought, and at least 20 .* brought 40.*--force"):
        refresh_of(store, Texts(news(2, 10))).run()
    state = refresh_of(store, Texts(())).state.load()
    assert state.failures == 1 and state.brought == 40 and "at least 20" in state.error
    refresh_of(store, Texts(news(2, 10), "another place")).run()  # what others brought says nothing about it
    refresh_of(store, Texts(news(3, 10))).run(force=True)
    assert Counter(titles(store)) == {"run 1": 40, "run 2": 10, "run 3": 10}


def test_too_few_and_too_many_texts_are_refused(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    with pytest.raises(RefreshError, match="4 texts were brought, and at least 5"):
        refresh_of(store, Texts(news(1, 4))).run()
    with pytest.raises(RefreshError, match="11 texts were brought, and at most 10"):
        refresh_of(store, Texts(news(1, 11)), policy=RefreshPolicy(max_texts=10)).run()
    with pytest.raises(RefreshError, match="nothing to refresh from"):
        refresh_of(store).run()
    assert store.count() == 0


def test_one_source_may_fail_and_not_all(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    report = refresh_of(store, Down(), Texts(news(1, 10))).run()
    assert report.added == 10 and [source.failed for source in report.sources] == [True, False]
    with pytest.raises(RefreshError, match=r"nothing could be read.*down\.example"):
        refresh_of(store, Down(), Down("also down")).run(force=True)


def test_two_refreshes_of_one_store_do_not_run_at_once(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    with JobFile(state_folder(store.uri, tmp_path), "refresh").alone():
        with pytest.raises(RefreshBusy, match="another process"):
            refresh_of(store, Texts(news(1, 10))).run()
    assert refresh_of(store, Texts(news(1, 10))).run().added == 10


def test_a_stopped_refresh_leaves_the_store_and_is_no_failure(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")
    asked = iter([False, True, True])
    with pytest.raises(RefreshStopped):
        refresh_of(store, Texts(news(1, 300))).run(stopped=lambda: next(asked))
    assert store.count() == 0 and STAGING not in connect(store.uri).list_tables().tables
    assert refresh_of(store, Texts(())).state.load().failures == 0


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"attempted_at": 3}', "x" * 20_000, "\x00", '{"failures": "many"}']
)
def test_a_damaged_state_counts_as_none(tmp_path: Path, content: str) -> None:
    file = JobFile(tmp_path, "refresh")
    (tmp_path / "refresh.json").write_text(content)
    assert file.load().attempted_at is None
    file.failed("once more")
    assert file.load().failures == 1


def test_a_time_that_has_yet_to_come_counts_as_none(tmp_path: Path) -> None:
    file = JobFile(tmp_path, "refresh")
    file.succeeded(7, "here")
    path = tmp_path / "refresh.json"
    path.write_text(path.read_text().replace(str(datetime.now(UTC).year), "2999"))
    assert file.load().succeeded_at is None and file.load().brought == 7


@contextmanager
def _refreshing(uri: str) -> Iterator[subprocess.Popen[str]]:
    """A process that refreshes the store until it gets SIGKILL, at the end of the block at the latest."""
    command = [sys.executable, "-m", "tests.kb.upkeep.refreshing", uri]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def test_readers_see_whole_refreshes_and_a_kill_leaves_the_old_state(tmp_path: Path) -> None:
    """Two processes take turns at refreshing, each until it is killed in the middle of it."""
    store = kept(tmp_path / "kb")
    store.add(statements(*range(50)))
    chance, states = random.Random(5), set[frozenset[str]]()
    with _refreshing(store.uri) as first, _refreshing(store.uri) as second:
        for process in (first, second):
            assert process.stdout is not None
            process.stdout.readline()  # it is at work
            start, wanted = time.monotonic(), len(states) + 3
            until = start + chance.uniform(0.8, 1.6)
            while time.monotonic() < until or (len(states) < wanted and time.monotonic() < start + 60):
                states.add(_whole(store))
            process.send_signal(signal.SIGKILL)
            process.wait()
            states.add(_whole(store))
    assert len(states) > 5, states  # refreshes did happen while it was read
    store.add(statements(60))  # the store can be written on
    assert refresh_of(store, Texts(news(1, PORTION))).run(force=True).added == PORTION


def _whole(store: EvidenceStore) -> frozenset[str]:
    """The refreshes that are seen: each is there whole or not at all, and what was there before still is."""
    counts = Counter(titles(store))
    assert counts[""] >= 50
    assert {count for title, count in counts.items() if title} <= {PORTION}, counts
    return frozenset(title for title in counts if title)


def test_a_check_that_stores_the_same_text_meanwhile_makes_no_second_record(tmp_path: Path) -> None:
    store, other = kept(tmp_path / "kb"), kept(tmp_path / "kb")
    done = threading.Event()

    def check() -> None:
        run = 0
        while not done.is_set():
            other.add(list(news(run % 6, 5)))
            run += 1

    checking = threading.Thread(target=check)
    checking.start()
    try:
        for run in range(6):
            refresh_of(store, Texts(news(run, 20))).run()
    finally:
        done.set()
        checking.join()
    ids = [row["id"] for row in store._table.search().select(["id"]).limit(None).to_list()]
    assert len(ids) == len(set(ids)) == 120


def test_a_store_that_cannot_be_written_says_so_and_stays(tmp_path: Path) -> None:
    store = kept(tmp_path / "kb")

    class Spoil:
        name = "spoils the store"

        def read(self, known: Known, stopped: Stopped) -> Brought:
            for file in (tmp_path / "kb" / "evidence.lance" / "_versions").iterdir():
                file.write_bytes(b"no manifest")
            return Brought(tuple(news(1, 10)))

    with pytest.raises(StoreError, match="evidence store at"):
        refresh_of(store, Spoil()).run()  # type: ignore[arg-type]
    assert refresh_of(store, Down()).state.load().failures == 1
