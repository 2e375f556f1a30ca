from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from errors import InputError, StoreError
from kb.intake.importing import SHOWN, Target, import_sources
from kb.intake.ingest import Found, Reading
from kb.intake.journal import FOLDER, Journal
from kb.intake.sources import Kind, Problem, Source, path_sources
from kb.publishers.lists import DomainLists
from kb.publishers.rules import Rule, parse_line
from kb.record import Collection
from kb.store.evidence_store import EvidenceStore
from tests.kb.intake.tiny_pdf import pdf
from tests.kb.tiny import CHECKSUM, embed, open_tiny, target

READING = Reading(lambda html: None, CHECKSUM)
ROOT = Path(__file__).parents[3]


def rows(path: Path, count: int, start: int = 0) -> Path:
    path.write_text(
        "".join(json.dumps({"text": f"Fact number {n} stands."}) + "\n" for n in range(start, start + count))
    )
    return path


def sources(path: Path, kind: Kind = Kind.AUTO) -> Iterator[Source | Problem]:
    return path_sources(path, kind, READING)


def journal(store_uri: str, *job: str) -> Journal:
    found = Journal(store_uri, job)
    found.load()
    return found


def test_a_file_is_taken_in_once_however_often_it_is_imported(tmp_path: Path) -> None:
    store, file = open_tiny(tmp_path / "kb"), rows(tmp_path / "a.jsonl", 250)
    told: list[int] = []
    first = import_sources(sources(file), target(store), journal(store.uri, "a"), told.append)
    again = import_sources(sources(file), target(store), journal(store.uri, "a"))
    assert (first.added, first.merged, first.skipped) == (250, 0, 0) and told[-1] == 250
    assert (again.added, again.merged, again.passed_over) == (0, 250, 0)
    assert store.count() == 250 and not list((Path(store.uri) / FOLDER).iterdir())


def test_bad_rows_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    store, file = open_tiny(tmp_path / "kb"), tmp_path / "a.jsonl"
    file.write_text("broken\n" * 30 + '{"text": "One fact."}\n')
    report = import_sources(sources(file), target(store), journal(store.uri, "a"))
    assert (report.added, report.skipped, len(report.problems)) == (1, 30, SHOWN)
    assert str(report.problems[1]).startswith("a.jsonl, line 2: not JSON")


def test_collection_and_pin_are_set_for_all_rows(tmp_path: Path) -> None:
    store, file = open_tiny(tmp_path / "kb"), tmp_path / "a.jsonl"
    file.write_text('{"text": "One fact.", "collection": "current"}\n{"text": "Another fact."}\n')
    import_sources(sources(file), target(store), journal(store.uri, "a"))
    assert store.stats()["collection"] == {"current": 1, "static": 1}
    other = open_tiny(tmp_path / "other")
    import_sources(sources(file), Target(other, embed, Collection.CURRENT, True), journal(other.uri, "a"))
    assert other.stats()["collection"] == {"current": 2}
    assert all(hit.record.pinned for hit in other.search("fact", embed(["fact"])[0], 2))


def test_a_folder_is_read_without_hidden_files_and_links(tmp_path: Path) -> None:
    store, folder = open_tiny(tmp_path / "kb"), tmp_path / "notes"
    (folder / "deep" / ".git").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("Not to be read.")
    (folder / "link").symlink_to(outside)
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "loop").symlink_to(folder)
    (folder / ".hidden.txt").write_text("Hidden words.")
    (folder / "deep" / ".git" / "x.txt").write_text("Hidden too.")
    (folder / "a.txt").write_text("Plain words.")
    (folder / "deep" / "b.md").write_text("# B\n\nMarked words.")
    (folder / "deep" / "c.pdf").write_bytes(pdf("Printed words."))
    (folder / "deep" / "d.csv").write_text("text\nListed words.\n")
    (folder / "e.docx").write_bytes(b"PK")
    (folder / "f.txt").write_bytes(b"caf\xe9")
    report = import_sources(sources(folder), target(store), journal(store.uri, "a"))
    assert report.added == 4 and store.count() == 4
    assert [str(problem).split(":")[0] for problem in report.problems] == ["f.txt", str(folder)]
    assert "1 files of other formats" in report.problems[-1].reason


def test_what_cannot_be_a_source_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.docx").write_text("x")
    for path, kind, words in (
        (tmp_path / "gone.csv", Kind.AUTO, "cannot read"),
        (tmp_path / "a.docx", Kind.AUTO, "tells no format"),
        (tmp_path / "empty", Kind.AUTO, "no file in it"),
        (tmp_path / "empty", Kind.CSV, "is a folder"),
        (tmp_path / "a.docx", Kind.FOLDER, "not a folder"),
    ):
        with pytest.raises(InputError, match=words):
            list(path_sources(path, kind, READING))


