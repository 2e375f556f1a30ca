"""Earlier states of a real store: listed, found by number and by date, searched, and kept for as long as they should be."""

from __future__ import annotations

import multiprocessing
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import lancedb
import pytest

from errors import InputError, StoreError
from kb.record import NewEvidence
from kb.store.evidence_store import TABLE, EvidenceStore
from kb.store.indexes import Upkeep
from kb.store.policy import UpkeepPolicy
from kb.store.tags import CleanUp, ReadVersions, expire
from kb.store.usage import Usage
from kb.store.versions import StoreVersion, resolve
from kb.upkeep.maintenance import optimize
from tests.kb.stores import EMBEDDER, opened, spread, statements


def at(number: int, moment: str) -> StoreVersion:
    return StoreVersion(number, datetime.fromisoformat(f"{moment}+00:00"))


KEPT = [at(3, "2026-10-30T08:00"), at(4, "2026-11-01T09:00"), at(7, "2026-11-01T21:30"), at(8, "2026-11-05T12:00")]
NOW = datetime(2026, 11, 6, 12, tzinfo=UTC)


def raw(store: EvidenceStore) -> Any:  # noqa: ANN401
    return lancedb.connect(store.uri, read_consistency_interval=timedelta(0)).open_table(TABLE)


def tags(store: EvidenceStore) -> dict[str, int]:
    return {name: tag["version"] for name, tag in raw(store).tags.list().items()}


FOUND = {
    "7": 7,
    " 3 ": 3,
    "2026-11-01": 7,
    "2026-10-31": 3,
    "2026-11-01T09:30": 4,
    "2026-11-01T09:00:00Z": 4,
    "2026-11-01T18:00+09:00": 4,
    "2026-11-06": 8,
    "2026-11-06 11:59": 8,
}
REFUSED = {
    "5": "version 5 of the store is no longer kept; the oldest that is kept is version 3 of 2026-10-30 08:00 UTC",
    "9": "version 9 of the store is not there yet; .*the newest is version 8 of 2026-11-05 12:00 UTC",
    "2026-10-29": "nothing is kept of the store as it was at 2026-10-29; the oldest",
    "2026-11-07": "2026-11-07 lies in the future of the store",
    "2026-11-06T12:01": "lies in the future",
    "yesterday": "by its number, or by a date such as 2026-11-01 or 2026-11-01T09:30, not 'yesterday'",
    "": "not ''",
    "9" * 40: "not '9999",
    "0001-01-01T00:00+23:00": "not '0001",
}


def test_a_version_is_found_by_its_number_or_as_the_latest_at_a_time() -> None:
    assert {asked: resolve(asked, KEPT, NOW).number for asked in FOUND} == FOUND


def test_what_is_gone_to_come_or_no_version_is_refused_with_the_span_that_is_kept() -> None:
    for asked, reason in REFUSED.items():
        with pytest.raises(InputError, match=reason):
            resolve(asked, KEPT, NOW)


