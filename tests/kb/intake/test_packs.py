"""Packs of articles: from a file to passages that are found, twice, cut short, killed half-way, and out again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from pytest_httpserver import HTTPServer

from errors import DownloadError, InputError
from kb.cli.packs import fetch
from kb.intake import packs
from kb.intake.exporting import Selection, export
from kb.intake.held_packs import held_packs, remove_pack
from kb.intake.known_packs import KnownPack, Shard
from kb.intake.pack_files import Pack, files_of
from kb.intake.packs import add_pack, fetch_pack
from kb.record import NewEvidence
from kb.store.evidence_store import EvidenceStore
from tests.kb.stores import spread
from tests.kb.tiny import CHECKSUM, embed, open_tiny
from tests.models.fake_hub import FakeHub
from verifier.api.packs import shards_of
from verifier.cli.kb import main

ROOT = Path(__file__).parents[3]


def article(n: int) -> dict[str, str]:
    lead = (
        f"Place {n} is a town in the invented county of Vell, founded in {1100 + n} by weavers and sailors who had come "
        f"from the coast.\n\nIt has {n * 37 + 5} inhabitants and lies on the river Osk, which floods the lower streets in "
        "most years. The old market hall is used as a library now."
    )
    text = f"{lead}\n\nHistory\n\nThe history of the town is not part of its lead."
    return {"id": str(n), "url": f"https://wiki.example/Place_{n}", "title": f"Place {n}", "text": text}


def write_pack(path: Path, rows: list[dict[str, str]], group: int = 50) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def packs_in(uri: str) -> dict[str, int]:
    return {pack.name: pack.passages for pack in held_packs(uri)}


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "wiki.parquet", [article(n) for n in range(200)])


@pytest.fixture
def tiny(tmp_path: Path) -> EvidenceStore:
    return open_tiny(tmp_path / "kb")


def test_a_pack_is_added_found_and_removed_with_one_commit(tiny: EvidenceStore, shard: Path) -> None:
    tiny.add([NewEvidence("A text of the user's own.", "https://own.example/1")])
    told: list[tuple[int, int]] = []
    report = add_pack(Pack("wiki", (shard,)), tiny, lambda done, total: told.append((done, total)))
    assert (report.articles, report.added, report.known, report.skipped) == (200, 400, 0, 0)
    assert told[-1] == (200, 200) and packs_in(tiny.uri) == {"wiki": 400} and tiny.count() == 401
    (hit,) = tiny.search("county of Vell Place 17", embed(["x"])[0], 1)
    record = hit.record
    assert (
        record.source == f"https://wiki.example/{record.title.replace(' ', '_')}" and record.collection == "pack/wiki"
    )
    assert record.publisher == "wiki (CC BY-SA 4.0)" and record.expires_at is None
    before = tiny.version
    assert remove_pack(tiny.uri, "wiki") == 400
    assert tiny.version == before + 1 and tiny.count() == 1 and packs_in(tiny.uri) == {}
    assert add_pack(Pack("wiki", (shard,)), tiny).added == 400


def test_a_pack_that_is_added_twice_is_read_once(tiny: EvidenceStore, shard: Path) -> None:
    add_pack(Pack("wiki", (shard,)), tiny)
    version = tiny.version
    again = add_pack(Pack("wiki", (shard,)), tiny)
    assert (again.articles, again.before, tiny.version) == (0, 200, version)


def test_two_packs_with_the_same_articles_store_them_once(tiny: EvidenceStore, shard: Path, tmp_path: Path) -> None:
    add_pack(Pack("wiki", (shard,)), tiny)
    rows = [article(n) | {"url": f"https://mirror.example/{n}"} for n in range(150, 250)]
    report = add_pack(Pack("mirror", (write_pack(tmp_path / "other.parquet", rows),)), tiny)
    assert (report.added, report.known) == (100, 100) and packs_in(tiny.uri) == {"mirror": 100, "wiki": 400}
    rows_of = tiny._table.search().where("title = 'Place 160'").limit(2).to_list()
    assert [row["source_urls"][1:] for row in rows_of] == [["https://mirror.example/160"]] * 2


def test_several_shards_and_what_is_wrong_with_one(tiny: EvidenceStore, shard: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    write_pack(folder / "a.parquet", [article(n) for n in range(30)])
    cut = folder / "b.parquet"
    cut.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"b\.parquet: cannot be read as Parquet .* fetch it again"):
        add_pack(Pack("wiki", files_of(folder)), tiny)
    assert tiny.count() == 0
    write_pack(cut, [{"text": "A text.", "source": "https://a.example"}])
    with pytest.raises(InputError, match=r"b\.parquet: a pack's file has the columns .* has no url, title"):
        add_pack(Pack("wiki", files_of(folder)), tiny)
    write_pack(cut, [article(n) for n in range(30, 60)])
    assert add_pack(Pack("wiki", files_of(folder)), tiny).added == 120
    broken = bytearray(shard.read_bytes())
    broken[2_000:6_000] = os.urandom(4_000)
    cut.write_bytes(bytes(broken))
    with pytest.raises(InputError, match=r"b\.parquet"):
        add_pack(Pack("wiki", files_of(folder)), tiny)
    assert tiny.count() >= 120


def test_a_pack_that_does_not_fit_is_refused(tiny: EvidenceStore, shard: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "ARTICLE_BYTES", 10**15)
    with pytest.raises(InputError, match=r"the pack wiki needs about 200,000,000.00 GB, and [\d,.]+ GB are free"):
        add_pack(Pack("wiki", (shard,)), tiny)
    assert tiny.count() == 0


def test_a_known_pack_that_does_not_fit_is_refused_before_anything_is_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(tell: Callable[[int, int], None]) -> Path:
        raise AssertionError("a file was fetched")

    uri, folder = str(tmp_path / "kb"), tmp_path / "packs"
    small = KnownPack("wiki", "wiki/pedia", ("a.parquet",), 200, 0.1, "invented")
    huge = [Shard("a.parquet", 10**16, never)]
    needs = r"the pack wiki needs about 10,000,000\.\d\d GB, and [\d,.]+ GB are free in .*; free some space"
    with pytest.raises(InputError, match=needs):
        fetch_pack(small, huge, uri, folder, False, lambda shard: lambda done, total: None)
    many = replace(small, articles=10**12)
    with pytest.raises(InputError, match=r"needs about 50,000,000\.00 GB"):
        fetch(many, [Shard("a.parquet", 1_000, never)], uri, folder, False)
    said = capsys.readouterr().err
    assert "1,000,000,000,000 articles of wiki/pedia, licence CC BY-SA 4.0" in said and "a.parquet  0.0 MB" in said
    with pytest.raises(InputError, match=r"needs about 17,000,000\.00 GB"):
        fetch(replace(small, gb=10**5), [Shard("a.parquet", 1_000, never)], uri, folder, True)
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import sys
from pathlib import Path
from kb.intake import packs
from kb.intake.pack_files import Pack
from tests.kb.tiny import open_tiny
packs._PART = 20
packs.add_pack(Pack("wiki", (Path(sys.argv[2]),)), open_tiny(Path(sys.argv[1])), lambda done, total: print(done, flush=True))
"""


