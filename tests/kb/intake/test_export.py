from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from errors import InputError, StoreError
from kb.intake.exporting import Selection, export
from kb.intake.importing import ImportReport, Target, import_sources
from kb.intake.ingest import Reading
from kb.intake.journal import Journal
from kb.intake.sources import Kind, path_sources
from kb.publishers.credibility import SourceType
from kb.record import Collection, EvidenceRecord, NewEvidence, Origin, Standing, make_record
from kb.store.evidence_store import EvidenceStore
from models.encoders.embedder import Embedder
from tests.conftest import CHECKSUM as REAL
from tests.kb.tiny import CHECKSUM, embed, open_tiny, target

WHEN = datetime(2024, 5, 31, 12, 30, tzinfo=UTC)


def full_record(text: str) -> EvidenceRecord:
    """A record of which no field has the value that a new one would have."""
    made = make_record(NewEvidence(text, "https://a.example/1", "A title", also_at=("https://b.example/2",)))
    return replace(
        made,
        source_type=SourceType.ACADEMIC,
        source_credibility=0.75,
        origin=Origin.FACT_CHECK,
        collection=Collection.CURRENT,
        timestamp=WHEN,
        published_at=WHEN - timedelta(days=3),
        last_accessed=WHEN + timedelta(days=1),
        access_count=7,
        verification_count=3,
        avg_relevance=0.5,
        language="de",
        expires_at=WHEN + timedelta(days=30),
        publisher="The A",
        rating="Mostly true",
        extraction_failed=True,
        pinned=True,
        standing=Standing.GONE,
        looked_at=WHEN + timedelta(days=2),
    )


@pytest.fixture
def filled(tmp_path: Path) -> EvidenceStore:
    store = open_tiny(tmp_path / "kb")
    store.restore([full_record(f"Fact number {n} isn't “plain”.") for n in range(1_200)])
    store.add([NewEvidence("A static fact.", "https://c.example/it's")])
    return store


def bring(path: Path, into: EvidenceStore, as_backup: bool, made_by: str = CHECKSUM) -> ImportReport:
    reading = Reading(lambda html: None, made_by, as_backup)
    return import_sources(path_sources(path, Kind.AUTO, reading), target(into), Journal(into.uri, ["a"]))


def records(store: EvidenceStore) -> dict[str, EvidenceRecord]:
    hits = store.search("fact", embed(["fact"])[0], 2_000)
    return {hit.record.id: hit.record for hit in hits}


@pytest.mark.parametrize("name", ["all.parquet", "all.jsonl"])
def test_a_backup_comes_back_with_every_field(filled: EvidenceStore, tmp_path: Path, name: str) -> None:
    done = export(filled.uri, tmp_path / name, Selection(vectors=name.endswith("parquet")))
    assert done.records == 1_201 and done.bytes == (tmp_path / name).stat().st_size
    other = open_tiny(tmp_path / "other")
    report = bring(tmp_path / name, other, as_backup=True)
    assert (report.restored, report.skipped, report.foreign_vectors) == (1_201, 0, 0)
    was, now = records(filled), records(other)
    assert len(was) == 1_201 and now == was
    assert bring(tmp_path / name, other, as_backup=True).restored == 1_201 and other.count() == 1_201


def test_the_test_above_covers_every_field() -> None:
    text = "Fact number 1."
    plain, full = make_record(NewEvidence(text)), full_record(text)
    same = {field.name for field in fields(EvidenceRecord) if getattr(plain, field.name) == getattr(full, field.name)}
    assert same == {"id", "text", "text_length", "content_hash"}


def test_without_as_backup_a_file_cannot_raise_its_own_standing(filled: EvidenceStore, tmp_path: Path) -> None:
    export(filled.uri, tmp_path / "all.jsonl")
    other = open_tiny(tmp_path / "other")
    bring(tmp_path / "all.jsonl", other, as_backup=False)
    found = next(record for record in records(other).values() if record.text.startswith("Fact number 1 "))
    was = next(record for record in records(filled).values() if record.id == found.id)
    kept = (
        "id",
        "text",
        "source",
        "title",
        "domain",
        "collection",
        "published_at",
        "language",
        "source_urls",
        "publisher",
        "rating",
    )
    assert {name: getattr(found, name) for name in kept} == {name: getattr(was, name) for name in kept}
    assert (found.origin, found.source_type, found.pinned) == (Origin.USER, SourceType.UNKNOWN, False)
    assert found.source_credibility == 0.5 and (found.access_count, found.verification_count) == (0, 0)


def test_a_backup_wins_over_what_is_there(filled: EvidenceStore, tmp_path: Path) -> None:
    export(filled.uri, tmp_path / "all.parquet")
    other = open_tiny(tmp_path / "other")
    other.add([NewEvidence("Fact number 5 isn't “plain”."), NewEvidence("Only here.")])
    bring(tmp_path / "all.parquet", other, as_backup=True)
    assert other.count() == 1_202
    assert next(r for r in records(other).values() if r.text.startswith("Fact number 5 ")).access_count == 7


class _Counting:
    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        return embed(texts)


