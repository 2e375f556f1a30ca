from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from errors import InputError
from kb.intake.formats.pages import markdown_text
from kb.intake.formats.parquet import read_parquet
from kb.intake.formats.pdf import PdfLimits, read_pdf, unwrapped
from kb.intake.formats.tables import MAX_LINE
from kb.intake.ingest import BadRow, Found, read_file
from kb.record import Collection, NewEvidence
from tests.kb.intake.tiny_pdf import pdf, write


def texts(found: Sequence[Found]) -> list[str]:
    return [item.text for item in found if isinstance(item, NewEvidence)]


def bad(found: Sequence[Found]) -> list[tuple[int, str]]:
    return [(item.line, item.reason) for item in found if isinstance(item, BadRow)]


def read(path: Path) -> list[Found]:
    return list(read_file(path, lambda html: None))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_columns_are_the_fields_of_json_rows(tmp_path: Path, delimiter: str) -> None:
    file = tmp_path / "rows.csv"
    rows = [
        ["Text", "source", "published_at", "unknown", "collection"],
        ['"The weir at Orlo\nholds."', "https://a.example/1", "2024-05-31", "x", "current"],
        ["The mill stands.", "", "", "", ""],
    ]
    file.write_text("".join(delimiter.join(row) + "\r\n" for row in rows), encoding="utf-8-sig", newline="")
    first, second = [item for item in read(file) if isinstance(item, NewEvidence)]
    assert first.text == "The weir at Orlo\nholds." and first.source == "https://a.example/1"
    assert first.published_at == datetime(2024, 5, 31, tzinfo=UTC) and first.collection is Collection.CURRENT
    assert (second.text, second.source, second.collection) == ("The mill stands.", "", Collection.STATIC)


