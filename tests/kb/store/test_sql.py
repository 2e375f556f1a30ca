from __future__ import annotations

from pathlib import Path

from kb.store.sql import any_of, with_urls
from tests.kb.stores import opened, statements

HOSTILE = ["o'brien.example", "'", "''", "x') OR (1=1", "\\'; DROP TABLE evidence; --", "%", '"', "\x1f"]


def test_a_quote_in_a_value_is_doubled() -> None:
    assert any_of("domain", ["o'brien.example", "b"]) == "domain IN ('o''brien.example', 'b')"


def test_no_value_is_read_as_a_command(tmp_path: Path) -> None:
    store = opened(tmp_path / "kb")
    (key, _) = store.add(statements(1, 2)).ids
    assert {value: store.get([value]) for value in HOSTILE} == {value: [] for value in HOSTILE}
    store._table.update(where=any_of("id", [key]), values_sql={"source_urls": with_urls({key: HOSTILE[:-1]})})
    (record,) = store.get([key])
    assert record.source_urls == ("https://site1.example/1", *HOSTILE[:-1]) and store.count() == 2
