"""Whole texts as cases: the file that ships is sound, wrong rows are named, and each figure is what its definition says."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from errors import InputError
from tests.verifier.document.document_cases import mark
from tests.verifier.report.report_cases import result
from verifier.check.gather import Models
from verifier.check.pipeline import Verifier
from verifier.document.schema import DocumentResult, DocumentText, Sentence, SentenceKind
from verifier.document.summary import Side
from verifier.evaluation.document_cases import LabelledDocument, LabelledSentence, read_documents
from verifier.evaluation.document_measures import as_table, average_precision, figures_of, write_rows
from verifier.evaluation.documents import CASES, checked, judged
from verifier.schema import Verdict
from verifier.settings import Settings

ROW = {
    "id": "orlo",
    "split": "dev",
    "topic": "history",
    "form": "article",
    "text": "The weir is old. It fell in 1931. I like it.",
    "sentences": [
        {"start": 0, "end": 16, "kind": "fact", "worth": True, "expected": "True"},
        {"start": 17, "end": 33, "kind": "fact", "worth": True, "expected": "False", "planted": True},
        {"start": 34, "end": 44, "kind": "opinion", "worth": False},
    ],
    "evidence": [{"text": "The weir at Orlo is very old and still stands.", "source": "https://orlo.example/weir"}],
}


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_texts_that_ship_are_forty_with_some_three_hundred_sentences() -> None:
    documents = read_documents(CASES)
    assert len(documents) == len({found.id for found in documents}) == len({found.text for found in documents}) == 40
    assert Counter(found.split for found in documents) == {"dev": 20, "test": 20}
    for split in ("dev", "test"):
        own = [found for found in documents if found.split == split]
        assert len({found.topic for found in own}) == 9 and len({found.form for found in own}) == 6
        planted = [label for found in own for label in found.sentences if label.planted]
        chat = [label for found in own if found.form == "chatbot" for label in found.sentences if label.planted]
        assert len(planted) >= 40 and len(chat) >= 12
    labels = [label for found in documents for label in found.sentences]
    assert len(labels) >= 300 and {label.kind for label in labels} == set(SentenceKind) - {SentenceKind.UNREAD}
    assert {label.expected for label in labels} == {None, Verdict.TRUE, Verdict.FALSE, Verdict.NOT_ENOUGH_EVIDENCE}


def test_the_labels_of_a_text_cover_it_in_order_and_its_evidence_does_not_repeat_it() -> None:
    for found in read_documents(CASES):
        spans = [(label.start, label.end) for label in found.sentences]
        assert spans == sorted(spans) and all(
            left[1] <= right[0] for left, right in zip(spans, spans[1:], strict=False)
        )
        rest = "".join(
            found.text[a:b] for a, b in zip([0, *(e for _, e in spans)], [*(s for s, _ in spans), None], strict=True)
        )
        assert not rest.strip(), found.id
        assert len(found.evidence) >= 3
        assert not any(found.text[a:b] in piece.text for a, b in spans for piece in found.evidence), found.id


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": ""}, 'line 1: it needs a "text"'),
        ({"sentences": []}, 'line 1: it needs a "text" and its "sentences"'),
        ({"sentences": ["x"]}, "line 1, sentence 1: must be an object"),
        ({"sentences": [{"start": 5, "end": 90, "kind": "fact"}]}, "two places in the text, which has 44"),
        ({"sentences": [{"start": 0, "end": 5, "kind": "guess"}]}, '"kind" must be one of fact, opinion'),
        ({"sentences": [{"start": 0, "end": 5, "kind": "fact", "worth": True}]}, "no expected verdict"),
        ({"sentences": [{"start": 0, "end": 5, "kind": "fact", "planted": True}]}, "a planted error must be"),
        ({"evidence": "x"}, '"evidence" must be a list'),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_documents(write(tmp_path / "a.jsonl", ROW | change))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no texts in it"):
        read_documents(write(tmp_path / "a.jsonl"))


def label(start: int, end: int, expected: Verdict | None, planted: bool = False) -> LabelledSentence:
    kind = SentenceKind.FACT if expected else SentenceKind.OPINION
    return LabelledSentence(start, end, kind, expected is not None, expected, planted)


def test_the_figures_are_what_their_definitions_say(tmp_path: Path) -> None:
    text = "".join(f"Sentence {number}.\n" for number in range(6))
    places = [(12 * number, 12 * number + 11) for number in range(6)]
    expected = (Verdict.TRUE, Verdict.TRUE, Verdict.FALSE, Verdict.FALSE, Verdict.NOT_ENOUGH_EVIDENCE, None)
    labels = tuple(
        label(*place, verdict, verdict is Verdict.FALSE) for place, verdict in zip(places, expected, strict=True)
    )
    document = LabelledDocument("a", "test", "art", "chatbot", text, labels, ())
    kinds = (
        SentenceKind.FACT,
        SentenceKind.FACT,
        SentenceKind.FACT,
        SentenceKind.OPINION,
        SentenceKind.FACT,
        SentenceKind.FACT,
    )
    sentences = tuple(Sentence(*place, kind) for place, kind in zip(places, kinds, strict=True))
    said = {
        0: Verdict.TRUE,
        1: Verdict.PARTIALLY_TRUE,
        2: Verdict.FALSE,
        4: Verdict.TRUE,
        5: Verdict.NOT_ENOUGH_EVIDENCE,
    }
    marks = tuple(mark(number, result(verdict=verdict)) for number, verdict in said.items())
    made = DocumentResult(DocumentText(text, "a"), result().checked_at, sentences, marks, 10.0)
    rows = judged(document, made)
    assert [row.side for row in rows] == [
        Side.SUPPORTED,
        Side.MIXED,
        Side.CONTRADICTED,
        None,
        Side.SUPPORTED,
        Side.OPEN,
    ]
    found = figures_of(rows, [made])
    assert (found.documents, found.sentences, found.exact, found.kinds) == (1, 6, 1.0, 4 / 6)
    assert (found.planted, found.planted_found, found.planted_contradicted) == (2, 0.5, 0.5)
    assert (found.planted_found_in_chat, found.planted_found_of_checked) == (0.5, 1.0)
    assert (found.true, found.false_alarms, found.contradicted_alarms) == (2, 50.0, 0.0)
    assert (found.supported_precision, found.true_supported, found.open_kept) == (0.5, 0.5, 0.0)
    assert (found.worth_precision, found.worth_recall, found.seconds) == (4 / 5, 4 / 5, 2.0)
    assert found.score_error == 0.0  # two of four are supported, and two of four are true
    assert "| false alarms per 100 true sentences | 50.000 |" in as_table(found)
    write_rows(rows, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["side"] for row in written][:2] == ["supported", "partly right or misleading"] and written[3][
        "side"
    ] == ""


def test_average_precision_takes_equal_scores_together() -> None:
    assert average_precision([(0.9, True), (0.8, False), (0.7, True)]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([(0.5, True), (0.5, False)]) == 0.5
    assert average_precision([(0.5, False)]) is None


def test_a_text_is_judged_by_its_own_evidence_alone(models: Models, base: Settings, tmp_path: Path) -> None:
    (document,) = read_documents(write(tmp_path / "a.jsonl", TEXTS))
    made = checked(document, Verifier(models, None, None, base), base)
    rows = judged(document, made)
    assert [row.exact for row in rows] == [True, True, True]
    assert [row.side for row in rows] == [Side.SUPPORTED, Side.CONTRADICTED, None]
    sources = {piece.source for found in made.marks if found.result for piece in found.result.evidence}
    assert sources == {"https://archive.example/vasco"}


TEXTS = {
    **ROW,
    "text": "The Vasco bridge was opened in 1931. The Vasco bridge was opened in 1954. I think it is the most beautiful bridge of all.",
    "sentences": [
        {"start": 0, "end": 36, "kind": "fact", "worth": True, "expected": "True"},
        {"start": 37, "end": 73, "kind": "fact", "worth": True, "expected": "False", "planted": True},
        {"start": 74, "end": 121, "kind": "opinion", "worth": False},
    ],
    "evidence": [{"text": "The Vasco bridge was opened on 3 May 1931.", "source": "https://archive.example/vasco"}],
}