@pytest.mark.parametrize("as_backup", [True, False])
def test_vectors_are_used_again_only_if_the_same_embedder_made_them(
    filled: EvidenceStore, tmp_path: Path, as_backup: bool
) -> None:
    export(filled.uri, tmp_path / "all.parquet", Selection(vectors=True))
    counts = {}
    for embedder in (CHECKSUM, "another"):
        counting = _Counting()
        store = EvidenceStore(str(tmp_path / embedder), counting, embedder)
        reading = Reading(lambda html: None, embedder, as_backup)
        parts = path_sources(tmp_path / "all.parquet", Kind.AUTO, reading)
        import_sources(parts, Target(store, counting), Journal(store.uri, ["a"]))
        counts[embedder] = counting.texts
        assert store.count() == 1_201
    assert counts == {CHECKSUM: 7, "another": 1_201}  # one vector of every 200 is made to compare


def test_vectors_that_are_not_what_the_file_says_are_made_anew(filled: EvidenceStore, tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    export(filled.uri, path, Selection(vectors=True))
    table = pq.read_table(path)
    wrong = table.set_column(
        table.schema.get_field_index("vector"),
        table.schema.field("vector"),
        table["vector"].combine_chunks().take(list(range(1, table.num_rows)) + [0]),
    )
    pq.write_table(wrong, path)
    other = open_tiny(tmp_path / "other")
    assert bring(path, other, as_backup=True).foreign_vectors == 1_201
    text = "Fact number 5 isn't “plain”."
    assert other.search("zzz", embed([text])[0], 1)[0].record.text == text


def test_a_row_changed_after_the_export_is_refused_as_a_backup(filled: EvidenceStore, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    export(filled.uri, path)
    lines = path.read_text().splitlines()
    lines[0] = lines[0].replace("Fact number", "False number")
    lines[1] = lines[1].replace('"source_credibility": 0.75', '"source_credibility": 7')
    lines[2] = lines[2].replace('"origin": "fact_check"', '"origin": "heaven"')
    path.write_text("\n".join(lines))
    report = bring(path, open_tiny(tmp_path / "other"), as_backup=True)
    assert report.restored == 1_198
    reasons = [problem.reason for problem in report.problems]
    assert "not that of the text" in reasons[0] and "source_credibility" in reasons[1] and "origin" in reasons[2]


def test_an_older_export_lacks_columns_and_is_still_read(filled: EvidenceStore, tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    export(filled.uri, path)
    pq.write_table(pq.read_table(path).drop_columns(["pinned", "expires_at", "id", "source_urls"]), path)
    other = open_tiny(tmp_path / "other")
    assert bring(path, other, as_backup=True).restored == 1_201
    found = next(r for r in records(other).values() if r.text.startswith("Fact number 5 "))
    assert not found.pinned and found.expires_at is None and found.access_count == 7


def test_collection_and_time_choose_what_is_written(filled: EvidenceStore, tmp_path: Path) -> None:
    def count(**more: object) -> int:
        return export(filled.uri, tmp_path / "a.jsonl", Selection(**more)).records  # type: ignore[arg-type]

    assert count(collection=Collection.STATIC) == 1 and count(collection=Collection.CURRENT) == 1_200
    assert count(since=WHEN) == 1_201 and count(since=WHEN + timedelta(seconds=1)) == 1
    assert count(collection=Collection.CURRENT, since=datetime(2030, 1, 1, tzinfo=UTC)) == 0


def test_the_file_says_which_embedder_and_schema_it_has(filled: EvidenceStore, tmp_path: Path) -> None:
    export(filled.uri, tmp_path / "a.parquet")
    schema = pq.read_schema(tmp_path / "a.parquet")
    assert schema.metadata[b"embedder"].decode() == CHECKSUM and schema.metadata[b"schema_version"] == b"1"
    assert "vector" not in schema.names


def test_a_failed_export_leaves_the_old_file_and_nothing_else(filled: EvidenceStore, tmp_path: Path) -> None:
    path = tmp_path / "out" / "a.jsonl"
    path.parent.mkdir()
    path.write_text("old")

    def stop(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(filled.uri, path, tell=stop)
    assert path.read_text() == "old" and os.listdir(path.parent) == ["a.jsonl"]


def test_what_cannot_be_exported_says_why(filled: EvidenceStore, tmp_path: Path) -> None:
    for path, selection, words in (
        (tmp_path / "a.xlsx", Selection(), "must end in .parquet or .jsonl"),
        (tmp_path / "a.jsonl", Selection(vectors=True), "only .parquet carries vectors"),
        (tmp_path / "gone" / "a.jsonl", Selection(), "cannot write"),
    ):
        with pytest.raises(InputError, match=words):
            export(filled.uri, path, selection)
    with pytest.raises(StoreError, match="there is no evidence store"):
        export(str(tmp_path / "nowhere"), tmp_path / "a.jsonl")
    assert not (tmp_path / "nowhere").exists()


def test_real_vectors_come_back_as_they_were(seeded: EvidenceStore, embedder: Embedder, tmp_path: Path) -> None:
    path = tmp_path / "all.parquet"
    export(seeded.uri, path, Selection(vectors=True))
    other = EvidenceStore(str(tmp_path / "other"), embedder.embed, REAL)
    reading = Reading(lambda html: None, REAL, as_backup=True)
    parts = path_sources(path, Kind.AUTO, reading)
    report = import_sources(parts, Target(other, embedder.embed), Journal(other.uri, ["a"]))
    assert report.restored == seeded.count() and report.foreign_vectors == 0
    query = "At what temperature does water boil?"
    vector = embedder.embed([query])[0]
    was, now = (store.search(query, vector, 5) for store in (seeded, other))
    # Sorted: BM25 weighs rows that its index does not hold yet a little differently, which may swap two near neighbours.
    assert sorted((hit.record.id, hit.similarity) for hit in now) == sorted(
        (hit.record.id, hit.similarity) for hit in was
    )