def test_a_pack_goes_on_after_a_kill(tmp_path: Path, shard: Path) -> None:
    kb = tmp_path / "kb"
    command = [sys.executable, "-c", _KILLED, str(kb), str(shard)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        while int(process.stdout.readline()) < 60:
            pass
        time.sleep(0.05)
        process.kill()
    store = open_tiny(kb)
    before = store.count()
    assert 0 < before < 400
    report = add_pack(Pack("wiki", (shard,)), store)
    assert report.before >= 50 and report.before + report.articles == 200
    assert store.count() == 400 and report.added == 400 - before


def test_a_pack_of_another_store_comes_with_its_vectors(tiny: EvidenceStore, shard: Path, tmp_path: Path) -> None:
    add_pack(Pack("wiki", (shard,)), tiny)
    file = tmp_path / "shipped.parquet"
    assert export(tiny.uri, file, Selection("pack/wiki", vectors=True)).records == 400
    asked: list[int] = []

    def counted(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(len(texts))
        return embed(texts)

    space = EvidenceStore(str(tmp_path / "space"), counted, CHECKSUM)
    report = add_pack(Pack("wiki", (file,)), space, embed=counted)
    assert (report.articles, report.added) == (400, 400) and packs_in(space.uri) == {"wiki": 400}
    assert sum(asked) == 1  # the one that is compared
    kept, made = ({row["id"]: row for row in store._table.to_arrow().to_pylist()} for store in (space, tiny))
    same = ("text", "source", "source_urls", "title", "publisher", "collection", "origin", "vector")
    assert all(kept[key][name] == made[key][name] for key in made for name in same)
    assert add_pack(Pack("wiki", (file,)), space, embed=counted).articles == 0
    other = EvidenceStore(str(tmp_path / "other"), spread, CHECKSUM)
    assert add_pack(Pack("wiki", (file,)), other, embed=spread).added == 400
    record = other._table.search().limit(1).to_list()[0]
    assert np.allclose(record["vector"], spread([record["text"]])[0])


@pytest.fixture
def hub(httpserver: HTTPServer) -> FakeHub:
    fake = FakeHub(httpserver)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(fake.answer)
    return fake


def test_the_shards_of_a_known_pack_come_from_the_hub(hub: FakeHub, shard: Path, tmp_path: Path) -> None:
    known = KnownPack("small", "wiki/pedia", ("2023/a.parquet", "2023/b.parquet"), 200, 0.1, "invented")
    hub.add("datasets/wiki/pedia", "2023/a.parquet", shard.read_bytes())
    folder = tmp_path / "packs"
    with pytest.raises(DownloadError, match="no file 2023/b.parquet"):
        shards_of(known, folder=folder, endpoint=hub.endpoint)
    hub.add("datasets/wiki/pedia", "2023/b.parquet", b"other" * 3_000)
    shards = shards_of(known, folder=folder, endpoint=hub.endpoint)
    assert [(found.name, found.size) for found in shards] == [
        ("2023/a.parquet", shard.stat().st_size),
        ("2023/b.parquet", 15_000),
    ]
    assert not hub.asked("GET")
    path = shards[0].fetch(lambda done, total: None)
    assert path.read_bytes() == shard.read_bytes()
    asked = len(hub.seen)
    here = shards_of(KnownPack("small", "wiki/pedia", ("2023/a.parquet",), 200, 0.1, "x"), folder=folder)
    assert (here[0].size, here[0].fetch(lambda done, total: None), len(hub.seen)) == (0, path, asked)
    hub.add("datasets/wiki/pedia", "2023/a.parquet", b"newer" * 3_000)
    again = shards_of(known, again=True, folder=folder, endpoint=hub.endpoint)
    assert again[0].size == 15_000 and again[0].fetch(lambda done, total: None).read_bytes() == b"newer" * 3_000


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    return (status, *capsys.readouterr())


def test_the_commands(
    store: EvidenceStore,
    shard: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VERIFIER_STARTER", "off")
    kb = ("--kb", store.uri)
    small = write_pack(tmp_path / "Wiki small.parquet", [article(n) for n in range(80)])
    status, out, _ = run(capsys, "packs", "add", str(small), *kb)
    assert status == 0 and out.startswith(
        "wiki-small: 80 articles read, 160 passages added, 0 known already, 0 articles"
    )
    status, out, _ = run(capsys, "packs", "add", str(small), *kb)
    assert status == 0 and out.startswith("the pack wiki-small is in the store already")
    status, out, _ = run(capsys, "packs", "list", "--json", *kb)
    found = json.loads(out)
    assert [(row["name"], row["passages"]) for row in found][:2] == [("wiki-small", 160), ("simple-wikipedia", 0)]
    status, out, _ = run(capsys, "search", "How many people live in Place 11?", "--json", "--limit", "3", *kb)
    assert status == 0 and any("It has 412 inhabitants" in row["text"] for row in json.loads(out))
    assert run(capsys, "packs", "remove", "wiki-small", *kb)[1] == "160 passages of wiki-small removed\n"
    status, _, err = run(capsys, "packs", "remove", "wiki-small", *kb)
    assert status == 2 and "there is no pack wiki-small in the store" in err
    assert "there is no file" in run(capsys, "packs", "add", str(tmp_path / "none.parquet"), *kb)[2]
    assert "a pack's name is 1 to 64" in run(capsys, "packs", "add", str(small), "--name", "a'b", *kb)[2]
    assert "no pack of the hub is in the store" in run(capsys, "packs", "update", *kb)[2]
