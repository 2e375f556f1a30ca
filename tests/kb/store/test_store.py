from __future__ import annotations

import multiprocessing
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errors import StoreError
from kb.record import NewEvidence, Origin
from kb.starter.seed import seed
from kb.store.evidence_store import EvidenceStore
from kb.store.fusion import Boost
from kb.store.usage import Usage
from models.encoders.embedder import Embedder
from tests.conftest import CHECKSUM

NEW = "The Vasco bridge in Porto Belo opened to traffic on 3 May 1931 and is 412 metres long."


def search(store: EvidenceStore, embedder: Embedder, text: str, limit: int = 20) -> list[str]:
    return [hit.record.text for hit in store.search(text, embedder.embed([text])[0], limit)]


def test_an_added_text_is_found_with_its_full_record(store: EvidenceStore, embedder: Embedder) -> None:
    published = datetime(2024, 5, 31, tzinfo=UTC)
    item = NewEvidence(
        NEW, "https://www.reuters.com/world/bridge?utm_source=x", "Bridge", Origin.WEB, published_at=published
    )
    report = store.add([item])
    assert (report.added, report.merged) == (1, 0)
    (record,) = store.get(report.ids)
    assert record.text == NEW and record.title == "Bridge" and record.origin is Origin.WEB
    assert (record.domain, record.source_type, record.publisher) == ("reuters.com", "news", "Reuters")
    assert record.source_credibility == pytest.approx(0.9)
    assert record.source_urls == ("https://reuters.com/world/bridge",)
    assert record.published_at == published and record.text_length == len(NEW)
    assert (record.access_count, record.verification_count, record.avg_relevance) == (0, 0, 0)
    assert record.language == "en" and record.expires_at is None and not record.pinned and not record.extraction_failed
    assert search(store, embedder, "When did the Vasco bridge open?")[0] == NEW


def test_the_same_text_is_stored_once_and_keeps_every_address(store: EvidenceStore) -> None:
    before = store.count()
    first = store.add(
        [NewEvidence(NEW, "https://a.example/1"), NewEvidence(f"  {NEW.upper()} ", "https://b.example/2")]
    )
    again = store.add([NewEvidence(NEW, "https://c.example/it's")])
    assert (first.added, first.merged, again.added, again.merged) == (1, 1, 0, 1)
    assert store.count() == before + 1
    assert store.get(first.ids)[0].source_urls == (
        "https://a.example/1",
        "https://b.example/2",
        "https://c.example/it%27s",
    )


def test_near_duplicates_merge_unless_a_number_a_name_or_a_negation_differs(store: EvidenceStore) -> None:
    reworded = NEW.replace("opened to traffic", "opened for traffic")
    report = store.add([NewEvidence(NEW, "https://a.example/1")])
    merged = store.add([NewEvidence(reworded, "https://b.example/2")])
    assert merged.ids == report.ids and merged.added == 0
    assert [made and (made.text, made.domain) for made in merged.records] == [(reworded, "b.example")]
    others = [NEW.replace("1931", "1932"), NEW.replace("is 412", "is not 412"), NEW.replace("Vasco", "Bosco")]
    assert store.add([NewEvidence(text) for text in others]).added == 3


def test_near_duplicates_inside_one_batch_merge(store: EvidenceStore) -> None:
    report = store.add([NewEvidence(NEW), NewEvidence(NEW.replace("opened to traffic", "opened for traffic"))])
    assert (report.added, report.merged) == (1, 1) and len(set(report.ids)) == 1


def test_words_and_meaning_both_find(seeded: EvidenceStore, embedder: Embedder) -> None:
    assert any(
        "boils at 100" in text for text in search(seeded, embedder, "temperature at which water turns to steam", 5)
    )
    assert any("Vostok" in text for text in search(seeded, embedder, "Vostok", 5))


@pytest.mark.parametrize(
    "query", ["'; DROP TABLE evidence; --", 'a "quoted" (query', "*", "地球は平らだ", "AND OR NOT", "%_\\"]
)
def test_no_query_is_read_as_a_command(seeded: EvidenceStore, embedder: Embedder, query: str) -> None:
    before = seeded.count()
    assert search(seeded, embedder, query)
    assert seeded.count() == before


def test_an_empty_store_answers_with_nothing(empty: EvidenceStore, embedder: Embedder) -> None:
    assert search(empty, embedder, "anything") == []
    assert empty.count() == 0 and empty.stats()["records"] == 0


def test_popularity_lifts_but_never_outranks_relevance(store: EvidenceStore, embedder: Embedder) -> None:
    report = store.add([NewEvidence("Carp are popular fish in garden ponds."), NewEvidence(NEW)])
    store.record_usage([Usage(report.ids[0], 1.0, False)] * 1_000)
    store.close()
    query = "The Vasco bridge opened in 1931"
    hits = store.search(query, embedder.embed([query])[0], 20, Boost())
    assert hits[0].record.text == NEW
    assert max(hit.boosted - hit.similarity for hit in hits) <= Boost().ceiling + 1e-6


