from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from errors import InputError
from kb.intake.ingest import BadRow, parse_row, read_file, read_jsonl
from kb.record import NewEvidence
from web.extract import extract_page


def test_bad_rows_are_named_by_line_and_good_rows_come_through(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"text": "A fact.", "source": "https://a.example/x"}\nnot json\n\n{"text": ""}\n["list"]\n{"text": 5}\n{"text": "B."}'
    )
    found = list(read_file(file, extract_page))
    assert [item.text for item in found if isinstance(item, NewEvidence)] == ["A fact.", "B."]
    assert [item.line for item in found if isinstance(item, BadRow)] == [2, 4, 5, 6]


def test_dates_are_read_and_wrong_ones_refused() -> None:
    assert parse_row('{"text": "A.", "published_at": "2024-05-31"}').published_at == datetime(2024, 5, 31, tzinfo=UTC)
    with pytest.raises(InputError, match="published_at must be an ISO 8601 date"):
        parse_row('{"text": "A.", "published_at": "last week"}')


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("[1]", "object"),
        ('{"text": "123"}', "no letters"),
        ('{"text": "' + "x" * 4_001 + '"}', "at most 4,000"),
        ("{", "not JSON"),
    ],
)
def test_a_row_that_cannot_be_used_says_why(row: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_row(row)


def test_text_files_are_cut_into_passages(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("One. Two. Three. Four.\n\n***\n\nFive.", encoding="utf-8-sig")
    found = [item for item in read_file(file, extract_page) if isinstance(item, NewEvidence)]
    assert [item.text for item in found] == ["One. Two. Three.", "Four.", "Five."]
    assert {item.title for item in found} == {"notes"}


def test_pages_bring_title_address_and_date(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    story = "The bridge over the Vasco opened on Monday after four years of work, the city said. " * 4
    file.write_text(
        '<html><head><title>Bridge opens</title><link rel="canonical" href="https://news.example/bridge">'
        '<meta property="article:published_time" content="2024-05-31"></head>'
        f"<body><script>alert('x')</script><nav>Home</nav><article><h1>Bridge opens</h1><p>{story}</p></article></body></html>"
    )
    found = [item for item in read_file(file, extract_page) if isinstance(item, NewEvidence)]
    assert found and all(
        item.source == "https://news.example/bridge" and item.title == "Bridge opens" for item in found
    )
    assert found[0].published_at == datetime(2024, 5, 31, tzinfo=UTC)
    assert not any("alert" in item.text or "Home" in item.text for item in found)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.txt", b"", "no text in it"),
        ("empty.html", b"<html></html>", "no readable text"),
        ("latin.txt", b"caf\xe9", "not UTF-8"),
        ("table.xlsx", b"PK", "must end in"),
    ],
)
def test_files_that_cannot_be_used_say_why(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        list(read_file(tmp_path / name, extract_page))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*gone\.txt"):
        list(read_file(tmp_path / "gone.txt", extract_page))


def test_only_a_line_feed_ends_a_row() -> None:
    rows = list(read_jsonl('{"text": "One\u2028still one."}\n' + "[" * 100_000 + '\n{"text": "Two."}\n'))
    assert [row.text for row in rows if isinstance(row, NewEvidence)] == ["One\u2028still one.", "Two."]
    assert [row.line for row in rows if isinstance(row, BadRow)] == [2]
