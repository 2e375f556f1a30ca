"""A new version of a pack: what it no longer says goes, what somebody relies on stays, and a stop loses nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from errors import InputError, VerifierError
from kb.intake.exporting import Selection, export
from kb.intake.pack_files import Pack
from kb.intake.packs import PackReport, add_pack
from kb.record import EvidenceRecord, NewEvidence, Standing
from kb.store.evidence_store import EvidenceStore
from kb.store.usage import Usage
from tests.kb.intake.test_packs import ROOT, article, write_pack
from tests.kb.tiny import embed, open_tiny
from verifier.cli.kb import main

ARTICLES = 40


@pytest.fixture
def tiny(tmp_path: Path) -> EvidenceStore:
    return open_tiny(tmp_path / "kb")


def later(n: int) -> dict[str, str]:
    """An article of the new version: of 1 the second passage is another, all else is as it was."""
    made = article(n)
    return made | {"text": made["text"].replace("market hall", "town hall")} if n == 1 else made


def put(store: EvidenceStore, folder: Path, rows: Sequence[dict[str, str]], file: str = "wiki.parquet") -> PackReport:
    return add_pack(Pack("wiki", (write_pack(folder / file, list(rows)),)), store)


def records(store: EvidenceStore) -> dict[str, EvidenceRecord]:
    rows = store._table.search().where("collection = 'pack/wiki'").limit(None).to_list()
    return {row["text"]: EvidenceRecord.from_row(row) for row in rows}


def of(store: EvidenceStore, title: str) -> list[EvidenceRecord]:
    """The passages of an article, in their order: the first begins with its title."""
    found = [record for record in records(store).values() if record.title == title]
    return sorted(found, key=lambda record: record.text.startswith(f"{title}:"))


def test_a_new_version_leaves_what_a_fresh_store_would_have(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    tiny.add([NewEvidence("A text of the user's own.", "https://own.example/1")])
    newer = [later(n) for n in range(1, ARTICLES + 2)]
    report = put(tiny, tmp_path, newer)
    assert (report.added, report.removed, report.kept) == (5, 3, 0)  # 0 is gone, 1 has changed, two are new
    fresh = open_tiny(tmp_path / "fresh")
    put(fresh, tmp_path, newer)
    assert records(tiny).keys() == records(fresh).keys() and tiny.count() == fresh.count() + 1
    assert {record.standing for record in records(tiny).values()} == {Standing.AS_STORED}
    version = tiny.version
    again = put(tiny, tmp_path, newer)
    assert (again.articles, again.removed, tiny.version) == (0, 0, version)


def test_what_is_cited_pinned_or_said_elsewhere_stays_and_is_marked(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    cited, read = of(tiny, "Place 0")
    pinned, shared = of(tiny, "Place 1")
    tiny.record_usage([Usage(cited.id, 3.0, cited=True), Usage(read.id, 3.0, cited=False)])
    tiny.close()
    tiny._table.update(where=f"id = '{pinned.id}'", values={"pinned": True})
    tiny.add([NewEvidence(shared.text, "https://elsewhere.example/the-same-words")])
    report = put(tiny, tmp_path, [article(n) for n in range(2, ARTICLES)])
    assert (report.removed, report.kept) == (1, 3)
    after = {record.id: record for record in records(tiny).values()}
    assert read.id not in after and len(after) == 2 * (ARTICLES - 2) + 3
    for record in (cited, pinned, shared):
        kept = after[record.id]
        assert (kept.standing, kept.text) == (Standing.CHANGED, record.text) and kept.looked_at is not None
    assert [r.id for r in after.values() if r.standing is Standing.CHANGED] != []
    back = put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    assert (back.added, back.removed) == (1, 0)
    assert {record.standing for record in records(tiny).values()} == {Standing.AS_STORED}


def test_what_a_new_version_adds_is_there_before_anything_goes(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    path = write_pack(tmp_path / "wiki.parquet", [article(n) for n in range(10, ARTICLES + 10)])
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        if seen and done < seen[-1]:  # all is read, and is now read again
            raise VerifierError("stopped")
        seen.append(done)

    with pytest.raises(VerifierError, match="stopped"):
        add_pack(Pack("wiki", (path,)), tiny, stop)
    assert len(records(tiny)) == 2 * (ARTICLES + 10)
    report = add_pack(Pack("wiki", (path,)), tiny)
    assert (report.articles, report.before, report.removed) == (0, ARTICLES, 20) and len(records(tiny)) == 2 * ARTICLES


_KILLED = """
import os, signal, sys
from pathlib import Path
from kb.store import stale
from kb.intake.pack_files import Pack
from kb.intake.packs import add_pack
from tests.kb.tiny import open_tiny
stale._AT_ONCE = 4
mark = stale._mark
def killed(*args):
    mark(*args)
    os.kill(os.getpid(), signal.SIGKILL)
