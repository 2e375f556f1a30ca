"""E12: what goes when there is too much, and what never does."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from errors import InputError, StoreError
from kb.record import Collection, EvidenceRecord, NewEvidence, Origin, make_record
from kb.store.evidence_store import EvidenceStore
from kb.store.indexes import alone_at, vector_indexes
from kb.store.policy import UpkeepPolicy
from kb.upkeep.retention import Caps, Reason, prune, prune_expired
from kb.upkeep.usefulness import usefulness
from tests.kb.stores import opened, spread
from tests.kb.upkeep.refreshing import kept, news

NOW = datetime.now(UTC)


def _record(number: int, **changes: object) -> EvidenceRecord:
    item = NewEvidence(
        f"Record number {number} tells of bridge {number}.",
        f"https://site{number % 3}.example/{number}",
        origin=Origin.WEB,
    )
    return replace(make_record(item), **changes)  # type: ignore[arg-type]


def _filled(tmp_path: Path, records: Sequence[EvidenceRecord]) -> EvidenceStore:
    store = kept(tmp_path / "kb")
    store.restore(records, spread([record.text for record in records]))
    return store


def _left(store: EvidenceStore) -> set[str]:
    return {row["text"] for row in store._table.search().select(["text"]).limit(None).to_list()}


def _scores(*records: EvidenceRecord) -> list[float]:
    found: list[float] = usefulness(pa.Table.from_pylist([record.to_row() for record in records]), NOW).tolist()
    return found


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"verification_count": 1}, {}),
        ({"verification_count": 1, "source_credibility": 0.5}, {"source_credibility": 0.95}),
        ({"access_count": 5, "avg_relevance": 3.0}, {"access_count": 5, "avg_relevance": -3.0}),
        ({"access_count": 9, "avg_relevance": 1.0}, {"access_count": 1, "avg_relevance": 1.0}),
        ({"last_accessed": NOW - timedelta(days=1)}, {"last_accessed": NOW - timedelta(days=60)}),
        (
            {"last_accessed": NOW - timedelta(days=60)},
            {"last_accessed": NOW - timedelta(days=60), "collection": Collection.CURRENT},
        ),
        ({"source_credibility": 0.9}, {"source_credibility": 0.5}),
        (
            {"origin": Origin.USER, "last_accessed": NOW - timedelta(days=900)},
            {"verification_count": 99, "access_count": 99},
        ),
        (
            {"last_accessed": NOW},
            {"access_count": 1, "avg_relevance": -2.0, "last_accessed": NOW - timedelta(days=900)},
        ),
    ],
)
def test_what_is_more_useful(better: dict[str, object], worse: dict[str, object]) -> None:
    high, low = _scores(_record(1, **better), _record(1, **worse))
    assert high > low


def test_the_score_of_what_the_web_brought_is_from_0_to_1() -> None:
    wild = {"verification_count": 10**9, "access_count": 10**9, "avg_relevance": 1e30, "source_credibility": 7.0}
    ahead = NOW + timedelta(days=10_000)
    assert all(
        0 <= score <= 1
        for score in _scores(_record(1, **wild, last_accessed=ahead), _record(1, avg_relevance=float("nan")))
    )


def test_what_has_expired_goes_and_nothing_else(tmp_path: Path) -> None:
    past = NOW - timedelta(seconds=1)
    store = _filled(
        tmp_path,
        [
            _record(1, expires_at=past),
            _record(2, expires_at=past, pinned=True),
            _record(3, expires_at=past, origin=Origin.KB),
            _record(4, expires_at=NOW + timedelta(days=1)),
            _record(5),
            _record(6, expires_at=past, origin=Origin.USER),
        ],
    )
    report = prune(store.uri)
    assert report.by_reason == {Reason.EXPIRED: 2} and report.removed == 2 and report.remain == 4
    assert {record.text[14] for record in store.get([_record(n).id for n in range(9)])} == set("2345")


def test_the_light_prune_removes_what_has_expired_and_writes_only_then(tmp_path: Path) -> None:
    store = _filled(tmp_path, [_record(n, expires_at=NOW + timedelta(days=n)) for n in range(1, 5)])
    before = store.version
    assert prune_expired(store.uri) == 0 and store.version == before
    assert prune_expired(store.uri, NOW + timedelta(days=2, hours=1)) == 2 and store.count() == 2


def test_a_dry_run_says_what_would_go_and_changes_nothing(tmp_path: Path) -> None:
    store = _filled(tmp_path, [_record(n, verification_count=n) for n in range(30)])
    before = store.version
    report = prune(store.uri, Caps(records=5), dry_run=True)
    assert (report.removed, report.remain, report.dry_run, store.version) == (25, 5, True, before)
    assert len(report.examples) == 20 and report.examples[0].text == _record(0).text
    assert Counter(report.by_domain) == {"site0.example": 9, "site1.example": 8, "site2.example": 8}
    done = prune(store.uri, Caps(records=5))
    assert done.examples == report.examples and store.count() == done.remain == 5
    assert _left(store) == {_record(n).text for n in range(25, 30)}


def test_a_domain_is_capped_by_itself_and_texts_without_a_source_are_no_domain(tmp_path: Path) -> None:
    records = [_record(n, access_count=n) for n in range(12)]
    records += [replace(make_record(NewEvidence(f"A note without a source, number {n}.")), domain="") for n in range(8)]
    records += [_record(n, domain="site1.example", pinned=True) for n in range(50, 53)]
    store = _filled(tmp_path, records)
    report = prune(store.uri, Caps(per_source=2))
    assert report.by_reason == {Reason.SOURCE: 6} and store.count() == 17
    assert {record.text for record in records[6:12]} <= _left(store)


def test_each_collection_is_capped_and_starter_facts_count_and_stay(tmp_path: Path) -> None:
    records = [_record(n, collection=Collection.CURRENT) for n in range(10)]
    records += [_record(n) for n in range(10, 20)]
    records += [_record(n, origin=Origin.KB, pinned=True) for n in range(20, 26)]
    store = _filled(tmp_path, records)
    report = prune(store.uri, Caps(static=8, current=4))
    assert report.by_reason == {Reason.COLLECTION: 14} and report.remain == 12 and report.over == 0
    assert {record.text for record in records[20:]} <= _left(store)
    again = prune(store.uri, Caps(static=2, records=1))
    assert (again.removed, again.remain, again.over) == (6, 6, 4 + 5) and store.count() == 6


def test_bytes_are_bounded_by_what_the_store_then_takes(tmp_path: Path) -> None:
    records = [_record(n, text=f"Record {n}. " + "It tells of a bridge. " * (n % 20)) for n in range(3_000)]
    store = _filled(tmp_path, records)
    assert prune(store.uri, Caps(size=10**9)).removed == 0
    report = prune(store.uri, Caps(size=2_000_000))
    assert report.by_reason == {Reason.BYTES: report.removed} and store.count() == report.remain > 500
    assert 1_000_000 < report.bytes_after <= 2_000_000 < report.bytes_before
    assert prune(store.uri, Caps(size=0)).remain == 0 and store.count() == 0


def test_what_is_left_is_gathered_once_the_upkeep_of_the_store_ends(tmp_path: Path) -> None:
    store = _filled(tmp_path, [_record(n) for n in range(400)])
    reports = []
    pruning = threading.Thread(target=lambda: reports.append(prune(store.uri, Caps(records=100))))
    with alone_at(store.uri) as alone:
        assert alone
        pruning.start()
        until = time.monotonic() + 20
        while store.count() > 100 and time.monotonic() < until:
            time.sleep(0.05)
        pruning.join(0.5)
        assert store.count() == 100 and pruning.is_alive() and not reports
    pruning.join(30)
    assert reports[0].bytes_after < 0.5 * reports[0].bytes_before


def test_a_tagged_version_keeps_what_it_had_and_stops_no_pruning(tmp_path: Path) -> None:
    store = _filled(tmp_path, [_record(n, expires_at=NOW) for n in range(20)])
    store._table.tags.create("before", store.version)
    store.restore([_record(99)], spread([_record(99).text]))
    report = prune(store.uri, now=NOW + timedelta(days=400))
    assert (report.removed, store.count()) == (20, 1)
    store.optimize()
    store._table.checkout("before")
    assert store._table.count_rows() == 20


def test_an_index_of_vectors_does_not_hold_on_to_what_went(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb", UpkeepPolicy(vector_index_from=600))
    store.restore([_record(n) for n in range(1_000)], spread([_record(n).text for n in range(1_000)]))
    store.optimize()
    assert vector_indexes(store._table) == {"vector_at_1000": 1_000}
    assert prune(store.uri, Caps(records=900)).removed == 100 and vector_indexes(store._table)
    report = prune(store.uri, Caps(records=300))
    assert not vector_indexes(store._table) and report.bytes_after < report.bytes_before / 3
    assert len(store.search("record", spread([_record(999).text])[0], 5)) == 5


def test_a_record_that_is_pinned_while_others_are_removed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = _filled(tmp_path, [_record(n) for n in range(10)])
    import kb.upkeep.retention as retention

    compute = usefulness

    def pinning(rows: pa.Table, now: datetime) -> object:
        store._table.update(where=f"id = '{_record(3).id}'", values={"pinned": True})
        return compute(rows, now)

    monkeypatch.setattr(retention, "usefulness", pinning)
    prune(store.uri, Caps(records=0))
    assert _left(store) == {_record(3).text}


def test_pruning_while_others_write_loses_nothing_of_theirs(tmp_path: Path) -> None:
    import threading

    store, other = _filled(tmp_path, [_record(n) for n in range(500)]), kept(tmp_path / "kb")
    ids: list[str] = []
    writing = threading.Thread(target=lambda: [ids.extend(other.add(list(news(run, 5))).ids) for run in range(15)])  # type: ignore[func-returns-value]
    writing.start()
    for cap in range(400, 0, -100):
        prune(store.uri, Caps(static=cap))
    writing.join()
    assert len(store.get(ids)) == len(set(ids)) == 75
    assert prune(store.uri, Caps(static=100)).remain == 175


def test_what_cannot_be_pruned_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no evidence store"):
        prune(str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(InputError, match="0 or more"):
        Caps(records=-1)


def test_an_empty_store_can_be_pruned(tmp_path: Path) -> None:
    report = prune(kept(tmp_path / "kb").uri, Caps(1, 1, 1, 1, 1))
    assert (report.removed, report.remain, report.over) == (0, 0, 0)
    assert json.dumps(report.by_domain) == "{}"
