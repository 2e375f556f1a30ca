from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from numpy.typing import NDArray

from errors import StoreError
from kb.cli.commands import catch_up
from kb.store.evidence_store import EvidenceStore
from kb.store.find import nearest
from kb.store.fusion import Found
from kb.store.policy import UpkeepPolicy
from tests.kb.stores import opened, spread, statements

SMALL = UpkeepPolicy(vector_index_from=600, max_unindexed=50, every_writes=5, every_rows=100)
QUERIES = spread([f"query {n}" for n in range(20)])


def indexed_rows(store: EvidenceStore) -> dict[str, int]:
    return {
        index.index_type: store._table.index_stats(index.name).num_indexed_rows for index in store._table.list_indices()
    }


def until(happened: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def ids(found: list[Found]) -> set[str]:
    return {row.id for row in found}


def of_all(store: EvidenceStore, vector: NDArray[np.float32]) -> list[Found]:
    """The 20 nearest by comparing with every vector."""
    rows = store._table.search(vector).distance_type("cosine").bypass_vector_index().limit(20).to_list()
    return [Found(row["id"], 0, 1 - row["_distance"], 0) for row in rows]


def recall(store: EvidenceStore) -> float:
    shared = [ids(nearest(store._table, query, 20)) & ids(of_all(store, query)) for query in QUERIES]
    return sum(map(len, shared)) / (20 * len(QUERIES))


def test_both_indexes_come_by_themselves_when_the_store_has_grown(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb", SMALL)
    store.add(statements(*range(500)))
    store.close()
    assert indexed_rows(store) == {"FTS": 500}
    store.add(statements(*range(500, 900)))
    store.close()
    assert indexed_rows(store) == {"FTS": 900, "IvfFlat": 900}
    assert recall(store) >= 0.95


def test_rows_that_no_index_holds_yet_are_found_and_the_indexes_catch_up(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb", SMALL)
    store.add(statements(*range(700)))
    store.close()
    (late,) = statements(7_777)
    (key,) = store.add([late]).ids
    assert indexed_rows(store)["IvfFlat"] == 700
    assert nearest(store._table, spread([late.text])[0], 1)[0].id == key
    assert key in {hit.record.id for hit in store.search("7777", QUERIES[0], 5)}
    store.add(statements(*range(1_000, 1_100)))
    store.close()
    assert indexed_rows(store) == {"FTS": 801, "IvfFlat": 801}


def test_an_outgrown_index_is_made_anew(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb", UpkeepPolicy(vector_index_from=100, growth=2.0, max_unindexed=50))
    store.add(statements(*range(150)))
    store.optimize()
    assert store._upkeep.vector_indexes() == {"vector_at_150": 150}
    store.add(statements(*range(150, 220)))
    store.optimize()
    assert store._upkeep.vector_indexes() == {"vector_at_150": 150}
    store.add(statements(*range(220, 230)))
    store.close()
    assert store._upkeep.vector_indexes() == {"vector_at_150": 150}
    store.optimize()
    assert store._upkeep.vector_indexes() == {"vector_at_230": 230}, "who waits gets cells of the right size"
    store.add(statements(*range(230, 470)))
    store.close()
    assert store._upkeep.vector_indexes() == {"vector_at_470": 470}
    assert recall(store) >= 0.95


def test_between_the_parts_of_a_pack_only_what_presses_is_done(tmp_path: Path) -> None:
    policy = UpkeepPolicy(vector_index_from=100, max_unindexed=50, quiet=0.05, every_rows=10)
    store = opened(tmp_path / "kb", policy)
    store.add(statements(*range(400)))
    store.optimize()
    with store.in_parts():
        store.add(statements(*range(400, 500)))
        time.sleep(0.5)
        assert indexed_rows(store)["FTS"] == 400 and store.is_behind()
        store.add(statements(*range(500, 1_000)))
        until(lambda: indexed_rows(store)["FTS"] == 1_000)
    store.add(statements(*range(1_000, 1_100)))
    until(lambda: indexed_rows(store)["FTS"] == 1_100)


def test_one_process_at_a_time_looks_after_the_indexes(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb", SMALL)
    with FileLock(tmp_path / "kb" / ".upkeep.lock"):
        store.add(statements(*range(700)))
        assert not store._upkeep.run() and indexed_rows(store)["FTS"] == 0
    store.optimize()
    assert indexed_rows(store) == {"FTS": 700, "IvfFlat": 700}


def test_optimize_waits_for_who_is_at_it_and_then_indexes_the_rest(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb", SMALL)
    store.add(statements(*range(700)))
    lock = FileLock(tmp_path / "kb" / ".upkeep.lock", thread_local=False)
    lock.acquire()
    release = threading.Timer(0.5, lock.release)
    release.start()
    store.optimize()
    release.join()
    assert indexed_rows(store) == {"FTS": 700, "IvfFlat": 700} and not store.is_behind()


def test_what_a_command_added_is_indexed_before_it_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = opened(tmp_path / "kb", UpkeepPolicy(max_unindexed=50, every_writes=10_000, every_rows=10**9))
    store.add(statements(*range(20)))
    catch_up(store)
    assert capsys.readouterr().err == ""
    store.add(statements(*range(700)))
    assert store.is_behind()
    catch_up(store)
    assert capsys.readouterr().err == "indexing what was added\n"
    assert indexed_rows(store)["FTS"] == 700 and not store.is_behind()


def test_optimize_gives_up_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.store.evidence_store._UPKEEP_WAIT", 0.1)
    store = opened(tmp_path / "kb", SMALL)
    with FileLock(tmp_path / "kb" / ".upkeep.lock"), pytest.raises(StoreError, match="another process"):
        store.optimize()


def test_a_search_waits_for_no_index(tmp_path: Path) -> None:
    """While an index of 8,000 rows is made, searches go on, and none waits until it is done."""
    store = opened(tmp_path / "kb", UpkeepPolicy(vector_index_from=10_000_000, every_writes=10_000, every_rows=10**9))
    vectors = np.random.default_rng(0).normal(size=(8_000, 384)).astype(np.float32)
    store.add(statements(*range(8_000)), vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    store._upkeep._policy = UpkeepPolicy(vector_index_from=5_000)
    took: list[float] = []
    work = threading.Thread(target=store.optimize)
    begin = time.perf_counter()
    work.start()
    while work.is_alive():
        start = time.perf_counter()
        assert store.search("statement 17", QUERIES[0], 5)
        took.append(time.perf_counter() - start)
    whole = time.perf_counter() - begin
    assert len(took) >= 3 and max(took) < whole
    assert indexed_rows(store)["IvfFlat"] == 8_000


def test_what_goes_wrong_in_the_background_is_logged_and_loses_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = opened(tmp_path / "kb", SMALL)
    (tmp_path / "kb" / ".upkeep.lock").mkdir()
    store.add(statements(*range(150)))
    store.close()
    assert "indexes could not be refreshed" in caplog.text
    assert (
        store.count() == 150 and store.search("3", spread(["Statement number 3 of many."])[0], 1)[0].similarity > 0.99
    )