def test_the_store_as_it_was_finds_what_was_there_and_changes_nothing(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add(statements(1, 2))
    before = store.version
    store.add([NewEvidence("The bridge opened in 1932.", "https://late.example/1")])
    now = store.version
    past = store.as_of(str(before))
    vector = spread(["The bridge opened in 1932."])[0]
    found = {hit.record.text for hit in past.search("The bridge opened in 1932.", vector, 5)}
    assert found == {"Statement number 1 of many.", "Statement number 2 of many."}
    late = store.search("The bridge opened in 1932.", vector, 1)[0].record.id
    assert past.get([late]) == [] and past.get([]) == [] and len(store.get([late])) == 1
    past.record_usage([Usage(late, 1.0, True)])
    past.protect(before)
    with pytest.raises(StoreError, match=f"version {before} of .* can only be read"):
        past.add(statements(3))
    store.close()
    assert (past.version, past.count()) == (before, 2)
    assert (store.version, store.count(), tags(store)) == (now, 3, {})


def test_times_are_those_of_the_writes_in_every_time_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened(tmp_path)
    here = store.versions()
    assert abs(datetime.now(UTC) - here[-1].at) < timedelta(minutes=5)
    with monkeypatch.context() as there:
        there.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        assert store.versions() == here
    time.tzset()


def test_a_state_of_another_embedder_or_of_an_older_form_is_refused(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add(statements(1))
    first = store.version
    raw(store).drop_columns(["pinned"])
    older = store.version
    again = opened(tmp_path)
    assert again.version > older and again.as_of(str(first)).count() == 1
    with pytest.raises(InputError, match=f"version {older} of .* is of an older form without pinned; name a later one"):
        again.as_of(str(older))
    again.embedder = "other"
    with pytest.raises(InputError, match="filled by another embedder"):
        again.as_of(str(first))


def test_a_version_that_a_check_read_is_tagged_when_the_usage_is_written(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (key,) = store.add(statements(1)).ids
    read = store.version
    for _ in range(3):
        store.protect(read)
        store.record_usage([Usage(key, 1.0, True)])
    assert tags(store) == {}
    store.close()
    assert tags(store) == {f"check-{read}-{datetime.now(UTC):%Y%m%d}": read}
    store.protect(read)
    store.protect(10_000)
    store.close()
    assert list(tags(store).values()) == [read]


def test_with_no_days_no_version_is_tagged(tmp_path: Path) -> None:
    store = opened(tmp_path, UpkeepPolicy(keep_read_days=0))
    store.add(statements(1))
    store.protect(store.version)
    store.close()
    assert tags(store) == {}


def _tag_all(uri: str, count: int) -> None:
    table = lancedb.connect(uri).open_table(TABLE)
    marks = ReadVersions(table, 30)
    for version in range(1, count + 1):
        marks.note(version)
        marks.write()


def test_processes_that_tag_the_same_versions_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in range(30):
        store.add(statements(number))
    count = store.version
    spawn = multiprocessing.get_context("spawn")
    other = spawn.Process(target=_tag_all, args=(store.uri, count))
    other.start()
    while not tags(store):  # the other has begun
        time.sleep(0.01)
    _tag_all(store.uri, count)
    other.join(60)
    assert other.exitcode == 0
    assert sorted(tags(store).values()) == list(range(1, count + 1))


def test_tags_go_when_their_days_are_over_and_those_of_others_stay(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in range(3):
        store.add(statements(number))
    table = raw(store)
    for name, version in {
        "check-2-20261001": 2,
        "check-3-20261020": 3,
        "check-3-20261025": 3,
        "check-4-99999999": 4,
        "mine": 1,
    }.items():
        table.tags.create(name, version)
    assert expire(table, 30, date(2026, 11, 3)) == 2
    assert set(tags(store)) == {"check-3-20261025", "check-4-99999999", "mine"}
    assert expire(table, 30, date(2026, 11, 3)) == 0
    assert expire(table, 0, date(2026, 10, 25)) == 1
    assert set(tags(store)) == {"check-4-99999999", "mine"}


def test_more_tags_than_the_bound_lose_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.store.tags.MOST_TAGS", 2)
    store = opened(tmp_path)
    store.add(statements(1))
    table = raw(store)
    for name in ("check-1-20261103", "check-2-20261101", "check-3-20261102"):
        table.tags.create(name, int(name[6]))
    assert expire(table, 30, date(2026, 11, 3)) == 1
    assert set(tags(store)) == {"check-1-20261103", "check-3-20261102"}


def test_a_clean_up_reaches_back_to_the_oldest_tag_and_works_again_when_it_is_gone(tmp_path: Path) -> None:
    """The library itself refuses any clean-up that would meet a tagged version; the store's own must not fail so."""
    at_once = UpkeepPolicy(keep_versions=timedelta(milliseconds=1))
    store = opened(tmp_path, at_once)
    store.add(statements(1))
    store.add(statements(2))
    read = store.version
    store.protect(read)
    store.close()
    store.add(statements(3))
    with pytest.raises(RuntimeError, match="tagged version"):
        raw(store).optimize(cleanup_older_than=timedelta(milliseconds=1))
    store.optimize()
    assert optimize(store.uri).records == 3
    assert store.as_of(str(read)).count() == 2
    forgetful = UpkeepPolicy(keep_versions=timedelta(milliseconds=1), keep_read_days=0)
    Upkeep(raw(store), store.uri, forgetful).run()
    assert tags(store) == {}
    with pytest.raises(InputError, match=f"version {read} of the store is no longer kept"):
        store.as_of(str(read))
    assert store.count() == 3


def test_how_far_a_clean_up_may_go_follows_the_oldest_tag_of_anybody(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add(statements(1))
    table = raw(store)
    clean_up = CleanUp(table)
    assert clean_up.older_than(timedelta(seconds=1)) == timedelta(seconds=1)
    table.tags.create("mine", 1)
    assert timedelta(hours=1) < clean_up.older_than(timedelta(seconds=1)) < timedelta(hours=1, minutes=5)
    assert clean_up.older_than(timedelta(days=9)) == timedelta(days=9)


def test_tags_expire_soon_after_a_store_was_opened(tmp_path: Path) -> None:
    store = opened(tmp_path)
    (key,) = store.add(statements(1)).ids
    raw(store).tags.create("check-1-20200101", 1)
    again = EvidenceStore(str(tmp_path), spread, EMBEDDER)
    again.record_usage([Usage(key, 1.0, False)])
    again.close()
    assert tags(store) == {}
