"""Evidence and claims that a user hands over, in files of many kinds, in lists, and on standard input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from errors import InputError
from kb.publishers.credibility import publisher_of
from tests.kb.intake.tiny_pdf import pdf
from verifier.check.user_evidence import MAX_GIVEN, read_given, read_given_file
from verifier.cli.common import standard_input
from verifier.serve.batch import Row, rows_of

BRIDGE = "The Vasco bridge was opened on 3 May 1931."
LONG = f"{BRIDGE} {'It is painted grey. ' * 100}"


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("note.txt", LONG),
        ("note.md", f"# Bridge\n\n**The Vasco bridge** was opened on 3 May 1931.\n\n{'It is painted grey. ' * 100}"),
        ("page.html", f"<html><body><article><h1>Bridge</h1><p>{LONG}</p></article></body></html>"),
        ("page.pdf", pdf(BRIDGE)),
    ],
)
def test_a_file_by_one_author_is_one_piece_of_evidence(tmp_path: Path, name: str, content: str | bytes) -> None:
    (piece,) = read_given_file(written(tmp_path / name, content))
    assert BRIDGE in piece.text


def test_rows_are_a_piece_each_and_none_is_left_out(tmp_path: Path) -> None:
    rows = f'{{"text": "{BRIDGE}"}}\n{{"text": "It is grey."}}\n'
    assert len(read_given_file(written(tmp_path / "a.jsonl", rows))) == 2
    assert len(read_given_file(written(tmp_path / "a.csv", f"text,source\n{BRIDGE},\nIt is grey.,\n"))) == 2
    for name, content, reason in (
        ("b.jsonl", rows + '{"text": ""}', "b.jsonl, line 3: text is empty"),
        ("b.docx", "x", "b.docx: a file must end in"),
        ("b.jsonl", "\n", "no evidence in it"),
    ):
        with pytest.raises(InputError, match=reason):
            read_given_file(written(tmp_path / name, content))


def test_a_list_of_evidence_counts_as_its_json() -> None:
    rows: list[object] = [BRIDGE, {"text": "It is grey.", "source": "https://a.example/"}]
    assert read_given(rows, publisher_of) == read_given(json.dumps(rows), publisher_of)
    with pytest.raises(InputError, match=f"at most {MAX_GIVEN:,} characters"):
        read_given(["x" * MAX_GIVEN], publisher_of)
    with pytest.raises(InputError, match="evidence must be a text, or a list of texts"):
        read_given(5, publisher_of)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["A is b\n\nC is d\n", "id,claim\n1,A is b\n2,C is d\n", '{"claim": "A is b"}\n{"claim": "C is d"}\n'],
)
def test_claims_without_the_name_of_a_file_are_told_by_their_form(text: str) -> None:
    assert rows_of(text) == [Row(1, {"claim": "A is b"}), Row(2, {"claim": "C is d"})]


def test_standard_input_is_read_as_utf_8_and_a_terminal_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\ufeffZürich".encode()), encoding="ascii"))
    assert standard_input() == "Zürich"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(InputError, match="standard input: not UTF-8"):
        standard_input()
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="pipe text into this command"):
        standard_input()
