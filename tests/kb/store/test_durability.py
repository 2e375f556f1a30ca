"""What a store survives: killed writers, a full disk, an older version's columns, and many users at once."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest

from errors import StoreError
from kb.record import arrow_schema, content_hash
from kb.store.evidence_store import EvidenceStore
from kb.store.usage import Usage
from tests.kb.stores import EMBEDDER, opened, spread, statements

ROOT = Path(__file__).parents[3]


def test_no_kill_loses_an_acknowledged_write(tmp_path: Path) -> None:
    """Four writers, two at a time, are killed at arbitrary moments: of what they said was stored, nothing is missing."""
    uri, acknowledged = str(tmp_path / "kb"), set()
    opened(uri)
    rng = np.random.default_rng(0)
    for pair in range(2):
        writers = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.kb.stores", uri, str(2 * pair + i)],
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            for i in range(2)
        ]
        for writer in writers:
            assert writer.stdout is not None
            acknowledged.add(int(writer.stdout.readline()))  # it is in the middle of its work now
        time.sleep(rng.uniform(0.05, 0.4))
        for writer in writers:
            writer.kill()
            out, _ = writer.communicate()
            acknowledged |= {int(line) for line in out.split("\n")[:-1]}
            assert writer.returncode == -9
        store = opened(uri)
        ids = store._table.to_arrow()["id"].to_pylist()
        assert len(ids) == len(set(ids))
        expected = [item for start in acknowledged for item in statements(*range(start, start + 5))]
        assert store.missing(expected) == []
        assert store.search("statement", spread(["statement"])[0], 5)
    assert len(acknowledged) >= 4
    store.add(statements(99_999_999))
    store.optimize()
    assert store.missing([*expected, *statements(99_999_999)]) == []


_FILL = """
import resource, signal, sys
from tests.kb.stores import opened, statements
from errors import StoreError
store = opened(sys.argv[1])
if sys.argv[2] == "limit":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
stored = 0
try:
    for start in range(0, 20_000, 400):
        store.add(statements(*range(start, start + 400)))
        stored = start + 400
except StoreError as exc:
    missing = len(opened(sys.argv[1]).missing(statements(*range(stored))))
    print(stored, missing, exc, sep="|")