stale._mark = killed
add_pack(Pack("wiki", (Path(sys.argv[2]),)), open_tiny(Path(sys.argv[1])))
"""


def test_a_kill_while_passages_go_is_made_good_by_the_next_run(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    newer = [article(n) for n in range(10, ARTICLES)]
    path = write_pack(tmp_path / "wiki.parquet", newer)
    subprocess.run([sys.executable, "-c", _KILLED, tiny.uri, str(path)], cwd=ROOT, check=False)
    left = len(records(tiny))
    assert left == 2 * ARTICLES - 4
    assert add_pack(Pack("wiki", (path,)), tiny).removed == 16 and len(records(tiny)) == 2 * len(newer)


def test_files_that_come_one_by_one_remove_nothing_of_each_other(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(20)], "a.parquet")
    assert put(tiny, tmp_path, [article(n) for n in range(20, 40)], "b.parquet").removed == 0
    changed = put(tiny, tmp_path, [article(n) for n in range(10)], "a.parquet")
    assert (changed.removed, len(records(tiny))) == (0, 80)  # b is not at hand, and may say it
    both = Pack("wiki", (tmp_path / "a.parquet", tmp_path / "b.parquet"))
    assert add_pack(both, tiny).removed == 20 and len(records(tiny)) == 60


def test_a_pack_of_the_hub_with_fewer_files_loses_those_that_are_gone(tiny: EvidenceStore, tmp_path: Path) -> None:
    paths = [write_pack(tmp_path / f"{k}.parquet", [article(n) for n in range(20 * k, 20 * k + 20)]) for k in range(3)]
    add_pack(Pack("wiki", tuple(paths), complete=True), tiny)
    assert add_pack(Pack("wiki", tuple(paths[:2])), tiny).removed == 0
    assert add_pack(Pack("wiki", tuple(paths[:2]), complete=True), tiny).removed == 40


def test_a_version_that_says_almost_nothing_removes_nothing(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    with pytest.raises(InputError, match=r"have 10 passages of what .* not 70 others; none was removed"):
        put(tiny, tmp_path, [article(n) for n in range(5)])
    assert len(records(tiny)) == 2 * ARTICLES
    (tmp_path / "wiki.parquet").write_bytes(b"PAR1" + b"\0" * 100)
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        add_pack(Pack("wiki", (tmp_path / "wiki.parquet",)), tiny)
    assert len(records(tiny)) == 2 * ARTICLES


def test_an_export_that_has_changed_counts_by_its_passages(tiny: EvidenceStore, tmp_path: Path) -> None:
    put(tiny, tmp_path, [article(n) for n in range(ARTICLES)])
    file, space = tmp_path / "shipped.parquet", open_tiny(tmp_path / "space")
    export(tiny.uri, file, Selection("pack/wiki", vectors=True))
    add_pack(Pack("wiki", (file,)), space, embed=embed)
    put(tiny, tmp_path, [later(n) for n in range(5, ARTICLES)])
    export(tiny.uri, file, Selection("pack/wiki", vectors=True))
    assert add_pack(Pack("wiki", (file,)), space, embed=embed).removed == 10
    assert records(space).keys() == records(tiny).keys()


def test_the_command_says_what_went(store: EvidenceStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wiki.parquet"
    for numbers in (range(20), range(3, 20)):
        write_pack(path, [article(n) for n in numbers])
        main(["packs", "add", str(path), "--kb", store.uri])
    assert capsys.readouterr().out.rstrip().endswith("; 6 passages that it no longer has removed, 0 kept")