def test_usage_is_counted_together_and_relevance_is_a_running_mean(store: EvidenceStore) -> None:
    (key,) = store.add([NewEvidence(NEW)]).ids
    store.record_usage([Usage(key, 2.0, True)])
    store.record_usage([Usage(key, 1.0, False)])
    assert store.get([key])[0].access_count == 0
    store.close()
    store.record_usage([Usage(key, 3.0, True)])
    store.close()
    (record,) = store.get([key])
    assert (record.access_count, record.verification_count) == (3, 2)
    assert record.avg_relevance == pytest.approx(2.0)
    assert record.last_accessed > record.timestamp


def test_many_small_writes_are_compacted(store: EvidenceStore) -> None:
    (key,) = store.add([NewEvidence(NEW)]).ids
    for _ in range(110):
        store.record_usage([Usage(key, 1.0, False)])
        store.close()
    assert store.get([key])[0].access_count == 110
    assert store._table.stats()["fragment_stats"]["num_small_fragments"] <= 101


def _embed_like(texts: list[str]) -> NDArray[np.float32]:
    """Unit vectors that depend on the text alone: cheap enough for many processes."""
    rows = [np.random.default_rng(abs(hash(text)) % 2**32).normal(size=384) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32).reshape(len(texts), 384)


def _writer(uri: str, barrier: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    store = EvidenceStore(uri, _embed_like, "test")  # type: ignore[arg-type]
    for start in range(0, 100, 10):
        store.add([NewEvidence(f"Statement number {n} of both writers.") for n in range(start, start + 10)])


def test_two_processes_create_and_fill_one_store_without_duplicates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    writers = [context.Process(target=_writer, args=(str(tmp_path / "kb"), barrier)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    store = EvidenceStore(str(tmp_path / "kb"), _embed_like, "test")  # type: ignore[arg-type]
    ids = store._table.to_arrow()["id"].to_pylist()
    assert len(ids) == len(set(ids)) == 100


@pytest.mark.parametrize("place", ["file/kb", "file"])
def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path, embedder: Embedder, place: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(
        StoreError, match="cannot open the evidence store at .*choose a folder that can be written"
    ) as caught:
        EvidenceStore(str(tmp_path / place), embedder.embed, CHECKSUM)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", ["_versions", "data"])
@pytest.mark.parametrize("damage", ["cut", "garbage", "gone"])
def test_a_damaged_store_is_reported_and_left_as_it_is(
    store: EvidenceStore, embedder: Embedder, part: str, damage: str
) -> None:
    files = sorted((Path(store.uri) / "evidence.lance" / part).iterdir())
    for file in files:
        if damage == "cut":
            os.truncate(file, file.stat().st_size // 2)
        elif damage == "garbage":
            file.write_bytes(b"garbage" * 20)
        else:
            file.unlink()
    left = {path: path.read_bytes() for path in Path(store.uri).rglob("*") if path.is_file()}
    with pytest.raises(StoreError, match="python -m kb check") as caught:
        damaged = EvidenceStore(store.uri, embedder.embed, CHECKSUM)
        seed(damaged)
        damaged.search("moon", embedder.embed(["moon"])[0], 5)
    assert "\n" not in str(caught.value) and ".rs:" not in str(caught.value)
    assert {path: path.read_bytes() for path in left} == left


def test_vectors_of_two_embedders_never_mix(store: EvidenceStore, embedder: Embedder) -> None:
    with pytest.raises(StoreError, match="filled by another embedder .*python -m kb reembed"):
        EvidenceStore(store.uri, embedder.embed, "0" * 64)


def test_versions_rise_with_every_write(store: EvidenceStore) -> None:
    before = store.version
    store.add([NewEvidence(NEW)])
    assert store.version > before


def test_stats_count_by_origin_and_type(store: EvidenceStore) -> None:
    before = store.stats()
    store.add([NewEvidence(NEW, "https://www.snopes.com/fact-check/bridge")])
    stats = store.stats()
    assert stats["records"] == before["records"] + 1
    assert stats["origin"]["user"] == 1
    assert stats["source_type"]["fact_checker"] == before["source_type"].get("fact_checker", 0) + 1


def test_what_a_person_looks_up_is_ordered_by_what_is_shown_and_a_shorter_list_begins_a_longer_one(
    seeded: EvidenceStore, embedder: Embedder
) -> None:
    for text in ("boiling point of water", "Who was the first person on the Moon?", "vaccines and autism"):
        vector = embedder.embed([text])[0]
        lists = [seeded.look_up(text, vector, limit) for limit in (60, 10, 4, 3, 1)]
        shown = [hit.similarity for hit in lists[0]]
        assert len(shown) == 60 and shown == sorted(shown, reverse=True)
        for longer, shorter in zip(lists[1:], lists[2:], strict=False):
            assert [hit.record.id for hit in shorter] == [hit.record.id for hit in longer][: len(shorter)]
