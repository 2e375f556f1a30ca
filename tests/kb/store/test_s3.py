"""A store on object storage, over the real S3 protocol on loopback; and an address of LanceDB's own server."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from errors import StoreError
from kb.store import place, table
from kb.store.place import Access, connect, use
from kb.store.usage import Usage
from kb.upkeep import maintenance
from kb.upkeep.reembed import reembed
from tests.kb.store.s3 import BUCKET, SHARED, S3Server, access, s3_server
from tests.kb.stores import opened, spread, statements
from verifier.settings import Settings

ROOT = Path(__file__).parents[3]
URI = f"s3://{BUCKET}/kb"


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as found:
        yield found


@pytest.fixture(autouse=True)
def _keys(server: S3Server) -> Iterator[None]:
    use(access(server.port))
    yield
    use(Access())


def test_two_processes_that_write_at_once_lose_nothing_and_store_nothing_twice(server: S3Server) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.kb.store.s3", str(server.port), str(writer)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for writer in (1, 2)
    ]
    for writer in writers:
        assert writer.stdout and writer.stdout.readline() == "ready\n"
    server.let_writers_meet(2)
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    assert server.conditional > server.refused >= 1  # they did get in each other's way, or this test shows nothing
    store = opened(URI)
    ids = store._table.search().select(["id"]).limit(None).to_arrow()["id"].to_pylist()
    assert len(ids) == len(set(ids)) == 450
    own = [n for writer in (1, 2) for n in range(writer * 10_000, writer * 10_000 + 200)]
    assert store.missing(statements(*own, *SHARED)) == []


def test_a_store_on_object_storage_does_what_one_in_a_folder_does() -> None:
    uri = f"s3://{BUCKET}/another"
    store = opened(uri)
    assert store.add(statements(1, 2, 3)).added == 3
    assert store.add(statements(3, 4)).added == 1
    [found, *_] = store.search("Statement number 3", spread(["Statement number 3 of many."])[0], 2)
    assert found.record.text == "Statement number 3 of many."
    store.record_usage([Usage(found.record.id, 0.5, cited=False)])
    store.close()
    assert opened(uri).get([found.record.id])[0].access_count == 1
    assert maintenance.optimize(uri).records == 4
    assert reembed(uri, spread, "another", lambda done, total: None) == 4
    with pytest.raises(StoreError, match="filled by another embedder"):
        opened(uri)
    assert maintenance.reset(uri, confirmed=True) == 4
    assert not table.exists(uri)


def test_the_settings_open_it_and_never_show_a_key(server: S3Server) -> None:
    keys = access(server.port)
    values = {
        "VERIFIER_KB_URI": URI,
        "VERIFIER_S3_ENDPOINT": keys.endpoint,
        "AWS_ACCESS_KEY_ID": keys.key,
        "AWS_SECRET_ACCESS_KEY": keys.secret,
        "LANCEDB_API_KEY": "sk_never_shown",
    }
    settings = Settings.from_env(values)
    assert settings.kb_access.s3_options().items() >= keys.s3_options().items()
    assert not any(secret in repr(settings) for secret in (keys.key, keys.secret, "sk_never_shown"))


@pytest.mark.parametrize(
    ("uri", "words"),
    [("s3://no-such-bucket/kb", "NoSuchBucket"), (f"s3://{BUCKET}/x", "tcp connect|refused|error")],
)
def test_what_does_not_answer_is_said_soon_and_without_keys(server: S3Server, uri: str, words: str) -> None:
    if uri.startswith(f"s3://{BUCKET}"):
        use(access(9))
    start = time.monotonic()
    with pytest.raises(StoreError, match=words) as raised:
        opened(uri)
    assert time.monotonic() - start < 30
    assert "VERIFIER_S3_ENDPOINT" in str(raised.value) and "\n" not in str(raised.value)
    assert access(9).key not in str(raised.value) and access(9).secret not in str(raised.value)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(StoreError, match="no user's name or password") as raised:
        opened("s3://me:hunter22@bucket/kb")
    assert "hunter22" not in str(raised.value)


def test_a_lancedb_server_is_asked_for_with_its_key_and_a_dead_one_is_said_soon() -> None:
    with pytest.raises(StoreError, match="set LANCEDB_API_KEY"):
        opened("db://evidence")
    use(Access(server_key="sk_never_shown", server_host="http://127.0.0.1:9"))
    assert type(connect("db://evidence")).__name__ == "RemoteDBConnection"
    start = time.monotonic()
    with pytest.raises(StoreError, match="http://127.0.0.1:9 answers") as raised:
        opened("db://evidence")
    assert time.monotonic() - start < 20 and "sk_never_shown" not in str(raised.value)


def test_a_key_in_what_the_library_says_is_hidden() -> None:
    use(Access(secret="a-secret-that-is-never-shown"))
    assert place.reason(OSError("signed with a-secret-that-is-never-shown")) == "signed with …"