def test_bad_csv_rows_are_named_by_the_line_on_which_they_start(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(
        b'text,source\n"Two\nlines.",\n,no text\nA, b, c\nCaf\xe9 is open.,\nGood one.,\n"'
        + b"x" * 200_000
        + b'",\nLast one.,\n'
    )
    found = read(file)
    assert texts(found) == ["Two\nlines.", "Good one.", "Last one."]
    assert [line for line, _ in bad(found)] == [4, 5, 6, 8]
    reasons = " ".join(reason for _, reason in bad(found))
    assert all(words in reasons for words in ("no letters", "3 columns", "not UTF-8", "131,072 characters"))


@pytest.mark.parametrize("content", ["title,source\na,b\n", "", "\n"])
def test_a_csv_without_a_text_column_says_so(tmp_path: Path, content: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(content)
    with pytest.raises(InputError, match="must name a column 'text'"):
        read(file)


def test_a_line_without_end_is_passed_over_in_pieces(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    with file.open("w") as out:
        out.write('{"text": "Before."}\n')
        for _ in range(5):
            out.write("x" * MAX_LINE)
        out.write('\n{"text": "After."}\n')
    found = read(file)
    assert texts(found) == ["Before.", "After."] and bad(found)[0][0] == 2


def test_halves_of_character_pairs_are_refused_and_nulls_left_out(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"text": "Broken \\ud800 here."}\n{"text": "Null\\u0000s go."}\n')
    found = read(file)
    assert texts(found) == ["Nulls go."] and "not UTF-8" in bad(found)[0][1]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('{"text": "A.", "collection": "shelf"}', "static, current or pack/NAME"),
        ('{"text": "A.", "language": "the English one"}', "a code such as en"),
        ('{"text": "A.", "source_urls": "https://a.example"}', "must be a list"),
    ],
)
def test_fields_of_the_wrong_kind_are_refused(tmp_path: Path, row: str, words: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(row)
    assert words in bad(read(file))[0][1]


def test_any_parquet_table_with_a_text_column_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    table = pa.table(
        {"text": ["The weir holds.", "", None], "other": [1, 2, 3], "published_at": [datetime(2024, 1, 2)] * 3}
    )
    pq.write_table(table, file)
    found = list(read_parquet(file, "tiny"))
    assert texts(found) == ["The weir holds."] and [line for line, _ in bad(found)] == [2, 3]
    assert isinstance(found[0], NewEvidence) and found[0].published_at == datetime(2024, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", b"x" * 1_000])
def test_a_damaged_parquet_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read(write(tmp_path / "rows.parquet", content))


def test_markdown_is_read_as_people_see_it(tmp_path: Path) -> None:
    source = (
        "---\ntitle: 'Notes on Orlo'\n---\n# Head\n\nThe *weir* holds [well](http://a.example) & [ref][1].\nSame line.\n\n"
        "![a picture](p.png)\n\n<script>alert(1)</script>\n\n```\ncode = 1\n```\n\n- One item.\n- Two items.\n\n"
        "| a | b |\n|---|---|\n| cell | cell |\n\n> Quoted words.\n\n[1]: http://b.example\n"
    )
    title, text = markdown_text(source)
    assert title == "Notes on Orlo"
    assert text.splitlines() == ["The weir holds well & ref. Same line.", "One item.", "Two items.", "Quoted words."]
    file = tmp_path / "notes.md"
    file.write_text("# The mill\n\nIt stands.\n")
    assert [(item.title, item.text) for item in read(file) if isinstance(item, NewEvidence)] == [
        ("The mill", "It stands.")
    ]


def test_a_pdf_is_read_page_by_page_and_lines_are_joined(tmp_path: Path) -> None:
    pages = ("The weir at Orlo was exam-\nined in 1931 and\nfound sound.", "", "It was rebuilt later.")
    file = write(tmp_path / "report.pdf", pdf(*pages, title="The weir report"))
    found = [item for item in read(file) if isinstance(item, NewEvidence)]
    assert [(item.title, item.text) for item in found] == [
        ("The weir report, page 1", "The weir at Orlo was examined in 1931 and found sound."),
        ("The weir report, page 3", "It was rebuilt later."),
    ]
    (first, *_) = list(read_pdf(file, url="https://a.example/r.pdf"))
    assert isinstance(first, NewEvidence) and first.source == "https://a.example/r.pdf#page=1"


def test_a_title_that_is_a_draft_file_gives_way_to_the_name(tmp_path: Path) -> None:
    file = write(tmp_path / "report.pdf", pdf("The weir holds.", title="Microsoft Word - draft3.docx"))
    assert [item.title for item in read(file) if isinstance(item, NewEvidence)] == ["report, page 1"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (pdf("Secret words.", password="hidden"), "protected by a password"),
        (pdf("", ""), "text recognition"),
        (b"%PDF-1.7 and then nothing of use", "damaged"),
        (b"", "damaged"),
        (pdf("The weir holds.")[:300], "damaged"),
    ],
    ids=["locked", "scan", "damaged", "empty", "cut short"],
)
def test_a_pdf_that_cannot_be_used_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    ((line, reason),) = bad(read(write(tmp_path / "a.pdf", content)))
    assert line == 0 and words in reason


def test_pages_seconds_and_bytes_of_a_pdf_are_bounded(tmp_path: Path) -> None:
    file = write(tmp_path / "a.pdf", pdf("One page.", "Two pages.", "Three pages."))
    found = list(read_pdf(file, PdfLimits(pages=2)))
    assert texts(found) == ["One page.", "Two pages."] and "first 2 of its 3 pages" in bad(found)[0][1]
    start = time.monotonic()
    assert "more than 0.05 s" in bad(list(read_pdf(file, PdfLimits(seconds=0.05))))[0][1]
    assert time.monotonic() - start < 5
    with pytest.raises(InputError, match="at most 0 MB"):
        list(read_pdf(file, PdfLimits(bytes=10)))


def test_paragraphs_of_a_page_stay_apart() -> None:
    assert unwrapped("One\nline.\n \nAnother one.") == "One line.\nAnother one."
    assert unwrapped("North-\nSouth line") == "North- South line"


def test_a_cell_of_three_megabytes_is_skipped_and_said_why(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"text,source\nThe first row.,\n{'x' * 3_000_000},\nThe third row.,\n", encoding="utf-8")
    first, bad, third = read(path)
    assert isinstance(first, NewEvidence) and isinstance(third, NewEvidence) and third.text == "The third row."
    assert isinstance(bad, BadRow) and bad.line == 3
    assert bad.reason == "a line may have at most 1,000,000 characters; add longer texts as .txt files"


def test_a_cell_that_is_too_long_for_csv_is_skipped_and_said_why(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'text,source\n"{"x y " * 50_000}",\nThe third row.,\n', encoding="utf-8")
    bad, third = read(path)
    assert isinstance(bad, BadRow) and "at most 131,072 characters" in bad.reason and isinstance(third, NewEvidence)


def test_a_long_line_within_a_quoted_cell_takes_no_other_row_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'text,source\n"A cell begins\n{"x" * 1_500_000}",\nThe next row.,\n', encoding="utf-8")
    found, after = read(path)
    assert isinstance(found, BadRow) and isinstance(after, NewEvidence) and after.text == "The next row."