"""


def run_full(command: list[str], uri: str, how: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, sys.executable, "-c", _FILL, uri, how], capture_output=True, text=True, cwd=ROOT, check=False
    )


def stored_until_full(run: subprocess.CompletedProcess[str]) -> int:
    """How many statements were stored before the disk was full; none of them is lost, and the error says so."""
    stored, missing, message = run.stdout.strip().split("|")
    assert int(missing) == 0, run.stderr
    assert message.startswith("cannot write to the evidence store at ")
    assert message.endswith("the disk is full; free some disk space; nothing stored was lost")
    return int(stored)


def test_a_file_that_may_not_grow_is_a_clear_error(tmp_path: Path) -> None:
    assert stored_until_full(run_full([], str(tmp_path / "kb"), "limit")) == 0  # the first file is larger than that


def test_a_full_disk_is_a_clear_error_and_loses_nothing(tmp_path: Path) -> None:
    """A real file system of four megabytes, in a mount namespace of its own."""
    (tmp_path / "disk").mkdir()
    shell = f'mount -t tmpfs -o size=4m none {tmp_path}/disk && exec "$@"'
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", shell, "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk of their own")
    assert stored_until_full(run_full(inside, str(tmp_path / "disk" / "kb"), "disk")) >= 400


@pytest.mark.parametrize("kept", [("id", "text", "vector"), ("id", "text", "vector", "source", "domain", "title")])
def test_a_store_of_an_older_version_is_brought_up_to_date(tmp_path: Path, kept: tuple[str, ...]) -> None:
    now = arrow_schema(EMBEDDER)
    old = pa.schema([now.field(name) for name in kept], metadata=now.metadata)
    text = "An  Old statement."
    row = {"id": content_hash(text)[:32], "text": text, "vector": spread([text])[0], "source": "https://a.example/1"}
    rows = [{name: row.get(name, "") for name in kept}]
    lancedb.connect(tmp_path / "kb").create_table("evidence", pa.Table.from_pylist(rows, schema=old))
    store = opened(tmp_path / "kb")
    assert set(store._table.schema.names) == set(now.names)
    (record,) = store.get([str(row["id"])])
    source = ("https://a.example/1",) if "source" in kept else ()
    assert record.source_urls == source and record.content_hash == content_hash(text)
    assert (record.origin, record.collection, record.source_type) == ("user", "static", "unknown")
    assert (record.source_credibility, record.access_count, record.text_length) == (0.5, 0, len(text))
    assert record.published_at is None and record.expires_at is None and record.timestamp.utcoffset() is not None
    store.add(statements(1, 2))
    store.record_usage([Usage(record.id, 1.0, True)])
    store.close()
    assert opened(tmp_path / "kb").get([record.id])[0].access_count == 1
    assert len(store.search("old statement", spread([text])[0], 5)) == 3


def test_a_table_of_something_else_is_refused(tmp_path: Path) -> None:
    lancedb.connect(tmp_path / "kb").create_table("evidence", pa.table({"name": ["x"]}))
    with pytest.raises(StoreError, match="has no column id, text, vector, so it is no evidence store"):
        opened(tmp_path / "kb")


def _add_many(uri: str, writer: int, seconds: float) -> None:
    store, start, end = opened(uri), writer * 100_000, time.monotonic() + seconds
    while time.monotonic() < end:
        ids = store.add([*statements(*range(start, start + 5)), *statements(-1)]).ids
        store.record_usage([Usage(ids[-1], 1.0, False)])
        start += 5
    store.close()
    os._exit((start - writer * 100_000) // 5 % 256)


def test_readers_and_writers_at_once(tmp_path: Path) -> None:
    """Eight readers in threads and two writing processes for two seconds: no error, and no use of a record is lost."""
    store = opened(tmp_path / "kb")
    (shared,) = store.add(statements(-1)).ids
    store.add(statements(*range(900_000, 901_000)))
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_many, args=(store.uri, n, 2.0)) for n in (1, 2)]
    done, errors, answers = threading.Event(), [], []

    def read(reader: int) -> None:
        while not done.is_set():
            query = f"statement {reader} of many"
            try:
                hits = store.search(query, spread([query])[0], 20)
            except StoreError as exc:
                errors.append(str(exc))
                return
            answers.append(len(hits))

    readers = [threading.Thread(target=read, args=(n,)) for n in range(8)]
    for writer in writers:
        writer.start()
    for reader in readers:
        reader.start()
    for writer in writers:
        writer.join()
    done.set()
    for reader in readers:
        reader.join()
    assert errors == [] and len(answers) > 20 and min(answers) == 20
    rounds = [writer.exitcode or 0 for writer in writers]
    assert min(rounds) > 0
    (record,) = store.get([shared])
    assert record.access_count == sum(rounds)
    assert store.count() == 1_001 + 5 * sum(rounds)


def test_two_stores_that_store_the_same_at_once_keep_both_addresses(tmp_path: Path) -> None:
    """The second insert finds the row there already: its address is added to it."""
    first, second = opened(tmp_path / "kb"), opened(tmp_path / "kb")
    barrier = threading.Barrier(2)

    def add(store: EvidenceStore, site: str) -> None:
        items = [type(item)(item.text, f"https://{site}.example/{n}") for n, item in enumerate(statements(*range(200)))]
        barrier.wait()
        store.add(items)

    threads = [threading.Thread(target=add, args=args) for args in ((first, "a"), (second, "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = first._table.search().select(["source_urls"]).limit(None).to_list()
    assert len(rows) == 200
    assert all(sorted(url[8] for url in row["source_urls"]) == ["a", "b"] for row in rows)
