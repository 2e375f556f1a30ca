"""The file of a check that may be stopped: what is in it is not checked again, and nothing else is taken for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from errors import InputError
from tests.verifier.document.document_cases import mark, small
from verifier.document.export.as_jsonl import document_to_jsonl
from verifier.document.export.from_jsonl import result_of
from verifier.document.journal import Journal
from verifier.document.schema import DocumentText, Outcome


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_what_is_noted_is_there_at_once_and_is_done_for_the_next_run(tmp_path: Path) -> None:
    made, path = small(), tmp_path / "a.jsonl"
    with Journal(path, made.document) as journal:
        assert journal.done == () and [line["type"] for line in lines(path)] == ["document"]
        journal.sentences(made.sentences)
        journal.mark(made.marks[0])
        journal.mark(replace(made.marks[2], outcome=Outcome.FAILED, result=None))
        assert [line["type"] for line in lines(path)] == ["document", *["sentence"] * 4, "claim", "claim"]
    with Journal(path, made.document) as journal:
        assert [found.claim for found in journal.done] == [made.marks[0].claim]
        assert journal.done[0].result is not None and journal.done[0].result.session_id == "3f2a-99b1-77"
        journal.sentences(made.sentences)
        journal.mark(made.marks[2])
    assert [line["type"] for line in lines(path)].count("sentence") == 4
    read = result_of(lines(path), "a.jsonl")
    assert [found.outcome for found in read.marks] == [Outcome.CHECKED, Outcome.CHECKED]


def test_a_run_that_was_killed_before_the_sentences_writes_them_later(tmp_path: Path) -> None:
    made, path = small(), tmp_path / "a.jsonl"
    Journal(path, made.document).__exit__(None, None, None)
    with Journal(path, made.document) as journal:
        journal.sentences(made.sentences)
    assert [line["type"] for line in lines(path)] == ["document", *["sentence"] * 4]


def test_a_line_that_a_crash_cut_short_is_removed(tmp_path: Path) -> None:
    made, path = small(), tmp_path / "a.jsonl"
    whole = document_to_jsonl(made).encode()
    for cut in (len(whole) - 3, whole.rindex(b'{"type": "claim"') + 40):
        path.write_bytes(whole[:cut])
        with Journal(path, made.document) as journal:
            journal.sentences(made.sentences)
            journal.mark(mark(1, None))
        kinds = [line["type"] for line in lines(path)]
        assert kinds[-1] == "claim" and kinds.count("claim") >= 3 and lines(path)[-1]["sentence"] == 1


def test_a_whole_result_is_a_journal_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(document_to_jsonl(small()), encoding="utf-8")
    with Journal(path, small().document) as journal:
        assert len(journal.done) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (document_to_jsonl(small()), "the check of another text"),
        ('{"row": 1}\n', "something else than a checked text"),
        ("plain words\n", "something else than a checked text"),
        ("no line at all", "something else than a checked text"),
        ('{"type": "document"}\n', "no checked text, or was changed"),
        (document_to_jsonl(small()).replace('"worth": 0.75', '"worth": "x"'), "another text|a line of it is damaged"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        Journal(path, DocumentText("Another text.", "b.txt"))
    assert path.read_text("utf-8") == content


def test_a_damaged_claim_and_a_folder_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(document_to_jsonl(small()).replace('"worth": 0.75', '"worth": "x"'), encoding="utf-8")
    with pytest.raises(InputError, match="a line of it is damaged"):
        Journal(path, small().document)
    with pytest.raises(InputError, match="cannot use"):
        Journal(tmp_path, small().document)