def test_a_format_may_be_named_for_any_file(tmp_path: Path) -> None:
    store, file = open_tiny(tmp_path / "kb"), rows(tmp_path / "dump.data", 2)
    assert import_sources(sources(file, Kind.JSONL), target(store), journal(store.uri, "a")).added == 2


class _Stop(Exception):
    pass


def _stopping_after(source: Source, count: int) -> Source:
    def read() -> Iterator[Found]:
        for number, found in enumerate(source.read()):
            if number == count:
                raise _Stop
            yield found

    return Source(source.name, source.key, source.stamp, read)


def stop_in(folder: Path, store_uri: str) -> None:
    """Import a folder of two files, and be stopped in the second."""
    store = open_tiny(Path(store_uri))
    first, second = (part for part in sources(folder) if isinstance(part, Source))
    with pytest.raises(_Stop):
        import_sources([first, _stopping_after(second, 450)], target(store), journal(store.uri, "f"))
    assert store.count() == 10 + 400


def test_a_stopped_import_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, uri = tmp_path / "notes", str(tmp_path / "kb")
    folder.mkdir()
    rows(folder / "a.jsonl", 10)
    rows(folder / "b.jsonl", 600, 10)
    stop_in(folder, uri)
    store = open_tiny(Path(uri))
    report = import_sources(sources(folder), target(store), journal(uri, "f"))
    assert (report.passed_over, report.added, report.merged) == (410, 200, 0) and store.count() == 610
    assert import_sources(sources(folder), target(store), journal(uri, "f")).passed_over == 0


def test_a_file_that_changed_meanwhile_is_read_from_its_start(tmp_path: Path) -> None:
    folder, uri = tmp_path / "notes", str(tmp_path / "kb")
    folder.mkdir()
    rows(folder / "a.jsonl", 10)
    rows(folder / "b.jsonl", 600, 10)
    stop_in(folder, uri)
    rows(folder / "b.jsonl", 500, 5_000)
    store = open_tiny(Path(uri))
    report = import_sources(sources(folder), target(store), journal(uri, "f"))
    assert (report.passed_over, report.added) == (10, 500)


def test_another_import_does_not_see_the_journal_and_a_torn_one_is_read(tmp_path: Path) -> None:
    uri = str(tmp_path / "kb")
    Journal(uri, ["one"]).note("k", "s", 400, False)
    (file,) = (Path(uri) / FOLDER).iterdir()
    with file.open("a") as out:
        out.write('{"key": "k", "rows": 60')
    assert Journal(uri, ["two"]).load() == 0 and Journal(uri, ["one"]).load() == 400
    remote = Journal("s3://bucket/kb", ["one"])
    remote.note("k", "s", 400, False)
    assert remote.load() == 0
    file.write_bytes(b"\xff")
    with pytest.raises(StoreError, match="cannot read the journal"):
        Journal(uri, ["one"]).load()


def test_a_killed_import_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    file, uri = rows(tmp_path / "a.jsonl", 1_400), tmp_path / "kb"
    script = (
        "from pathlib import Path; from tests.kb.intake.test_import import *; "
        f"s = open_tiny(Path({str(uri)!r})); import_sources(sources(Path({str(file)!r})), target(s), journal(s.uri, 'k'))"
    )
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
        wait_for = time.monotonic() + 20
        before = journal(str(uri), "k").load()
        while time.monotonic() < wait_for and journal(str(uri), "k").load() < before + 200 and process.poll() is None:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    known = journal(str(uri), "k").load()
    assert known >= 400
    store = open_tiny(uri)
    report = import_sources(sources(file), target(store), journal(str(uri), "k"))
    assert report.passed_over == known and store.count() == 1_400


def test_a_large_file_never_lies_in_memory_whole(tmp_path: Path) -> None:
    """60 MB of rows that cannot be used, under a limit of 30 MB on top of what the libraries need."""
    file = tmp_path / "a.csv"
    with file.open("w") as out:
        out.write("text,source\n")
        line = ",https://a.example/" + "x" * 900 + "\n"
        for _ in range(65):
            out.write(line * 1_000)
    script = (
        "import resource; from pathlib import Path; from kb.intake.ingest import read_file; import kb.intake.formats.tables\n"
        "base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"count = sum(1 for found in read_file(Path({str(file)!r}), lambda html: None))\n"
        "print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024)"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    count, grown = map(int, run.stdout.split())
    assert count == 65_000 and grown < 30


def test_texts_of_a_denied_publisher_are_left_out_and_counted(tmp_path: Path) -> None:
    lists = DomainLists(tmp_path / "domains.csv")
    lists.add(parse_line("a.example", Rule.DENY, "", "", ""))
    store = EvidenceStore(str(tmp_path / "kb"), embed, CHECKSUM, lists.publisher_of)
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "One fact.", "source": "https://a.example/1"}\n{"text": "Another fact."}\n')
    report = import_sources(sources(file), target(store), journal(store.uri, "a"))
    assert (report.added, report.denied, store.count()) == (1, 1, 1)
