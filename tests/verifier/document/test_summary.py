from __future__ import annotations

from tests.verifier.report.report_cases import result
from verifier.document.schema import DocumentClaim, Marked, Outcome, Sentence, SentenceKind
from verifier.document.summary import summed_up
from verifier.schema import Verdict


def marked(verdict: Verdict | None) -> Marked:
    claim = DocumentClaim(0, "The Earth is flat.", 0.5)
    if verdict is None:
        return Marked(claim, Outcome.FAILED, reason="the store failed")
    return Marked(claim, Outcome.CHECKED, result(verdict=verdict))


def test_a_line_counts_statements_by_verdict_and_other_sentences_by_kind() -> None:
    kinds = [SentenceKind.OPINION] * 5 + [SentenceKind.QUESTION] + [SentenceKind.FACT] * 7
    sentences = [Sentence(number, number + 1, kind) for number, kind in enumerate(kinds)]
    marks = [marked(Verdict.TRUE)] * 3 + [marked(Verdict.FALSE), marked(Verdict.MISLEADING), marked(None)]
    marks += [marked(Verdict.NOT_ENOUGH_EVIDENCE), marked(Verdict.NOT_VERIFIABLE)]
    assert summed_up(sentences, marks) == (
        "8 statements: 3 supported, 1 contradicted, 1 partly right or misleading, 2 not settled, 1 not checked; "
        "5 sentences are opinion; 1 sentence is a question"
    )


def test_an_empty_text_and_one_statement() -> None:
    assert summed_up((), ()) == "0 statements"
    assert summed_up((), [marked(Verdict.TRUE)]) == "1 statement: 1 supported"
